import { AgentCard } from '@a2a-js/sdk'
import {
  AuthTypeRegistry,
  isBeachError,
  PartTypeRegistry,
  SimulatedClock,
  TransportRegistry,
  TurnStateRegistry,
} from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import type { AgentCardInput } from './authored-card.ts'
import { BEACH_EXTENSION_URI } from './beach-extension.ts'
import { buildAgentCard } from './build-agent-card.ts'
import { agentCardToJson } from './card-json.ts'
import { fullCard, smallCard } from './sample-card.test-helper.ts'

type Transport = AgentCardInput['transports'][number]

function parametersOf(card: AgentCard): Record<string, unknown> {
  return card.capabilities?.extensions.find(({ uri }) => uri === BEACH_EXTENSION_URI)?.params ?? {}
}

const spoken = (auth?: Transport['auth'], rest: Partial<Transport> = {}): Transport => ({
  protocol: 'a2a',
  version: '1.0',
  endpoint: 'https://small.example/a2a',
  ...(auth === undefined ? {} : { auth }),
  ...rest,
})

describe('a built card', () => {
  const card = buildAgentCard(fullCard)

  test('says in the terms of A2A what A2A has terms for', () => {
    expect(card).toMatchObject({
      name: 'Harbour',
      description: 'Finds berths and reads tides.',
      version: '2.3.4-beta.1+build.7',
      provider: { organization: 'Harbour Office', url: 'https://harbour.example/' },
      supportedInterfaces: [
        { url: 'https://harbour.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 'north' },
      ],
      defaultInputModes: ['text/plain', 'application/json'],
      defaultOutputModes: ['text/plain', 'application/json'],
    })
    expect(card.skills).toMatchObject([
      {
        id: 'berth-search',
        name: 'Berth search',
        description: 'Finds a free berth.',
        tags: ['berth', 'search'],
        examples: ['a berth for ten metres tonight'],
      },
      { id: 'tides', name: 'Tides', tags: ['tides'], examples: [] },
    ])
  })

  test('says the rest in the Beach extension', () => {
    expect(card.capabilities?.extensions).toMatchObject([{ uri: BEACH_EXTENSION_URI, required: false }])
    expect(parametersOf(card)).toEqual({
      $schema: 'https://a2a-protocol.org/schema/v1.0/agent-card.json',
      version: '1.0',
      respondToolSchemaVersion: '1',
      turnStates: ['awaiting', 'complete', 'error'],
      turnBudgetSeconds: 90,
      schemaVersion: '1.0',
      id: 'harbour-agent',
      displayName: 'Harbour — Berths and Tides',
      provider: fullCard.provider,
      contact: fullCard.contact,
      generatedAt: '2026-04-20T09:50:00Z',
      envelopeParts: fullCard.envelope?.parts,
      envelopeConsumes: fullCard.envelope?.consumes,
      a2uiCatalog: fullCard.envelope?.a2uiCatalog,
      llmContextLanguage: 'en-GB',
      skills: {
        'berth-search': {
          requiredScopes: ['berths:read'],
          inputSchema: fullCard.capabilities[0]?.inputSchema,
          outputSchema: fullCard.capabilities[0]?.outputSchema,
        },
      },
      transports: fullCard.transports,
      extensions: { harbour: { pilots: true } },
    })
  })

  test('survives the SDK, which drops what it does not know', () => {
    const json = agentCardToJson(card)
    expect(agentCardToJson(AgentCard.fromJSON(json))).toEqual(json)
  })

  test('does not change with what it was made of', () => {
    const input = structuredClone(fullCard)
    const built = agentCardToJson(buildAgentCard(input))
    input.capabilities[0]?.examples?.push('another')
    input.transports[0]?.requiredScopes?.push('another')
    expect(agentCardToJson(buildAgentCard(fullCard))).toEqual(built)
  })

  test('says when it was generated, by the clock unless its author says so', () => {
    const clock = new SimulatedClock(Date.UTC(2026, 3, 20))
    expect(parametersOf(buildAgentCard(smallCard, { clock })).generatedAt).toBe('2026-04-20T00:00:00.000Z')
    expect(parametersOf(buildAgentCard(fullCard, { clock })).generatedAt).toBe('2026-04-20T09:50:00Z')
  })

  test('says of A2A what it was told to', () => {
    const extension = { uri: 'https://example.com/ext', description: '', required: true, params: undefined }
    const a2a = {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: true,
      extensions: [extension],
      documentationUrl: 'https://small.example/docs',
      iconUrl: 'https://small.example/icon.png',
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['image/png'],
    }
    const built = agentCardToJson(buildAgentCard(smallCard, { a2a }))
    const { extensions: _, streaming, pushNotifications, extendedAgentCard, ...rest } = a2a
    expect(built).toMatchObject(rest)
    expect(built.capabilities).toMatchObject({ streaming, pushNotifications, extendedAgentCard })
    expect(built.capabilities).toHaveProperty('extensions.1.uri', 'https://example.com/ext')
  })

  test('has what A2A requires also where it is empty', () => {
    const json = agentCardToJson(
      buildAgentCard({
        ...smallCard,
        transports: [{ protocol: 'mcp', version: 'stable', endpoint: 'https://small.example/mcp', tool: 'ask_small' }],
      }),
    )
    expect(json).toMatchObject({ supportedInterfaces: [], skills: [], defaultInputModes: expect.any(Array) })
    const bare = { ...buildAgentCard(fullCard), skills: [{ ...buildAgentCard(fullCard).skills[0], tags: [] }] }
    expect(agentCardToJson(bare as AgentCard)).toHaveProperty('skills.0.tags', [])
  })

  test('shares nothing with its JSON', () => {
    const built = buildAgentCard(fullCard)
    const json = agentCardToJson(built) as { capabilities: { extensions: { params: { id: string } }[] } }
    const [extension] = json.capabilities.extensions
    if (extension !== undefined) extension.params.id = 'changed'
    expect(parametersOf(built).id).toBe('harbour-agent')
  })
})

describe('authentication in the terms of A2A', () => {
  const securityOf = (...transports: Transport[]) => {
    const { securitySchemes, securityRequirements } = agentCardToJson(buildAgentCard({ ...smallCard, transports }))
    return { securitySchemes, securityRequirements }
  }
  const apiKey = (header: string) => ({ apiKeySecurityScheme: { location: 'header', name: header } })

  test('is an API key in its header', () => {
    expect(securityOf(spoken({ type: 'api-key', header: 'X-Beach-Key' }))).toEqual({
      securitySchemes: { 'api-key': apiKey('X-Beach-Key') },
      securityRequirements: [{ schemes: { 'api-key': {} } }],
    })
  })

  test('is OAuth with the scopes of the auth and of the capabilities, and asks for those of the transport', () => {
    const json = agentCardToJson(buildAgentCard(fullCard))
    expect(json.securitySchemes).toEqual({
      oauth2: {
        oauth2SecurityScheme: {
          flows: {
            clientCredentials: {
              tokenUrl: 'https://login.harbour.example/token',
              scopes: { 'berths:read': 'berths:read', 'tides:read': 'tides:read' },
            },
          },
        },
      },
    })
    expect(json.securityRequirements).toEqual([{ schemes: { oauth2: { list: ['tides:read'] } } }])
    expect(json.skills).toMatchObject([
      { securityRequirements: [{ schemes: { oauth2: { list: ['berths:read'] } } }] },
      expect.not.objectContaining({ securityRequirements: expect.anything() }),
    ])
  })

  test('is OAuth without scopes, which are an empty list then', () => {
    const tokenEndpoint = 'https://small.example/token'
    expect(securityOf(spoken({ type: 'oauth2', tokenEndpoint })).securitySchemes).toEqual({
      oauth2: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: tokenEndpoint, scopes: {} } } } },
    })
  })

  test('is a client certificate', () => {
    expect(securityOf(spoken({ type: 'mtls', fingerprints: ['ab:cd'] }))).toMatchObject({
      securitySchemes: { mtls: { mtlsSecurityScheme: {} } },
      securityRequirements: [{ schemes: { mtls: {} } }],
    })
  })

  test('names each of several', () => {
    const at = (endpoint: string) => ({ endpoint: `https://small.example/${endpoint}` })
    const both = securityOf(
      spoken({ type: 'api-key', header: 'X-One' }, at('one')),
      spoken({ type: 'api-key', header: 'X-Two' }, at('two')),
      spoken({ type: 'api-key', header: 'X-One' }, at('three')),
    )
    expect(both).toEqual({
      securitySchemes: { 'api-key': apiKey('X-One'), 'api-key-2': apiKey('X-Two') },
      securityRequirements: [{ schemes: { 'api-key': {} } }, { schemes: { 'api-key-2': {} } }],
    })
  })

  test('is not required where one way in needs none', () => {
    const open = securityOf(
      spoken({ type: 'api-key', header: 'X-Beach-Key' }),
      spoken({ type: 'none' }, { endpoint: 'https://small.example/open' }),
    )
    expect(open).toEqual({ securitySchemes: { 'api-key': apiKey('X-Beach-Key') }, securityRequirements: undefined })
  })

  test('says nothing of transports that are not A2A', () => {
    const mcp = { protocol: 'mcp', version: 'stable', endpoint: 'https://small.example/mcp', tool: 'ask_small' }
    expect(securityOf({ ...mcp, auth: { type: 'api-key', header: 'X-Beach-Key' } })).toEqual({})
  })
})

