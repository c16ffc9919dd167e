import { AgentCard } from '@a2a-js/sdk'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentCardInput } from './authored-card.ts'
import { BEACH_EXTENSION_URI } from './beach-extension.ts'
import { buildAgentCard } from './build-agent-card.ts'
import { agentCardToJson } from './card-json.ts'
import { readAgentCard } from './read-agent-card.ts'
import { fullCard, smallCard } from './sample-card.test-helper.ts'

/** The least that an A2A card has. */
const plain = {
  name: 'Plain',
  description: 'Knows A2A only.',
  version: '2024-11',
  supportedInterfaces: [{ url: 'https://plain.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Repeats.', tags: ['echo'] }],
}

const withParameters = (params: object, rest: object = {}) => ({
  ...plain,
  capabilities: { extensions: [{ uri: BEACH_EXTENSION_URI, params }] },
  ...rest,
})

/** What a reading is about, whichever shape it was read from. */
function content(value: unknown) {
  const { card, json: _json, shape: _shape, ...rest } = readAgentCard(value)
  return { ...rest, card: agentCardToJson(card) }
}

describe('both shapes', () => {
  const a2a = agentCardToJson(buildAgentCard(fullCard))

  test('say the same', () => {
    expect(content(a2a)).toEqual(content(fullCard))
    expect(readAgentCard(a2a).shape).toBe('a2a')
    expect(readAgentCard(fullCard).shape).toBe('authored')
  })

  test('give back every field that the author gave', () => {
    const { $schema, ...fields } = fullCard
    for (const shape of [a2a, fullCard]) {
      expect(readAgentCard(shape)).toMatchObject(fields)
      expect(readAgentCard(shape).beach).toMatchObject({ $schema, envelopeConsumes: fields.envelope?.consumes })
    }
  })

  test('are read from their text too', () => {
    expect(content(JSON.stringify(a2a))).toEqual(content(a2a))
    expect(content(JSON.stringify(fullCard, undefined, 2))).toEqual(content(fullCard))
  })

  test('give lists where the author gave none', () => {
    expect(readAgentCard(smallCard)).toMatchObject({
      transports: [{ binding: 'JSONRPC', requiredScopes: [] }],
      envelope: { parts: [], consumes: [] },
      extensions: { beach: { version: '1.0' } },
    })
    const capabilities = [{ id: 'hello', description: 'Says hello.' }]
    expect(readAgentCard({ ...smallCard, capabilities }).capabilities).toEqual([
      { id: 'hello', description: 'Says hello.', examples: [], requiredScopes: [] },
    ])
  })
})

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/)
const words = fc.uniqueArray(word, { maxLength: 3 })
const json = fc.dictionary(
  word.map((name) => `x-${name}`),
  fc.jsonValue({ maxDepth: 2 }),
  { minKeys: 1, maxKeys: 2 },
)
const url = fc.tuple(word, word).map(([host, path]) => `https://${host}.example/${path}`)
const capability = fc.record(
  { id: word, description: word, examples: words, requiredScopes: words, inputSchema: json, outputSchema: json },
  { requiredKeys: ['id', 'description'] },
)
const auth = fc.oneof(
  fc.constant({ type: 'none' }),
  fc.record({ type: fc.constant('api-key'), header: word }),
  fc.record({ type: fc.constant('oauth2'), tokenEndpoint: url, scope: words }),
)
const transport = fc.oneof(
  fc.record(
    {
      protocol: fc.constant('a2a'),
      version: fc.constantFrom('0.3', '1.0'),
      endpoint: url,
      binding: fc.constantFrom('JSONRPC', 'HTTP+JSON'),
      tenant: word,
      auth,
      requiredScopes: words,
    },
    { requiredKeys: ['protocol', 'version', 'endpoint'] },
  ),
  fc.record(
    { protocol: fc.constant('mcp'), version: word, endpoint: url, tool: word, auth },
    { requiredKeys: ['protocol', 'version', 'endpoint', 'tool'] },
  ),
)
const authored = fc.record(
  {
    schemaVersion: fc.constantFrom('1.0', '1.7'),
    id: word,
    name: word,
    displayName: word,
    description: word,
    version: fc.constantFrom('0.1.0', '10.20.30', '1.0.0-rc.1'),
    provider: fc.record({ name: word, url }, { requiredKeys: ['name'] }),
    capabilities: fc.uniqueArray(capability, { selector: ({ id }) => id, maxLength: 4 }),
    transports: fc.uniqueArray(transport, { selector: ({ endpoint }) => endpoint, minLength: 1, maxLength: 4 }),
    envelope: fc.record(
      {
        parts: fc.subarray(['domain-data', 'response', 'ta.map']),
        consumes: fc.subarray(['llm-context', 'ta.map']),
        llmContextLanguage: fc.constantFrom('en', 'de-CH'),
      },
      { requiredKeys: [] },
    ),
    extensions: fc.record(
      { beach: fc.record({ turnStates: fc.subarray(['awaiting', 'complete']) }), other: json },
      { requiredKeys: [] },
    ),
    contact: json,
    generatedAt: fc.constant('2026-04-20T09:50:00Z'),
  },
  {
    requiredKeys: [
      'schemaVersion',
      'id',
      'name',
      'description',
      'version',
      'capabilities',
      'transports',
      'generatedAt',
    ],
  },
)

