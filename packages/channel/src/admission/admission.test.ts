import { Duplex } from 'node:stream'
import { SimulatedClock, type Principal } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { noteRequest } from '../http/request-source.ts'
import { Admission } from './admission.ts'
import type { CallerLimits } from './limits.ts'

const guest = (id: string) => ({ kind: 'anonymous', id, tenant: 't' }) as const
const user = (id: string, tenant = 't') => ({ kind: 'user', id, tenant }) as const
const dayMs = 24 * 60 * 60 * 1_000

function open(limits: CallerLimits, known?: Principal) {
  const clock = new SimulatedClock()
  const authenticate = async () => known && { principal: known, credential: { type: 'test' } }
  return { clock, admission: new Admission({ clock, limits, authenticate }) }
}

/** How many of so many are let through. */
function passed(count: number, run: () => unknown): number {
  let passing = 0
  for (let n = 0; n < count; n++) {
    try {
      run()
      passing++
    } catch (error) {
      expect(error).toMatchObject({ code: 'TOO_MANY', details: { retryAfter: expect.any(Number) } })
    }
  }
  return passing
}

const from = (address: string, path = '/x') => {
  const request = new Request(`http://127.0.0.1${path}`)
  noteRequest(request, { remoteAddress: () => address })
  return request
}

describe('conversations', () => {
  const limits = { network: { sessions: { perMinute: 6 } }, principal: { sessions: { perMinute: 10 } } }

  test('of guests count by network, with a token or without, and of a caller with a credential by themselves', async () => {
    const { admission, clock } = open(limits)
    const at = { network: '192.0.2.1' }
    expect(passed(4, () => admission.begin(undefined, at))).toBe(4)
    expect(passed(4, () => admission.begin(guest('a'), at))).toBe(2)
    expect(passed(4, () => admission.begin(guest('b'), { network: '192.0.2.2' }))).toBe(4)
    expect(passed(20, () => admission.begin(user('ann'), at))).toBe(10)
    expect(() => admission.begin(undefined, at)).toThrow(
      expect.objectContaining({ details: { retryAfter: 10, limit: 'network.sessions' } }),
    )
    await clock.advance(10_000)
    expect(passed(4, () => admission.begin(undefined, at))).toBe(1)
  })

  test.each([
    ['addresses of a /24', (n: number) => `192.0.2.${n}`, '192.0.3.1'],
    ['networks of a /48', (n: number) => `2001:db8:1:${n}`, '2001:db8:2:1'],
  ])('all %s together may begin as much as five', (_, network, elsewhere) => {
    const { admission } = open(limits)
    let sum = 0
    for (let n = 1; n < 100; n++) sum += passed(10, () => admission.begin(undefined, { network: network(n) }))
    expect(sum).toBe(30)
    expect(passed(10, () => admission.begin(undefined, { network: elsewhere }))).toBe(6)
  })

  test('of guests of whom it is not known where they come from count together', () => {
    const { admission } = open(limits)
    expect(passed(10, () => admission.begin(undefined)) + passed(10, () => admission.opening(guest('a'))())).toBe(6)
  })

  test('count once for each session that is opened, however often that is tried', () => {
    const { admission } = open(limits)
    const opening = admission.opening(user('ann'))
    for (let n = 0; n < 20; n++) opening()
    expect(passed(20, () => admission.begin(user('ann')))).toBe(9)
  })
})

describe('requests', () => {
  const limits = { network: { requests: { perMinute: 3 } } }
  const enter = async (admission: Admission, request: Request) =>
    (async () => admission.enter(request, new URL(request.url).pathname, () => 'answered'))().catch(
      (error: { code: string }) => error.code,
    )

  test('of guests of one network are answered as long as there are not too many, and probes always', async () => {
    const { admission } = open(limits)
    const answers = []
    for (let n = 0; n < 5; n++) answers.push(await enter(admission, from('192.0.2.1')))
    expect(answers).toEqual(['answered', 'answered', 'answered', 'TOO_MANY', 'TOO_MANY'])
    expect(await enter(admission, from('192.0.2.1', '/healthz'))).toBe('answered')
    expect(await enter(admission, from('198.51.100.1'))).toBe('answered')
  })

  test('of callers who are known are answered, and do not count with the guests of their network', async () => {
    const { admission } = open(limits)
    const asAnn = () => admission.enter(from('192.0.2.1'), '/x', () => admission.identified(user('ann')))
    for (let n = 0; n < 10; n++) await asAnn()
    const answers = []
    for (let n = 0; n < 4; n++) answers.push(await enter(admission, from('192.0.2.1')))
    expect(answers).toEqual(['answered', 'answered', 'answered', 'TOO_MANY'])
  })

  test('when there are too many, callers who can prove who they are get in', async () => {
    const { admission } = open(limits, user('ann'))
    const answers = []
    for (let n = 0; n < 6; n++) answers.push(await enter(admission, from('192.0.2.1')))
    expect(new Set(answers)).toEqual(new Set(['answered']))
  })
})

