import { agentCardToJson, buildAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { AgentRegistry } from './agent-registry.ts'
import { cardOf, cardServer, known, registryOf } from './card-server.test-helper.ts'
import { failureOf, guarded } from '../../../channel/src/guarded-fetch/guarded.test-helper.ts'
import { loopbackServer } from '../../../channel/src/guarded-fetch/loopback-server.test-helper.ts'

test('works as the specification has it', async () => {
  const ask = async (url: unknown) => {
    const id = String(url).includes('travel') ? 'example-travel-agent' : 'example-organiser'
    return Response.json(cardOf(new URL(String(url)).origin, { id }))
  }
  const fetch = Object.assign(ask, { check: () => {}, close: async () => {} })
  const registry = new AgentRegistry({
    fetch,
    peers: [
      { url: 'https://travel.example.com/.well-known/agent-card.json' },
      { url: 'https://organiser.example.com/.well-known/agent-card.json' },
    ],
  })
  await registry.refresh()
  const travel = registry.byId('example-travel-agent')
  expect(travel?.card).toMatchObject({ id: 'example-travel-agent', name: 'Travel' })
  expect(travel?.transports).toMatchObject([{ protocol: 'a2a', endpoint: 'https://travel.example.com/a2a' }])
})

describe('a refresh', () => {
  test('finds the peers by the cards that they publish', async () => {
    const travel = await cardServer()
    const organiser = await cardServer({ id: 'organiser', name: 'Organiser' })
    const { registry } = registryOf([travel.listing, organiser.listing])
    expect(registry.ids()).toEqual([])
    const statuses = await registry.refresh()
    expect(statuses.map(({ id }) => id)).toEqual(['travel', 'organiser'])
    expect(registry.ids()).toEqual(['travel', 'organiser'])
    expect(known(registry).card).toMatchObject({ id: 'travel', name: 'Travel', shape: 'authored' })
    expect(known(registry).transports).toMatchObject([
      { protocol: 'a2a', endpoint: `${travel.origin}/a2a`, source: 'card' },
    ])
    expect(registry.byId('nobody')).toBeUndefined()
    expect(travel.received[0]?.headers).toMatchObject({ accept: 'application/json', 'a2a-version': '1.0' })
  })

  test('reads the card of either shape into the same peer', async () => {
    const server = await cardServer()
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    const authored = known(registry)
    server.answer.body = agentCardToJson(buildAgentCard(cardOf(server.origin)))
    await registry.refresh({ force: true })
    const a2a = known(registry)
    expect([authored.card.shape, a2a.card.shape]).toEqual(['authored', 'a2a'])
    expect(a2a.transports).toEqual(authored.transports)
    expect(a2a.id).toBe(authored.id)
  })

  test('reads a card of A2A 0.3, whose interfaces keep that version', async () => {
    const server = await cardServer()
    server.answer.body = {
      name: 'Old',
      description: 'Speaks 0.3 only.',
      version: '1.0.0',
      protocolVersion: '0.3.0',
      url: `${server.origin}/rpc`,
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'talk', name: 'Talk', description: 'Talks.', tags: ['talk'] }],
    }
    const { registry } = registryOf([{ ...server.listing, id: 'old' }])
    await registry.refresh()
    expect(registry.byId('old')?.transports).toMatchObject([
      { protocol: 'a2a', version: expect.stringMatching(/^0\.3/) as string, endpoint: `${server.origin}/rpc` },
    ])
  })

  test('is one request, however many ask at the same time', async () => {
    const server = await cardServer()
    const gate = Promise.withResolvers<void>()
    server.answer.until = gate.promise
    const { registry } = registryOf([{ ...server.listing, id: 'travel' }])
    const all = [
      registry.refresh(),
      registry.refresh('travel'),
      registry.refresh({ force: true }),
      registry.current('travel'),
    ]
    await server.nextRequest()
    gate.resolve()
    await Promise.all(all)
    expect(server.requests).toHaveLength(1)
  })

  test('that one caller has left goes on for the others', async () => {
    const server = await cardServer()
    const gate = Promise.withResolvers<void>()
    server.answer.until = gate.promise
    const { registry } = registryOf([server.listing])
    const stop = new AbortController()
    const gaveUp = registry.refresh({ signal: stop.signal })
    const waits = registry.refresh()
    await server.nextRequest()
    stop.abort(new Error('no longer wanted'))
    await expect(gaveUp).rejects.toThrow('no longer wanted')
    gate.resolve()
    await waits
    expect(known(registry).id).toBe('travel')
  })

  test('of an unlisted peer is an error', async () => {
    await expect(registryOf([]).registry.refresh('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_PEER' })
  })

  test('that brings another major version of the agent is logged', async () => {
    const server = await cardServer({ version: '1.9.0' })
    const { registry, logged } = registryOf([server.listing])
    await registry.refresh()
    server.answer.body = cardOf(server.origin, { version: '1.10.0' })
    await registry.refresh({ force: true })
    expect(logged).toEqual([])
    server.answer.body = cardOf(server.origin, { version: '2.0.0' })
    await registry.refresh({ force: true })
    expect(logged).toEqual(['warn: a peer has a new major version'])
    expect(known(registry).card.version).toBe('2.0.0')
  })

  test('of many is not stopped by one that fails', async () => {
    const travel = await cardServer()
    const broken = await cardServer()
    broken.answer.status = 500
    const { registry, logged } = registryOf([{ ...broken.listing, id: 'broken' }, travel.listing])
    const [first, second] = await registry.refresh()
    expect(first).toMatchObject({ id: 'broken', failure: { code: 'UNREACHABLE', details: { status: 500 } } })
    expect(first?.peer).toBeUndefined()
    expect(second?.peer?.id).toBe('travel')
    expect(registry.ids()).toEqual(['travel'])
    expect(logged).toEqual(['warn: the card of a peer cannot be used'])
  })
})

