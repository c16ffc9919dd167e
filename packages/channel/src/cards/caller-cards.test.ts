import { generateKeyPairSync } from 'node:crypto'
import { simulatedRuntime, type Logger } from '@cool-ai/beach-core'
import {
  a2uiExtensions,
  agentCardToJson,
  buildAgentCard,
  readAgentCard,
  signAgentCard,
  type AgentCardInput,
} from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, onTestFinished, test } from 'vitest'
import { guardedFetch } from '../guarded-fetch/guarded-fetch.ts'
import { loopbackServer } from '../guarded-fetch/loopback-server.test-helper.ts'
import { CallerCards, type CallerCardsOptions } from './caller-cards.ts'

const input: AgentCardInput = {
  schemaVersion: '1.0',
  id: 'baxter',
  name: 'Baxter',
  description: 'Asks others.',
  version: '1.0.0',
  capabilities: [],
  transports: [{ protocol: 'a2a', version: '1.0', endpoint: 'https://baxter.example/a2a' }],
  envelope: { parts: [], consumes: ['llm-context', 'ta.board'] },
}

const cardOf = (consumes: string[]) => agentCardToJson(buildAgentCard({ ...input, envelope: { parts: [], consumes } }))
const wellKnown = '/.well-known/agent-card.json'
const guest = { network: '203.0.113.7' }

/** A server of cards, and what reads them, on a clock that stands still. */
async function reading(options: Partial<CallerCardsOptions> = {}) {
  const answer = {
    body: cardOf(['llm-context']) as unknown,
    headers: {} as Record<string, string>,
    keys: undefined as unknown,
    status: 200,
    until: undefined as Promise<void> | undefined,
  }
  const server = await loopbackServer((request, response) => {
    const isKeys = request.url === '/.well-known/jwks.json'
    const { etag } = answer.headers
    const isKnown = !isKeys && etag !== undefined && request.headers['if-none-match'] === etag
    const status = isKeys && answer.keys === undefined ? 404 : isKnown ? 304 : answer.status
    void (answer.until ?? Promise.resolve()).then(() => {
      response.writeHead(status, { 'content-type': 'application/json', ...answer.headers })
      response.end(isKnown ? undefined : JSON.stringify(isKeys ? answer.keys : answer.body))
    })
  })
  const logged: string[] = []
  const logger: Logger = { log: (level, message) => logged.push(`${level}: ${message}`) }
  const runtime = simulatedRuntime({ logger })
  const fetch = guardedFetch({ clock: runtime.clock })
  onTestFinished(() => fetch.close())
  const { signal } = new AbortController()
  const cards = new CallerCards({ fetch, runtime, allowOrigins: [server.origin], signal, ...options })
  return { server, answer, cards, url: `${server.origin}${wellKnown}`, clock: runtime.clock, logged }
}

