import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { jsonSchemaFiles } from '../json-schemas.ts'
import { buildAgentCard } from './build-agent-card.ts'
import { agentCardToJson } from './card-json.ts'
import { fullCard, smallCard } from './sample-card.test-helper.ts'
import { validateAgentCard } from './validate-agent-card.ts'

type Json = Record<string, unknown>

/** Every place of a value, from the outside in. */
function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [[...path], ...inner.flatMap(([name, member]) => placesOf(member, [...path, name]))]
}

/** A copy with something else at a place, or nothing. */
function changed(card: unknown, path: readonly string[], value?: unknown): Json {
  const copy = structuredClone(card) as Json
  const parent = path.slice(0, -1).reduce<Json>((at, step) => at[step] as Json, copy)
  const last = path.at(-1) ?? ''
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}

// The content of these is up to their author.
const open = /^(?:capabilities\.0\.(?:in|out)putSchema|extensions\.harbour|contact\.phone)\.|^contact\.phone$/
const places = placesOf(fullCard)
  .filter((path) => path.length > 0)
  .filter((path) => !open.test(path.join('.')))

describe('a card that is right', () => {
  test.each([
    ['with everything', fullCard],
    ['with the least', smallCard],
  ])('%s has no problems', (_name, card) => {
    expect(validateAgentCard(card)).toEqual([])
  })
})

test('a published card is right, as it was built and as JSON, and what is wrong with one is said with its place', () => {
  const built = buildAgentCard(fullCard)
  expect(validateAgentCard(built)).toEqual([])
  expect(validateAgentCard(agentCardToJson(built))).toEqual([])
  const { name: _, ...nameless } = agentCardToJson(built)
  expect(validateAgentCard(nameless)).toMatchObject([{ path: 'name', message: 'is missing' }])
})

describe('a field that is wrong', () => {
  test.each(places.map((path) => [path.join('.'), path] as const))('%s is named, with what to do', (name, path) => {
    const problems = validateAgentCard(changed(fullCard, path, true))
    expect(problems).toEqual([
      { path: name, message: expect.stringMatching(/^is (?:wrong|not) /), fix: expect.any(String) },
    ])
    expect(problems[0]?.fix).toMatch(/^Give (?:an?|the|one) .{5,}\.$/)
  })

  const required = ['schemaVersion', 'id', 'name', 'description', 'version', 'capabilities', 'transports']
  const inside = ['capabilities.0.id', 'capabilities.0.description', 'transports.0.protocol', 'transports.0.version']
  const more = ['transports.0.endpoint', 'transports.0.auth.type', 'provider.name']
  test.each([...required, ...inside, ...more])('%s must be there', (name) => {
    expect(validateAgentCard(changed(fullCard, name.split('.')))).toEqual([
      { path: name, message: 'is missing', fix: expect.stringMatching(/^Give .+\.$/) },
    ])
  })

  test('no other field must be there', () => {
    const needed = new Set([...required, ...inside, ...more, 'transports.0.auth.tokenEndpoint', 'transports.1.tool'])
    const optional = places.filter((path) => {
      const last = path.at(-1) ?? ''
      const isEntry = /^\d+$/.test(last)
      return !isEntry && !needed.has(path.join('.').replace(/^(capabilities|transports)\.1\.(?!tool)/, '$1.0.'))
    })
    expect(optional.length).toBeGreaterThan(20)
    for (const path of optional) expect(validateAgentCard(changed(fullCard, path)), path.join('.')).toEqual([])
  })

  test('one that is not known is refused, with those that are', () => {
    expect(validateAgentCard({ ...smallCard, transport: [] })).toEqual([
      {
        path: 'transport',
        message: 'is not a field of an Agent Card',
        fix: expect.stringMatching(/^Known here are .*\btransports\b.*extensions\.<namespace>\.$/),
      },
    ])
    expect(validateAgentCard(changed(fullCard, ['capabilities', '0', 'scopes'], []))).toMatchObject([
      { path: 'capabilities.0.scopes', fix: expect.stringContaining('requiredScopes') },
    ])
    expect(validateAgentCard(changed(fullCard, ['envelope', 'produces'], []))).toMatchObject([
      { path: 'envelope.produces' },
    ])
    expect(validateAgentCard(changed(fullCard, ['provider', 'email'], 'x'))).toMatchObject([{ path: 'provider.email' }])
  })

  test.each([undefined, null, 'card', 7, []])('%j is no card', (value) => {
    expect(validateAgentCard(value)).toMatchObject([{ path: '' }])
  })
})