describe('the current peer', () => {
  test('is asked for when it is used first', async () => {
    const server = await cardServer()
    const { registry } = registryOf([server.listing])
    expect((await registry.current('travel')).id).toBe('travel')
    await registry.current('travel')
    expect(server.requests).toHaveLength(1)
  })

  test('is asked for again when it is no longer fresh', async () => {
    const server = await cardServer()
    const { registry, clock } = registryOf([server.listing])
    await registry.current('travel')
    await clock.advance(3_600_000)
    expect((await registry.current('travel')).staleSince).toBeUndefined()
    expect(server.requests).toHaveLength(2)
  })

  test('is an error that says why, and a dead peer is not asked at every use', async () => {
    const server = await cardServer()
    server.answer.status = 503
    const { registry, clock } = registryOf([{ ...server.listing, id: 'travel' }])
    const failure = await failureOf(registry.current('travel'))
    expect(failure).toMatchObject({ code: 'UNREACHABLE', retryable: true })
    expect(failure.message).toMatch(
      /^The card of 'travel' cannot be used\. 127\.0\.0\.1:\d+ answers with the status 503/,
    )
    await failureOf(registry.current('travel'))
    expect(server.requests).toHaveLength(1)
    server.answer.status = 200
    await clock.advance(30_000)
    expect((await registry.current('travel')).id).toBe('travel')
  })

  test('is the last good one while its card cannot be had', async () => {
    const server = await cardServer()
    const { registry, clock } = registryOf([server.listing])
    await registry.refresh()
    await clock.advance(3_600_000)
    server.answer.status = 500
    expect((await registry.current('travel')).staleSince).toBe(clock.now())
  })

  test('is unknown when it is not listed', async () => {
    const server = await cardServer()
    const { registry } = registryOf([server.listing])
    await expect(registry.current('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_PEER' })
  })
})