/** Without the lists and objects that say nothing, which need not come back. */
function scriptedReply(value: unknown): unknown {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, scriptedReply(member)])
  return Object.fromEntries(
    members.filter(([, member]) => typeof member !== 'object' || member === null || Object.keys(member).length > 0),
  )
}

test('whatever an author says comes back from what is published', () => {
  fc.assert(
    fc.property(authored, (input) => {
      // JSON has no -0.
      const card = JSON.parse(JSON.stringify(input)) as AgentCardInput
      const published = JSON.stringify(agentCardToJson(buildAgentCard(card)))
      expect(content(published)).toEqual(content(card))
      const { capabilities, transports, extensions, ...fields } = card
      const read = readAgentCard(published)
      expect(read).toMatchObject(scriptedReply(fields) as object)
      expect(read.extensions).toMatchObject(scriptedReply(extensions ?? {}) as object)
      expect(read.capabilities.map(scriptedReply)).toEqual(capabilities.map(scriptedReply))
      expect(read.transports).toMatchObject(transports)
    }),
  )
})

describe('what is not known here', () => {
  test('is kept', () => {
    const card = {
      ...withParameters({ version: '1.4', mood: 'calm', turnStates: ['complete', 'dreaming'] }),
      colour: 'red',
    }
    const read = readAgentCard(card)
    expect(read.json).toEqual(card)
    expect(read.beach).toEqual({ version: '1.4', mood: 'calm', turnStates: ['complete', 'dreaming'] })
    expect(read.extensions.beach).toEqual(read.beach)
  })

  test('is kept in the other shape too', () => {
    const card = {
      ...fullCard,
      schemaVersion: '1.9',
      colour: 'red',
      capabilities: [{ id: 'a', description: 'b', price: 3 }],
      provider: { name: 'Office', floor: 3 },
      envelope: { parts: ['new-in-1-9'], order: 'kept' },
      transports: [{ protocol: 'pigeon', version: '1', endpoint: 'loft 7', speed: 40, auth: { type: 'feather' } }],
      extensions: { beach: { version: '1.3', turnStates: ['dreaming'], mood: 'calm' } },
    }
    const read = readAgentCard(card)
    expect(read.json).toEqual(card)
    expect(read).toMatchObject({
      schemaVersion: '1.9',
      provider: card.provider,
      envelope: { parts: ['new-in-1-9'] },
      transports: card.transports,
      extensions: card.extensions,
    })
  })
})