describe('values are checked', () => {
  test.each<[path: string, value: unknown, message: string, fix: string]>([
    ['schemaVersion', 'one', "is not a version such as '1.0'", "'1.0'"],
    ['schemaVersion', '2.0', 'is 2.0, which this version of Beach does not write', "Give '1.0'."],
    ['id', 'my agent', 'is empty or has spaces', 'stable identifier'],
    ['id', '', 'is empty or has spaces', 'stable identifier'],
    ['name', '', 'is empty', 'a short name'],
    ['version', '1.0', 'is not a semantic version', 'major.minor.patch'],
    ['version', 'v1.0.0', 'is not a semantic version', 'major.minor.patch'],
    ['version', '01.0.0', 'is not a semantic version', 'major.minor.patch'],
    ['version', '1.0.0-', 'is not a semantic version', 'major.minor.patch'],
    ['provider.url', 'javascript:alert(1)', 'is not an http(s) URL', 'http(s) URL'],
    ['provider.url', 'https://[', 'is not a URL that can be parsed', 'http(s) URL'],
    ['capabilities.1.id', 'berth-search', "is 'berth-search', as is that of capabilities.0", 'another'],
    ['capabilities.0.inputSchema', 'https://harbour.example/schema.json', 'is wrong', '$ref'],
    ['transports', [], 'is empty, so the agent cannot be reached', 'a list of ways'],
    [
      'transports.0.protocol',
      'grpc-web',
      "names 'grpc-web', which is not a registered transport",
      'transports.register',
    ],
    ['transports.0.version', 'latest', "is 'latest', which is no version of A2A", "'1.0'"],
    ['transports.0.endpoint', 'ftp://harbour.example/', 'is not an http(s) URL, as A2A needs one', 'https://'],
    ['transports.0.endpoint', '/a2a', 'is not an http(s) URL, as A2A needs one', 'https://'],
    ['transports.0.endpoint', 'https://me:pw@harbour.example/a2a', 'has credentials in it', 'a card is public'],
    ['transports.1.endpoint', 'harbour-mcp', 'is neither an http(s) URL nor a stdio:// command', 'the address'],
    ['transports.0.auth.type', 'magic', "names 'magic', which is not a registered auth type", 'authTypes.register'],
    ['transports.0.auth.clientSecret', 'abc', 'looks like a secret', 'callers bring their own'],
    ['transports.0.auth.token', 'abc', 'looks like a secret', 'callers bring their own'],
    ['transports.0.auth.api_key', 'abc', 'looks like a secret', 'callers bring their own'],
    ['envelope.parts.1', 'domain-dta', "names 'domain-dta', which is not a registered part type", 'yourapp.domain-dta'],
    ['envelope.consumes.0', '.x', "names '.x', which is not a registered part type", 'domain-data'],
    ['envelope.a2uiCatalog', 'basic', 'is not an absolute URL', 'the URL of the catalog'],
    ['envelope.llmContextLanguage', 'English please', 'is not a language tag', "'en'"],
    ['extensions.beach.version', '2.0', 'is 2.0, which this version of Beach does not write', "Give '1.0'."],
    ['extensions.beach.turnStates.0', 'dreaming', "names 'dreaming', which is not a registered turn state", 'awaiting'],
    ['extensions.beach.turnBudgetSeconds', 0, 'is wrong', 'above 0'],
    ['extensions.beach.envelopeConsumes', [], 'does not belong here', 'envelope.consumes'],
    ['extensions.beach.id', 'other', 'does not belong here', "the card's other fields"],
    ['contact.email', 'office', 'is not an e-mail address', 'an e-mail address'],
    ['generatedAt', 'yesterday', 'is not a date and time', '2026-04-20T09:50:00Z'],
  ])('%s of %j', (path, value, message, fix) => {
    const problems = validateAgentCard(changed(fullCard, path.split('.'), value))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ path, message: expect.stringContaining(message) })
    expect(problems[0]?.fix).toContain(fix)
  })

  test.each([
    ['api-key', 'header'],
    ['oauth2', 'tokenEndpoint'],
    ['mtls', 'fingerprints'],
  ])('auth by %s needs its %s', (type, field) => {
    expect(validateAgentCard(changed(fullCard, ['transports', '0', 'auth'], { type }))).toMatchObject([
      { path: `transports.0.auth.${field}`, message: 'is missing' },
    ])
  })

  test('an MCP transport needs the tool that peers call', () => {
    expect(validateAgentCard(changed(fullCard, ['transports', '1', 'tool']))).toMatchObject([
      { path: 'transports.1.tool', message: 'is missing', fix: expect.stringContaining('ask_my_agent') },
    ])
  })

  test('the same way in twice is refused; with another binding it is another', () => {
    const [transport] = smallCard.transports
    expect(
      validateAgentCard({ ...smallCard, transports: [transport, { ...transport, binding: 'JSONRPC' }] }),
    ).toMatchObject([{ path: 'transports.1', message: 'is the same as transports.0' }])
    expect(
      validateAgentCard({ ...smallCard, transports: [transport, { ...transport, binding: 'HTTP+JSON' }] }),
    ).toEqual([])
  })

  test('A2A by gRPC may have an address that is no URL', () => {
    const transports = [{ ...smallCard.transports[0], binding: 'GRPC', endpoint: 'small.example:443' }]
    expect(validateAgentCard({ ...smallCard, transports })).toEqual([])
  })

  test('part types of an application have a namespace', () => {
    expect(validateAgentCard({ ...smallCard, envelope: { parts: ['ta.itinerary-slot-state'] } })).toEqual([])
  })
})

describe('the published JSON Schema', () => {
  const published = z.fromJSONSchema(JSON.parse(jsonSchemaFiles().get('agent-card.json') ?? ''))

  test('accepts what is right', () => {
    expect(published.safeParse(fullCard)).toMatchObject({ success: true })
    expect(published.safeParse(smallCard)).toMatchObject({ success: true })
  })

  test.each(places.map((path) => [path.join('.'), path] as const))('refuses a wrong %s', (_name, path) => {
    expect(published.safeParse(changed(fullCard, path, true)).success).toBe(false)
  })

  test('refuses what is missing and what is not known', () => {
    for (const name of Object.keys(smallCard))
      expect(published.safeParse(changed(smallCard, [name])).success).toBe(false)
    expect(published.safeParse({ ...smallCard, transport: [] }).success).toBe(false)
  })
})