describe('where a card is', () => {
  test.each([
    ['url', '/.well-known/agent-card.json', '/.well-known/agent-card.json'],
    ['url', '', '/.well-known/agent-card.json'],
    ['url', '/', '/.well-known/agent-card.json'],
    ['url', '/agents/travel/', '/agents/travel/.well-known/agent-card.json'],
    ['url', '/agents/travel.json?v=1', '/agents/travel.json?v=1'],
    ['cardUrl', '/agents/', '/agents/'],
  ])('%s %j', async (field, path, asked) => {
    const server = await cardServer()
    const { registry } = registryOf([{ [field]: server.origin + path, allowOrigins: [server.origin] }])
    await registry.refresh()
    expect(server.requests).toEqual([`GET ${asked}`])
    expect(known(registry).cardUrl).toBe(server.origin + asked)
  })

  test('may be the list itself', async () => {
    const { registry } = registryOf([{ card: cardOf('https://travel.example') }])
    await registry.refresh()
    expect(known(registry)).toMatchObject({ id: 'travel', guard: { only: ['https://travel.example'] } })
    expect(known(registry).cardUrl).toBeUndefined()
  })
})

describe('a card that cannot be had', () => {
  test('because its address is not public says so, and how to allow it', async () => {
    const server = await cardServer()
    const { registry } = registryOf([
      { id: 'one', url: server.cardUrl },
      { id: 'two', url: 'https://127.0.0.1:4747/' },
    ])
    const [one, two] = await registry.refresh()
    for (const status of [one, two]) {
      expect(status?.failure).toMatchObject({ code: 'ADDRESS_REFUSED' })
      expect(status?.failure?.message).toContain("The peer's allowOrigins is the place for it.")
    }
    expect(server.connections()).toBe(0)
  })

  test('because nothing may be fetched from its address does not say how to allow it', async () => {
    const { registry } = registryOf([
      { id: 'one', url: 'https://169.254.169.254/', allowOrigins: ['https://169.254.169.254'] },
    ])
    const { failure } = await registry.refresh('one')
    expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED', details: { reason: 'reserved' } })
    expect(failure?.message).not.toContain('allowOrigins')
  })

  test('because it is somewhere else is not fetched there, unless that origin is allowed', async () => {
    const target = await cardServer()
    const moved = await loopbackServer((_, response) => response.writeHead(301, { location: target.cardUrl }).end())
    const url = `${moved.origin}/card.json`
    const strict = registryOf([{ id: 'travel', url, allowOrigins: [moved.origin] }]).registry
    expect((await strict.refresh('travel')).failure).toMatchObject({ details: { reason: 'other-origin' } })
    expect(target.connections()).toBe(0)
    const lenient = registryOf([{ id: 'travel', url, allowOrigins: [moved.origin, target.origin] }]).registry
    expect((await lenient.refresh('travel')).failure).toBeUndefined()
  })

  test.each([
    ['too large', { name: 'x'.repeat(300_000) }, {}, { code: 'TOO_LARGE' }],
    ['not JSON by its type', {}, { 'content-type': 'text/html' }, { code: 'CARD_REFUSED', reason: 'media-type' }],
    ['not JSON', '<html>', {}, { code: 'CARD_REFUSED', reason: 'invalid' }],
    ['no card', { hello: 'world' }, {}, { code: 'CARD_REFUSED', reason: 'invalid' }],
  ])('because it is %s', async (_, body, headers, expected) => {
    const server = await cardServer()
    server.answer.body = body
    server.answer.headers = headers
    const { registry } = registryOf([{ ...server.listing, id: 'travel' }])
    const { failure } = await registry.refresh('travel')
    expect({ code: failure?.code, reason: failure?.details.reason }).toMatchObject(expected)
  })

  test.each([
    ['its schema', { schemaVersion: '2.0' }, 'schemaVersion is 2.0, but only 1.x can be read here'],
    ['the extension', { extensions: { beach: { version: '2.0' } } }, 'extensions.beach.version is 2.0'],
  ])('because %s has another major version; a minor one is no matter', async (_, others, reason) => {
    const server = await cardServer()
    const text = JSON.stringify(cardOf(server.origin, others))
    server.answer.body = text
    const { registry } = registryOf([{ ...server.listing, id: 'travel' }])
    const { failure } = await registry.refresh('travel')
    expect(failure).toMatchObject({ code: 'CARD_REFUSED', details: { reason: 'invalid' } })
    expect(failure?.message).toContain(reason)
    server.answer.body = text.replace('2.0', '1.7')
    expect((await registry.refresh('travel')).failure).toBeUndefined()
  })

  test('because the registry is closed, whose ever fetch it uses', async () => {
    for (const options of [{}, { fetch: guarded() }]) {
      const server = await cardServer()
      server.answer.until = new Promise(() => {})
      const { registry } = registryOf([{ ...server.listing, id: 'travel' }], options)
      const refreshed = registry.refresh('travel')
      await server.nextRequest()
      await registry.close()
      expect((await refreshed).failure).toMatchObject({ code: 'UNREACHABLE' })
    }
  })
})