describe('versions', () => {
  const beachOf = (version: string) => ({ ...smallCard, extensions: { beach: { version } } })

  test.each(['1', '1.0', '1.12', '1.0.3'])('%s is read', (version) => {
    expect(readAgentCard({ ...smallCard, schemaVersion: version }).schemaVersion).toBe(version)
    expect(readAgentCard(withParameters({ schemaVersion: version })).schemaVersion).toBe(version)
    expect(readAgentCard(beachOf(version)).beach?.version).toBe(version)
    expect(readAgentCard(withParameters({ version })).beach?.version).toBe(version)
  })

  test.each([
    [{ ...smallCard, schemaVersion: '2.0' }, 'schemaVersion is 2.0, but only 1.x can be read here'],
    // Before anything else is looked at: it may be right in that version.
    [{ schemaVersion: '2.0', transports: 'new' }, 'schemaVersion is 2.0'],
    [beachOf('2.0'), 'extensions.beach.version is 2.0'],
    [{ extensions: { beach: { version: '3.1' } }, transports: 'new' }, 'extensions.beach.version is 3.1'],
    [withParameters({ version: '2.0', turnStates: 'new' }), 'extensions.0.params.version is 2.0'],
    [withParameters({ schemaVersion: '0.9' }), 'extensions.0.params.schemaVersion is 0.9'],
    [
      { ...plain, capabilities: { extensions: [{ uri: 'https://beach.cool-ai.io/extensions/v2' }] } },
      'has the Beach extension as https://beach.cool-ai.io/extensions/v2, but only 1.x',
    ],
  ])('another major version is refused: %#', (card, reason) => {
    expect(() => readAgentCard(card)).toThrow(reason)
    expect(() => readAgentCard(card)).toThrow('update @cool-ai/beach-protocol')
  })

  test.each(['v1', 'v1.1', 'v1.12.3'])('the extension as %s is read: a later minor version only adds to it', (name) => {
    const extension = { uri: `https://beach.cool-ai.io/extensions/${name}`, params: { turnBudgetSeconds: 7 } }
    const read = readAgentCard({
      ...plain,
      capabilities: { extensions: [{ uri: 'https://other.example' }, extension] },
    })
    expect(read.beach).toEqual({ version: '1.0', turnBudgetSeconds: 7 })
  })

  test.each(['v10', 'v2.1', 'v0.9', 'v1.x', 'v'])('the extension as %s is not', (name) => {
    const extensions = [{ uri: `https://beach.cool-ai.io/extensions/${name}` }]
    expect(() => readAgentCard({ ...plain, capabilities: { extensions } })).toThrow('but only 1.x can be read here')
  })

  test('of several minor versions, the one that is known counts', () => {
    const extensions = ['v1.1', 'v1'].map((name) => ({
      uri: `https://beach.cool-ai.io/extensions/${name}`,
      params: { name },
    }))
    expect(readAgentCard({ ...plain, capabilities: { extensions } }).beach).toMatchObject({ name: 'v1' })
  })

  test('an agent that has both majors is read by the one that is known', () => {
    const extensions = ['v2', 'v1'].map((name) => ({ uri: `https://beach.cool-ai.io/extensions/${name}` }))
    expect(readAgentCard({ ...plain, capabilities: { extensions } }).beach).toEqual({ version: '1.0' })
  })

  test('a card of A2A 0.3 is told from one without interfaces', () => {
    const { supportedInterfaces: _, ...old } = plain
    expect(() => readAgentCard({ ...old, url: 'https://plain.example/', protocolVersion: '0.3.0' })).toThrow(
      'is an A2A 0.3 card',
    )
    expect(readAgentCard(old).transports).toEqual([])
  })
})