describe('a card that a caller names', () => {
  test('says what the caller consumes, and is asked for once an hour', async () => {
    const { server, answer, cards, url, clock } = await reading()
    answer.headers = { etag: '"1"' }
    expect(await cards.of(url, guest)).toEqual({ consumes: ['llm-context'] })
    expect(await cards.of(url, guest)).toEqual({ consumes: ['llm-context'] })
    expect(server.requests).toEqual([`GET ${wellKnown}`])
    await clock.advance(3_600_000)
    expect(await cards.of(url, guest)).toEqual({ consumes: ['llm-context'] })
    expect(server.received.at(-1)?.headers['if-none-match']).toBe('"1"')
    answer.headers = { etag: '"2"' }
    answer.body = cardOf(['domain-data'])
    await clock.advance(3_600_000)
    expect(await cards.of(url, guest)).toEqual({ consumes: ['domain-data'] })
  })

  test('is not asked for with every message, even where its publisher wants that', async () => {
    const { server, answer, cards, url, clock } = await reading()
    answer.headers = { 'cache-control': 'no-store' }
    for (let count = 0; count < 10; count++) expect(await cards.of(url, guest)).toBeDefined()
    expect(server.requests).toHaveLength(1)
    await clock.advance(60_000)
    await cards.of(url, guest)
    expect(server.requests).toHaveLength(2)
  })

  test('is asked for once for all who wait for it', async () => {
    const { server, cards, url } = await reading()
    const all = await Promise.all(Array.from({ length: 20 }, () => cards.of(url, guest)))
    expect(new Set(all.map((card) => card?.consumes.join()))).toEqual(new Set(['llm-context']))
    expect(server.requests).toHaveLength(1)
  })

  test('of an agent that does not speak Beach consumes nothing', async () => {
    const { answer, cards, url } = await reading()
    const { capabilities: _, ...plain } = cardOf(['llm-context'])
    answer.body = { ...plain, capabilities: { streaming: true } }
    expect(await cards.of(url, guest)).toEqual({ consumes: [] })
  })

  test('says which catalogs the caller knows, and in which language it wants to be told', async () => {
    const { answer, cards, url } = await reading()
    const envelope = { consumes: [], a2uiCatalog: 'https://a.example/catalog.json', llmContextLanguage: 'de' }
    const extensions = a2uiExtensions(['https://a.example/catalog.json', 'https://b.example/catalog.json'])
    answer.body = agentCardToJson(buildAgentCard({ ...input, envelope }, { a2a: { extensions } }))
    expect(await cards.of(url, guest)).toEqual({
      consumes: [],
      catalogs: ['https://a.example/catalog.json', 'https://b.example/catalog.json'],
      llmContextLanguage: 'de',
    })
  })

  test.each([
    ['de-at', 'de-AT'],
    ['de-ignore-what-was-said', undefined],
    [`en-x-${'abcdefgh-'.repeat(20)}a`, undefined],
  ])('names a language that there can be, or none: %s', async (llmContextLanguage, expected) => {
    const { answer, cards, url } = await reading()
    answer.body = agentCardToJson(buildAgentCard({ ...input, envelope: { consumes: [], llmContextLanguage } }))
    expect((await cards.of(url, guest))?.llmContextLanguage).toBe(expected)
  })

  test('that is slow is not waited for; it counts once it is there', async () => {
    const { answer, cards, url, clock, server } = await reading()
    const { promise, resolve } = Promise.withResolvers<void>()
    answer.until = promise
    const asked = server.nextRequest()
    const first = cards.of(url, guest)
    await asked
    await clock.advance(2_000)
    expect(await first).toBeUndefined()
    resolve()
    expect(await cards.of(url, guest)).toEqual({ consumes: ['llm-context'] })
    expect(server.requests).toHaveLength(1)
  })

  test('that cannot be had is not asked for again at once; the last one counts for a day', async () => {
    const { answer, cards, url, clock, server, logged } = await reading()
    answer.status = 500
    expect(await cards.of(url, guest)).toBeUndefined()
    answer.status = 200
    expect(await cards.of(url, guest)).toBeUndefined()
    expect(server.requests).toHaveLength(1)
    expect(logged).toEqual(["warn: a caller's card cannot be used"])
    await clock.advance(60_000)
    expect(await cards.of(url, guest)).toBeDefined()
    answer.status = 500
    await clock.advance(24 * 3_600_000)
    expect(await cards.of(url, guest)).toBeDefined()
    await clock.advance(2 * 3_600_000)
    expect(await cards.of(url, guest)).toBeUndefined()
  })

  test('that is no longer right is forgotten', async () => {
    const { answer, cards, url, clock } = await reading()
    expect(await cards.of(url, guest)).toBeDefined()
    answer.body = { name: 'Baxter' }
    await clock.advance(3_600_000)
    expect(await cards.of(url, guest)).toBeUndefined()
  })
})