describe('whose id it is', () => {
  test('a card that says another one than its listing is refused', async () => {
    const server = await cardServer()
    const { registry } = registryOf([{ ...server.listing, id: 'organiser' }])
    const { failure } = await registry.refresh('organiser')
    expect(failure).toMatchObject({ code: 'CARD_REFUSED', details: { reason: 'other-id' } })
    expect(failure?.message).toBe(
      "The card of 'organiser' cannot be used. It says that it is 'travel'. Check its address, or list the peer by that id.",
    )
    expect(registry.ids()).toEqual([])
  })

  test('an id of the list belongs to its listing, whichever peer claims it first', async () => {
    const impostor = await cardServer()
    const travel = await cardServer()
    travel.answer.status = 500
    const { registry } = registryOf([impostor.listing, { ...travel.listing, id: 'travel' }])
    const [first] = await registry.refresh()
    expect(first?.failure).toMatchObject({ details: { reason: 'id-taken' } })
    expect(registry.byId('travel')).toBeUndefined()
  })

  test('of two that say the same one, the first in the list has it, however slow it is', async () => {
    const slow = await cardServer({ name: 'The first' })
    const fast = await cardServer({ name: 'The second' })
    const gate = Promise.withResolvers<void>()
    slow.answer.until = gate.promise
    const { registry } = registryOf([slow.listing, fast.listing])
    const refreshed = registry.refresh()
    await fast.nextRequest()
    gate.resolve()
    const [first, second] = await refreshed
    expect(first?.peer?.card.name).toBe('The first')
    expect(second?.failure).toMatchObject({ details: { reason: 'id-taken' } })
    expect(known(registry).card.name).toBe('The first')
  })

  test('who has an id keeps it: a card that changes its id does not take over another, nor its own', async () => {
    const travel = await cardServer()
    const other = await cardServer({ id: 'other' })
    const { registry } = registryOf([travel.listing, other.listing])
    await registry.refresh()
    other.answer.body = cardOf(other.origin, { id: 'travel', name: 'Impostor' })
    expect((await registry.refresh('other', { force: true })).failure).toMatchObject({
      details: { reason: 'other-id' },
    })
    expect(known(registry).card.name).toBe('Travel')
    expect(known(registry, 'other').card.id).toBe('other')
  })

  test('a card that says none needs one in the list', async () => {
    const server = await cardServer()
    const { id: _, ...plain } = cardOf(server.origin)
    const card = agentCardToJson(buildAgentCard({ ...plain, id: 'x' }))
    server.answer.body = { ...card, capabilities: {} }
    const { registry } = registryOf([server.listing])
    expect((await registry.refresh())[0]?.failure).toMatchObject({ details: { reason: 'no-id' } })
    const named = registryOf([{ ...server.listing, id: 'my-travel' }]).registry
    await named.refresh()
    expect(known(named, 'my-travel').card.id).toBeUndefined()
  })
})