describe('a card that knows A2A only', () => {
  test('is read without the extension', () => {
    const read = readAgentCard(plain)
    expect(read).not.toHaveProperty('beach')
    expect(read).not.toHaveProperty('id')
    expect(read).toMatchObject({
      name: 'Plain',
      version: '2024-11',
      capabilities: [{ id: 'echo', description: 'Repeats.', examples: [], requiredScopes: [] }],
      transports: [
        {
          protocol: 'a2a',
          version: '1.0',
          endpoint: 'https://plain.example/rpc',
          binding: 'JSONRPC',
          requiredScopes: [],
        },
      ],
      extensions: {},
    })
    expect(read.card).toEqual(AgentCard.fromJSON(plain))
  })

  test.each([
    [{ apiKeySecurityScheme: { location: 'header', name: 'X-Key' } }, { type: 'api-key', header: 'X-Key' }],
    [{ apiKeySecurityScheme: { location: 'query', name: 'key' } }, undefined],
    [{ mtlsSecurityScheme: {} }, { type: 'mtls' }],
    [
      { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://plain.example/token' } } } },
      { type: 'oauth2', tokenEndpoint: 'https://plain.example/token', scope: ['read'] },
    ],
    [{ httpAuthSecurityScheme: { scheme: 'Basic' } }, undefined],
  ])('says in A2A’s terms how to authenticate: %j', (scheme, expected) => {
    const securityRequirements = [{ schemes: { theirs: { list: ['read'] } } }]
    const read = readAgentCard({ ...plain, securitySchemes: { theirs: scheme }, securityRequirements })
    expect(read.transports[0]?.auth).toEqual(expected)
  })

  test('may leave out what is empty, and say nothing by null', () => {
    const read = readAgentCard({ name: 'Bare', version: '1', provider: null, capabilities: null, skills: null })
    expect(read).toMatchObject({ description: '', capabilities: [], transports: [] })
    const params = { mood: null }
    expect(readAgentCard(withParameters(params)).beach).toMatchObject(params)
  })
})

describe('ways to reach an agent', () => {
  const a2a = { protocol: 'a2a', version: '1.0', endpoint: 'https://plain.example/rpc' }
  const mcp = { protocol: 'mcp', version: 'stable', endpoint: 'https://plain.example/mcp', tool: 'ask' }

  test('keep their order, and those that only A2A knows come last', () => {
    const rest = { url: 'https://plain.example/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }
    const card = withParameters(
      { transports: [mcp, a2a] },
      { supportedInterfaces: [rest, ...plain.supportedInterfaces] },
    )
    expect(readAgentCard(card).transports.map(({ endpoint }) => endpoint)).toEqual([
      'https://plain.example/mcp',
      'https://plain.example/rpc',
      'https://plain.example/rest',
    ])
  })

  test.each([
    { ...a2a, endpoint: 'https://elsewhere.example/rpc' },
    { ...a2a, version: '0.3' },
    { ...a2a, binding: 'HTTP+JSON' },
    { ...a2a, tenant: 'other' },
  ])('of A2A are those that the SDK would use, and no others: %j', (other) => {
    expect(() => readAgentCard(withParameters({ transports: [other] }))).toThrow(
      "which is not among the card's supportedInterfaces",
    )
  })

  test('are not counted twice', () => {
    expect(() => readAgentCard(withParameters({ transports: [a2a, a2a] }))).toThrow('transports.1 names')
  })
})

describe('what is wrong is refused with the place', () => {
  test.each<[value: unknown, message: string]>([
    [undefined, 'The card is not a JSON object'],
    [[], 'The card is not a JSON object'],
    ['nonsense', 'The card is not JSON'],
    [{}, 'name is missing'],
    [{ ...plain, version: '' }, 'version is empty'],
    [{ ...plain, supportedInterfaces: {} }, 'supportedInterfaces is wrong'],
    [
      {
        ...plain,
        supportedInterfaces: [{ url: 'file:///etc/passwd', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      },
      'supportedInterfaces.0.url is not an http(s) URL',
    ],
    [
      { ...plain, supportedInterfaces: [{ url: 'https://plain.example/' }] },
      'supportedInterfaces.0.protocolBinding is missing',
    ],
    [{ ...plain, provider: { organization: 'x', url: 'javascript:alert(1)' } }, 'provider.url is not an http(s) URL'],
    [{ ...plain, iconUrl: 'data:text/html,x' }, 'iconUrl is not an http(s) URL'],
    [{ ...plain, capabilities: 'many' }, 'capabilities is wrong'],
    [{ ...plain, capabilities: { streaming: 'yes' } }, 'capabilities.streaming is wrong'],
    [{ ...plain, skills: [null] }, 'skills.0 is wrong'],
    [{ ...plain, skills: [{ name: 'x' }] }, 'skills.0.id is missing'],
    [{ ...plain, securitySchemes: { a: 'b' } }, 'securitySchemes.a is wrong'],
    [{ ...plain, securityRequirements: [7] }, 'securityRequirements.0 is wrong'],
    [{ ...plain, signatures: ['x'] }, 'signatures.0 is wrong'],
    [withParameters({ turnStates: 'complete' }), 'capabilities.extensions.0.params.turnStates is wrong'],
    [withParameters({ envelopeConsumes: [7] }), 'capabilities.extensions.0.params.envelopeConsumes.0 is wrong'],
    [withParameters({ transports: [{ protocol: 'mcp' }] }), 'params.transports.0.version is missing'],
    [
      withParameters({ transports: [{ protocol: 'mcp', version: '1', endpoint: 'nowhere' }] }),
      'params.transports.0.endpoint is neither',
    ],
    [{ ...smallCard, version: 'new' }, 'version is not a semantic version'],
    [{ ...smallCard, id: undefined }, 'id is missing'],
    [
      { ...smallCard, transports: [{ ...smallCard.transports[0], endpoint: 'file:///etc/passwd' }] },
      'transports.0.endpoint is not an http(s) URL',
    ],
    [{ ...smallCard, capabilities: [{ id: 'a' }] }, 'capabilities.0.description is missing'],
  ])('%#', (value, message) => {
    expect(() => readAgentCard(value)).toThrow(message)
  })

  test('a name that stands twice is refused, since readers differ in which they take', () => {
    const text = JSON.stringify(plain)
    expect(() => readAgentCard(text.replace('{"name":', '{"name":"Other","name":'))).toThrow('the same name twice')
    expect(() => readAgentCard(text.replace('{"id":', '{"\\u0069d":"x","id":'))).toThrow('the same name twice')
    expect(readAgentCard(text.replace('Repeats.', 'a: \\"b\\": {c: 1}')).capabilities[0]?.description).toBe(
      'a: "b": {c: 1}',
    )
  })

  test('a card of any depth is refused, not run into', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    expect(() => readAgentCard(`{"name":"x","version":"1","x":${deep}}`)).toThrow('100 levels')
    // Otherwise each of them would be told of, for a third of a second.
    expect(() => readAgentCard({ ...plain, skills: Array(80_000).fill(0) })).toThrow('10000 values')
  })
})
