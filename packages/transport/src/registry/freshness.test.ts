import { agentCardToJson, buildAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { cachePolicy } from '@cool-ai/beach-channel/cards'
import { cardOf, cardServer, known, registryOf } from './card-server.test-helper.ts'

const hour = 3_600_000

describe('how long a card is fresh', () => {
  const defaults = { defaultMaxAgeMs: hour, maxAgeMs: 24 * hour }
  const now = Date.UTC(2026, 0, 1)
  const at = (ms: number) => new Date(now + ms).toUTCString()

  test.each<[string, Record<string, string>, number | undefined]>([
    ['nothing is said', {}, undefined],
    ['max-age', { 'cache-control': 'public, max-age=600' }, 600_000],
    ['max-age in capitals and quotes', { 'cache-control': 'Max-Age="600"' }, 600_000],
    ['max-age of a copy that is some minutes old', { 'cache-control': 'max-age=600', age: '120' }, 480_000],
    ['max-age of a copy that is older than that', { 'cache-control': 'max-age=600', age: '6000' }, 0],
    ['max-age of a year', { 'cache-control': 'max-age=31536000' }, 24 * hour],
    ['max-age that is none', { 'cache-control': 'max-age=soon' }, 0],
    ['max-age below 0', { 'cache-control': 'max-age=-1' }, 0],
    ['max-age before expires', { 'cache-control': 'max-age=600', expires: at(60_000) }, 600_000],
    ['expires', { expires: at(60_000) }, 60_000],
    ['expires by the sender’s clock', { expires: at(60_000), date: at(-60_000) }, 120_000],
    ['expires that is none', { expires: '0' }, 0],
    ['no-cache', { 'cache-control': 'no-cache, max-age=600' }, 0],
    ['no-store', { 'cache-control': 'no-store' }, 0],
    ['something else', { 'cache-control': 'public' }, hour],
  ])('%s', (_, headers, maxAgeMs) => {
    expect(cachePolicy(new Headers(headers), now, defaults)?.maxAgeMs).toBe(maxAgeMs)
  })

  test.each([
    ['max-age=600', true, true],
    ['max-age=600, must-revalidate', false, true],
    ['no-cache', true, true],
    ['no-store', false, false],
  ])('%s, and what may be done with it afterwards', (control, mayBeStale, mayBeKept) => {
    expect(cachePolicy(new Headers({ 'cache-control': control }), now, defaults)).toMatchObject({
      mayBeStale,
      mayBeKept,
    })
  })
})

describe('a card that is fresh', () => {
  test('is not asked for, for an hour unless its publisher says otherwise', async () => {
    const server = await cardServer()
    const { registry, clock } = registryOf([server.listing])
    await registry.refresh()
    await clock.advance(hour - 1)
    await registry.refresh()
    expect(server.requests).toHaveLength(1)
    expect(known(registry).staleSince).toBeUndefined()
    await clock.advance(1)
    expect(known(registry).staleSince).toBe(clock.now())
    await registry.refresh()
    expect(server.requests).toHaveLength(2)
    expect(known(registry)).toMatchObject({ checkedAt: clock.now() })
    expect(known(registry).staleSince).toBeUndefined()
  })

  test('is asked for when that is wanted', async () => {
    const server = await cardServer()
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    await registry.refresh('travel', { force: true })
    await registry.refresh({ force: true })
    expect(server.requests).toHaveLength(3)
  })

  test('is asked for every time when its publisher wants that', async () => {
    const server = await cardServer()
    server.answer.headers = { 'cache-control': 'no-cache', etag: '"a"' }
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    await registry.refresh()
    expect(server.received.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"'])
  })
})

describe('a card with a tag', () => {
  test('that has not changed is not sent again, and is fresh again', async () => {
    const server = await cardServer()
    server.answer.headers = { etag: '"a"', 'cache-control': 'max-age=60' }
    const { registry, clock } = registryOf([server.listing])
    await registry.refresh()
    const { card } = known(registry)
    await clock.advance(60_000)
    server.answer.headers = { etag: '"a"', 'cache-control': 'max-age=600' }
    expect((await registry.refresh('travel')).failure).toBeUndefined()
    expect(known(registry).card).toBe(card)
    await clock.advance(599_999)
    expect(known(registry).staleSince).toBeUndefined()
    await clock.advance(1)
    expect(known(registry).staleSince).toBe(clock.now())
  })

  test('keeps its time when the answer says none', async () => {
    const server = await cardServer()
    server.answer.headers = { etag: '"a"', 'cache-control': 'max-age=60' }
    const { registry, clock } = registryOf([server.listing])
    await registry.refresh()
    server.answer.headers = { etag: '"a"' }
    await registry.refresh({ force: true })
    await clock.advance(60_000)
    expect(known(registry).staleSince).toBe(clock.now())
  })

  test('is asked for by its newest tag, however often it changes', async () => {
    const server = await cardServer()
    const { registry } = registryOf([server.listing])
    for (const [tag, name] of [
      ['"a"', 'A'],
      ['W/"b"', 'B'],
      ['"a"', 'A'],
    ] as const) {
      server.answer.headers = { etag: tag }
      server.answer.body = cardOf(server.origin, { name })
      await registry.refresh({ force: true })
      expect(known(registry).card.name).toBe(name)
    }
    expect(server.received.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"', 'W/"b"'])
  })

  test('that must not be stored is asked for without it', async () => {
    const server = await cardServer()
    server.answer.headers = { etag: '"a"', 'cache-control': 'no-store' }
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    await registry.refresh()
    expect(server.received.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined])
    expect(known(registry).id).toBe('travel')
  })

  test('loses it when the next answer has none', async () => {
    const server = await cardServer()
    server.answer.headers = { etag: '"a"' }
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    server.answer.headers = {}
    await registry.refresh({ force: true })
    await registry.refresh({ force: true })
    expect(server.received.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"', undefined])
  })

  test('of 304 without a condition is an error', async () => {
    const server = await cardServer()
    server.answer.status = 304
    server.answer.body = undefined
    const { registry } = registryOf([{ ...server.listing, id: 'travel' }])
    expect((await registry.refresh('travel')).failure).toMatchObject({ code: 'UNREACHABLE', details: { status: 304 } })
  })
})

describe('a card that says when it was generated', () => {
  const generatedAt = '2026-04-20T09:50:00Z'

  test('is not read again while that, and its version, stay the same', async () => {
    const server = await cardServer({ generatedAt })
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    const { card } = known(registry)
    // It would be refused if it were read.
    server.answer.body = { ...cardOf(server.origin, { generatedAt }), transports: 'nonsense' }
    expect((await registry.refresh('travel', { force: true })).failure).toBeUndefined()
    expect(known(registry).card).toBe(card)
  })

  test.each([
    ['the time', { generatedAt: '2026-04-21T09:50:00Z' }],
    ['the version', { version: '1.0.1' }],
  ])('is read again when %s changes', async (_, change) => {
    const server = await cardServer({ generatedAt })
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    server.answer.body = cardOf(server.origin, { generatedAt, name: 'Changed', ...change })
    await registry.refresh({ force: true })
    expect(known(registry).card.name).toBe('Changed')
  })

  test('may say so in either shape', async () => {
    const server = await cardServer()
    const json = agentCardToJson(buildAgentCard(cardOf(server.origin, { generatedAt })))
    server.answer.body = json
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    server.answer.body = { ...json, name: 'Not read' }
    await registry.refresh({ force: true })
    expect(known(registry).card.name).toBe('Travel')
  })

  test('is read again in any case when it does not', async () => {
    const server = await cardServer()
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    server.answer.body = cardOf(server.origin, { name: 'Changed' })
    await registry.refresh({ force: true })
    expect(known(registry).card.name).toBe('Changed')
  })
})

describe('while a card cannot be had', () => {
  test('the last good one is used, with the time since when it is stale, for a day', async () => {
    const server = await cardServer()
    const { registry, clock } = registryOf([server.listing])
    await registry.refresh()
    await clock.advance(hour)
    const expired = clock.now()
    server.answer.status = 500
    await clock.advance(1_000)
    expect(await registry.refresh('travel')).toMatchObject({
      failure: { code: 'UNREACHABLE' },
      peer: { staleSince: expired },
    })
    await clock.advance(24 * hour - 1_001)
    expect(known(registry).staleSince).toBe(expired)
    await clock.advance(1)
    expect(registry.byId('travel')).toBeUndefined()
    expect(registry.ids()).toEqual([])
    server.answer.status = 200
    await registry.refresh()
    expect(known(registry).staleSince).toBeUndefined()
    expect(registry.list()[0]?.failure).toBeUndefined()
  })

  test('one that is refused does not replace it', async () => {
    const server = await cardServer()
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    server.answer.body = { nonsense: true }
    const { failure } = await registry.refresh('travel', { force: true })
    expect(failure).toMatchObject({ code: 'CARD_REFUSED' })
    expect(known(registry).card.name).toBe('Travel')
  })

  test.each(['must-revalidate, max-age=60', 'no-store'])(
    'it is not used when its publisher forbids it: %s',
    async (control) => {
      const server = await cardServer()
      server.answer.headers = { 'cache-control': control }
      const { registry, clock } = registryOf([server.listing])
      await registry.refresh()
      await clock.advance(60_000)
      server.answer.status = 500
      await registry.refresh()
      expect(registry.byId('travel')).toBeUndefined()
    },
  )

  test('it is not used when its peer says that it has gone', async () => {
    const server = await cardServer()
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    server.answer.status = 410
    await registry.refresh({ force: true })
    expect(registry.byId('travel')).toBeUndefined()
  })

  test('it is asked for in full when it was forgotten', async () => {
    const server = await cardServer()
    server.answer.headers = { etag: '"a"' }
    const { registry } = registryOf([server.listing])
    await registry.refresh()
    server.answer.headers = {}
    server.answer.status = 410
    await registry.refresh({ force: true })
    server.answer.status = 200
    server.answer.headers = { etag: '"a"' }
    await registry.refresh()
    expect(server.received.at(-1)?.headers['if-none-match']).toBeUndefined()
    expect(known(registry).id).toBe('travel')
  })
})