describe('names are looked up', () => {
  test('in the registries that are given', () => {
    const transports = TransportRegistry.canonical()
    transports.register({ id: 'pigeon' })
    const authTypes = AuthTypeRegistry.canonical()
    authTypes.register({ id: 'feather' })
    const partTypes = new PartTypeRegistry()
    partTypes.register({
      partType: 'letter',
      isCanonical: true,
      deliveryRules: { streaming: 'once', buffered: 'once' },
    })
    const turnStates = new TurnStateRegistry()
    turnStates.register({ id: 'moulting', isTerminal: false, emitsEnvelope: false, holdsActor: true })
    const card: AgentCardInput = {
      ...smallCard,
      transports: [{ protocol: 'pigeon', version: '1', endpoint: 'loft 7', auth: { type: 'feather', colour: 'grey' } }],
      envelope: { parts: ['letter'] },
      extensions: { beach: { turnStates: ['moulting'] } },
    }
    const registries = { transports, authTypes, partTypes, turnStates }
    expect(parametersOf(buildAgentCard(card, { registries }))).toMatchObject({
      transports: [{ auth: { colour: 'grey' } }],
      turnStates: ['moulting'],
    })
    expect(() => buildAgentCard(card)).toThrow("transports.0.protocol names 'pigeon'")
    expect(() => buildAgentCard(card, { registries: { transports } })).toThrow("auth.type names 'feather'")
    expect(() => buildAgentCard(card, { registries: { transports, authTypes } })).toThrow("names 'letter'")
    expect(() => buildAgentCard(card, { registries: { transports, authTypes, partTypes } })).toThrow("names 'moulting'")
  })
})

test('a card may be a constant', () => {
  const constant = {
    ...smallCard,
    capabilities: [{ id: 'hello', description: 'Says hello.', examples: ['hello'] }],
    extensions: { beach: { turnStates: ['complete'] } },
  } as const
  expect(buildAgentCard(Object.freeze(constant)).skills).toHaveLength(1)
})

test('what is wrong is an error of configuration that lists every problem', () => {
  const wrong = { ...smallCard, version: 'new', capabilities: 'all' } as unknown as AgentCardInput
  let error: unknown
  try {
    buildAgentCard(wrong)
  } catch (thrown) {
    error = thrown
  }
  expect(isBeachError(error, 'INVALID_CONFIGURATION') && error.details.problems).toMatchObject([
    { path: 'version' },
    { path: 'capabilities' },
  ])
})

test.each([
  ['a cycle', Object.assign(structuredClone(smallCard), { contact: {} })],
  ['a bigint', { ...smallCard, contact: { floor: 3n } }],
])('%s cannot be published', (_name, input) => {
  if (_name === 'a cycle') Object.assign(input.contact, { self: input })
  expect(() => buildAgentCard(input as unknown as AgentCardInput)).toThrow('The card cannot be written as JSON.')
})