describe('the schemas of a capability', () => {
  const capability = (schema: Record<string, unknown>) => ({
    capabilities: [{ id: 'search', description: 'Searches.', inputSchema: schema }],
  })

  async function schemaServer(answer: unknown, type = 'application/schema+json') {
    const schemas = await loopbackServer((_, response) =>
      response.setHeader('content-type', type).end(typeof answer === 'string' ? answer : JSON.stringify(answer)),
    )
    const server = await cardServer(capability({ $ref: `${schemas.origin}/input.json` }))
    return { schemas, server }
  }

  test('are not fetched by a refresh', async () => {
    const { schemas, server } = await schemaServer({ type: 'object' })
    const { registry } = registryOf([{ ...server.listing, allowOrigins: [server.origin, schemas.origin] }])
    await registry.refresh()
    expect(schemas.connections()).toBe(0)
    expect(known(registry).card.capabilities[0]?.inputSchema).toEqual({ $ref: `${schemas.origin}/input.json` })
  })

  test('are fetched once for all requests', async () => {
    const { schemas, server } = await schemaServer({ type: 'object', properties: { a: { $ref: '#/$defs/a' } } })
    const { registry } = registryOf([{ ...server.listing, allowOrigins: [server.origin, schemas.origin] }])
    await registry.refresh()
    const both = [
      registry.resolveSchema('travel', 'search', 'input'),
      registry.resolveSchema('travel', 'search', 'input'),
    ]
    expect((await Promise.all(both)).map((schema) => schema?.type)).toEqual(['object', 'object'])
    expect(schemas.requests).toHaveLength(1)
    expect(await registry.resolveSchema('travel', 'search', 'output')).toBeUndefined()
    expect(await registry.resolveSchema('travel', 'unknown', 'input')).toBeUndefined()
    await expect(registry.resolveSchema('nobody', 'search', 'input')).rejects.toMatchObject({ code: 'UNKNOWN_PEER' })
  })

  test('that lie on an origin that is not allowed are not fetched', async () => {
    const { schemas, server } = await schemaServer({ type: 'object' })
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    await expect(registry.resolveSchema('travel', 'search', 'input')).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
      details: { reason: 'other-origin' },
    })
    expect(schemas.connections()).toBe(0)
  })

  test.each([
    ['refer to other documents', { properties: { a: { $ref: 'http://internal/a.json' } } }, 'other documents'],
    ['are deep', JSON.stringify({}).replace('{}', '{"a":'.repeat(200) + '1' + '}'.repeat(200)), 'levels deep'],
    ['are lists', [], 'not a JSON object'],
    ['are no JSON', 'nope', 'not JSON'],
  ])('that %s are refused', async (_, answer, message) => {
    const { schemas, server } = await schemaServer(answer)
    const { registry } = registryOf([{ ...server.listing, allowOrigins: [server.origin, schemas.origin] }])
    await registry.refresh()
    const failure = await failureOf(registry.resolveSchema('travel', 'search', 'input'))
    expect(failure).toMatchObject({ code: 'CARD_REFUSED', details: { reason: 'schema' } })
    expect(failure.message).toContain(message)
  })

  test('that are no longer wrong are fetched again', async () => {
    let answer = 'nope'
    const schemas = await loopbackServer((_, response) =>
      response.setHeader('content-type', 'application/json').end(answer),
    )
    const server = await cardServer(capability({ $ref: `${schemas.origin}/input.json` }))
    const { registry } = registryOf([{ ...server.listing, allowOrigins: [server.origin, schemas.origin] }])
    await registry.refresh()
    await failureOf(registry.resolveSchema('travel', 'search', 'input'))
    answer = '{"type":"object"}'
    expect(await registry.resolveSchema('travel', 'search', 'input')).toEqual({ type: 'object' })
  })

  test('that stand in the card are given as they are, unless they refer elsewhere', async () => {
    const server = await cardServer({
      capabilities: [
        {
          id: 'search',
          description: 'Searches.',
          inputSchema: { type: 'string' },
          outputSchema: { anyOf: [{ $ref: 'https://elsewhere.example/x.json' }] },
        },
      ],
    })
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    expect(await registry.resolveSchema('travel', 'search', 'input')).toEqual({ type: 'string' })
    await expect(registry.resolveSchema('travel', 'search', 'output')).rejects.toMatchObject({ code: 'CARD_REFUSED' })
  })

  test('may be named relative to the card', async () => {
    const server = await cardServer(capability({ $ref: '../schemas/input.json' }))
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    server.answer.body = { type: 'object' }
    expect(await registry.resolveSchema('travel', 'search', 'input')).toEqual({ type: 'object' })
    expect(server.requests[1]).toBe('GET /schemas/input.json')
  })
})