describe('an address that a caller names', () => {
  test.each([
    (origin: string) => `${origin}/admin/delete`,
    (origin: string) => `${origin}${wellKnown}?to=me`,
    (origin: string) => `${origin}/x#${wellKnown}`,
    () => 'nowhere',
    () => 'file:///.well-known/agent-card.json',
    () => 'https://name:word@baxter.example/.well-known/agent-card.json',
  ])('leads nowhere but to a card: %s', async (address) => {
    const { server, cards } = await reading()
    expect(await cards.of(address(server.origin), guest)).toBeUndefined()
    expect(server.requests).toEqual([])
  })

  test.each(['http://169.254.169.254', 'https://127.0.0.1', 'https://[::1]', 'https://10.0.0.1'])(
    'is not asked for in our own network: %s',
    async (origin) => {
      const { cards, logged } = await reading()
      expect(await cards.of(`${origin}${wellKnown}`, guest)).toBeUndefined()
      expect(logged).toHaveLength(1)
    },
  )

  test('on this machine needs its origin in the configuration', async () => {
    const { server, cards, url } = await reading({ allowOrigins: [] })
    expect(await cards.of(url, guest)).toBeUndefined()
    expect(server.requests).toEqual([])
  })

  test('is not followed to another origin', async () => {
    const elsewhere = await reading()
    const { answer, cards, url } = await reading()
    answer.status = 302
    answer.headers = { location: elsewhere.url }
    expect(await cards.of(url, guest)).toBeUndefined()
    expect(elsewhere.server.requests).toEqual([])
  })

  test('costs all guests of one network few requests together, whatever tokens they have', async () => {
    const { server, cards } = await reading()
    for (let index = 0; index < 20; index++) {
      const principal = { kind: 'anonymous', id: `anon_${index}`, tenant: 'default' } as const
      await cards.of(`${server.origin}/${index}${wellKnown}`, { principal, network: guest.network })
    }
    expect(server.requests).toHaveLength(5)
  })

  test('costs few requests for each caller, and leaves the others theirs', async () => {
    const { server, cards } = await reading()
    const nth = (index: number) => `${server.origin}/${index}${wellKnown}`
    for (let index = 0; index < 20; index++) await cards.of(nth(index), guest)
    expect(server.requests).toHaveLength(5)
    expect(await cards.of(nth(30), { network: '198.51.100.1' })).toBeDefined()
    const principal = { kind: 'user', id: 'baxter', tenant: 'default' } as const
    expect(await cards.of(nth(31), { principal, network: guest.network })).toBeDefined()
  })
})

describe('a card that is signed', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'ES256' }
  const signed = async () =>
    agentCardToJson(await signAgentCard(buildAgentCard(input), { key: pair.privateKey, kid: 'key-1' }))

  test('is verified with the keys that its agent publishes', async () => {
    const { answer, cards, url, server } = await reading()
    answer.keys = { keys: [jwk] }
    answer.body = await signed()
    expect(await cards.of(url, guest)).toEqual({ consumes: ['llm-context', 'ta.board'] })
    expect(server.requests).toEqual([`GET ${wellKnown}`, 'GET /.well-known/jwks.json'])
  })

  test('is not believed when the signature does not fit', async () => {
    const { answer, cards, url } = await reading()
    answer.keys = { keys: [jwk] }
    answer.body = { ...(await signed()), name: 'Changed' }
    expect(await cards.of(url, guest)).toBeUndefined()
  })

  test('counts as one without a signature when its keys are not published', async () => {
    const { answer, cards, url } = await reading()
    answer.body = await signed()
    expect(await cards.of(url, guest)).toBeDefined()
  })
})

describe('a card of a listed peer', () => {
  test('is the one that the list has, by the trust that it has there', async () => {
    const known = readAgentCard(cardOf(['ta.board']))
    const { cards, url, server } = await reading({ listed: () => Promise.resolve(known) })
    expect(await cards.of(url, guest)).toEqual({ consumes: ['ta.board'] })
    const refused = await reading({ listed: () => Promise.reject(new Error('It is not signed.')) })
    expect(await refused.cards.of(refused.url, guest)).toBeUndefined()
    expect([...server.requests, ...refused.server.requests]).toEqual([])
  })
})