describe('messages', () => {
  test('count for their principal, and those of guests for the network that the request has come from', async () => {
    const { admission } = open({ network: { messages: { perMinute: 5 } }, principal: { messages: { perMinute: 3 } } })
    const send = (by: Principal, count: number) =>
      admission.enter(from('192.0.2.1'), '/x', () => passed(count, () => admission.message(by, () => 1)))
    expect(await send(guest('a'), 5)).toBe(3)
    expect(await send(guest('b'), 5)).toBe(2)
    // What was refused for the network has not counted for the principal.
    expect(passed(5, () => admission.message(guest('b'), () => 1))).toBe(1)
    expect(await send(user('ann'), 5)).toBe(3)
  })

  test('by a connection count for the network that it was upgraded from', async () => {
    const { admission } = open({ network: { messages: { perMinute: 2 } } })
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    let passing = 0
    const got = Promise.withResolvers<void>()
    await admission.enterSocket(from('192.0.2.1'), '/ws', socket, () => {
      socket.on('data', () => {
        passing = passed(5, () => admission.message(guest('a'), () => 1))
        got.resolve()
      })
      return true
    })
    // Node tells of what has arrived outside of the request that opened the connection.
    setImmediate(() => socket.push('x'))
    await got.promise
    expect(passing).toBe(2)
  })

  test('count with their bytes', () => {
    const { admission } = open({ principal: { bytes: { perDay: 100 } } })
    expect(passed(10, () => admission.message(user('ann'), () => 30))).toBe(3)
  })
})

describe('what turns use', () => {
  const limits = {
    tenant: { tokens: { perDay: 1_000 } },
    tenants: { acme: { tokens: { perDay: 5_000 } }, free: { cost: { perDay: 1 } } },
  }

  test('is counted for the tenant, until midnight, and then nothing more is taken', async () => {
    const { admission, clock } = open(limits)
    expect(admission.limitsUsage).toBe(true)
    expect(admission.spent(user('ann'))).toBeUndefined()
    admission.used(user('ann'), { tokens: 1_500 })
    expect(admission.spent(user('ben'))).toMatch(
      /tokens of models that may be used are used up for today, for all users together\. Ask again after 00:00 UTC, in \d+ /,
    )
    expect(passed(1, () => admission.message(user('ben'), () => 1))).toBe(0)
    await clock.advance(dayMs - (clock.now() % dayMs))
    expect(admission.spent(user('ben'))).toBeUndefined()
    expect(passed(1, () => admission.message(user('ben'), () => 1))).toBe(1)
  })

  test('is held against the quota of a tenant with one of its own, and what that leaves out against that of all', () => {
    const { admission } = open(limits)
    const [acme, free] = [user('ann', 'acme'), user('ben', 'free')]
    admission.used(acme, { tokens: 4_000 })
    expect(admission.spent(acme)).toBeUndefined()
    admission.used(acme, { tokens: 1_000 })
    expect(admission.spent(acme)).toMatch(/tokens/)
    admission.used(free, { tokens: 999, cost: 1 })
    expect(admission.spent(free)).toMatch(/money/)
    expect(admission.spent(user('ann'))).toBeUndefined()
  })
})

test.each([
  { principal: { messages: { perMinute: 0 } } },
  { network: { streams: -1 } },
  { tenants: { acme: { cost: { perDay: Number.NaN } } } },
  { tenant: { tokens: 'many' } },
])('a limit that is none is refused: %o', (limits) => {
  expect(() => open(limits as CallerLimits)).toThrow(/is a number above 0/)
})

test('Infinity takes a limit away', () => {
  const { admission } = open({ network: { sessions: { perMinute: Infinity } } })
  expect(passed(1_000, () => admission.begin(undefined))).toBe(1_000)
})
