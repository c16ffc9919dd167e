import { isBeachError, type Principal, type Store } from '@cool-ai/beach-core'
import type { Lease } from '@cool-ai/beach-core/ports'
import { callbackOriginator, cronChannel, webhookChannel, type CronJobs } from '@cool-ai/beach-hooks'
import { channelContext } from '@cool-ai/beach-testing/contracts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cronContext, runs, runsBySession, type CronContext } from './cron-context.ts'

const hour = 3_600_000
const day = 24 * hour

const iso = (...times: readonly string[]) => times.map((time) => new Date(time).toISOString())

/** What is left in the store of jobs. */
async function kept({ store }: CronContext): Promise<string[]> {
  return (await store.list('cron:')).map(({ key }) => key.replace(/^cron:default:report:[0-9a-f]{12}:/, ''))
}

describe('a job', () => {
  test('says what it has to say at each of its times, each time in a session of its own', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const { sessions, stop } = context.start({ cron: '0 8 * * *' })
    await context.advance(29 * 60_000)
    expect(await runs(sessions)).toEqual([])
    await context.advance(2 * day + hour)
    expect(await runsBySession(sessions)).toHaveLength(3)
    expect(await runs(sessions)).toEqual(iso('2026-11-15T08:00Z', '2026-11-16T08:00Z', '2026-11-17T08:00Z'))
    await stop()
  })

  test('says it in one session, where it is to be so', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const { sessions, stop } = context.start({ cron: '0 8 * * *', session: 'same' })
    await context.advance(2 * day + hour)
    expect(await runsBySession(sessions)).toEqual([iso('2026-11-15T08:00Z', '2026-11-16T08:00Z', '2026-11-17T08:00Z')])
    await stop()
  })

  test('runs in its own name, and leaves but one entry behind', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const { sessions, jobs, stop } = context.start({ cron: '0 * * * *', principal: { kind: 'user', id: 'anna' } })
    await context.advance(5 * hour)
    const anna: Principal = { kind: 'user', id: 'anna', tenant: 'default' }
    expect((await sessions.list({}, anna)).items).toHaveLength(5)
    expect(await kept(context)).toEqual([`done:${String(Date.parse('2026-11-15T12:00Z')).padStart(15, '0')}`, 'since'])
    expect(await jobs()).toMatchObject([{ job: 'report', next: Date.parse('2026-11-15T13:00Z'), skipped: 0 }])
    await stop()
  })

  test('begins anew with a new pattern: nothing was missed by it', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const first = context.start({ cron: '0 8 * * *' })
    await context.advance(hour)
    await first.stop()
    await context.advance(3 * hour)
    const second = context.start({ cron: '0 * * * *' })
    await context.advance(hour)
    expect(await runs(second.sessions)).toEqual(iso('2026-11-15T08:00Z', '2026-11-15T12:00Z'))
    expect(
      (await context.store.list('cron:'))
        .map(({ key }) => key.split(':')[3])
        .filter((key, at, all) => all.indexOf(key) === at),
    ).toHaveLength(1)
    await second.stop()
  })

  test('ends with its signal', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const { sessions, stop } = context.start({ cron: '0 * * * *' })
    await context.advance(hour)
    await stop()
    await context.advance(3 * hour)
    expect(await runs(sessions)).toEqual(iso('2026-11-15T08:00Z'))
    expect(context.runtime.clock.simulated.next()).toBeUndefined()
  })
})

describe('a change of clocks', () => {
  test.each([
    ['30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
  ])('runs %s from %s once a day', async (cron, begin, expected) => {
    const context = cronContext(begin)
    const { sessions, stop } = context.start({ cron, timezone: 'Europe/Berlin' })
    await context.advance(1.6 * day)
    expect(await runs(sessions)).toEqual(iso(...expected))
    await stop()
  })
})

describe('a clock that is set', () => {
  test('back by an hour runs nothing twice', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const { sessions, stop } = context.start({ cron: '0,30 * * * *' })
    await context.advance(40 * 60_000)
    context.runtime.clock.jump(-hour)
    await context.advance(2 * hour)
    expect(await runs(sessions)).toEqual(iso('2026-11-15T08:00Z', '2026-11-15T08:30Z', '2026-11-15T09:00Z'))
    await stop()
  })

  test('forward runs what the policy says, soon', async () => {
    for (const [missed, expected] of [
      ['skip', []],
      ['last', ['2026-11-15T10:00Z']],
      ['all', ['2026-11-15T08:00Z', '2026-11-15T09:00Z', '2026-11-15T10:00Z']],
    ] as const) {
      const context = cronContext('2026-11-15T07:30Z')
      const { sessions, stop } = context.start({ cron: '0 * * * *', missed })
      await context.advance(10_000)
      context.runtime.clock.jump(3 * hour)
      await context.advance(5 * 60_000)
      expect(await runs(sessions)).toEqual(iso(...expected))
      await stop()
    }
  })

  test('far ahead by mistake, and back again, does not stop the job', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const { sessions, stop } = context.start({ cron: '0 8 * * *' })
    await context.advance(10_000)
    context.runtime.clock.jump(365 * day)
    await context.advance(60_000)
    context.runtime.clock.jump(-365 * day)
    await context.advance(2 * day)
    expect(await runs(sessions)).toEqual(iso('2026-11-15T08:00Z', '2026-11-16T08:00Z', '2027-11-14T08:00Z'))
    await stop()
  })
})

describe('ticks that were missed while no process ran', () => {
  test.each([
    ['skip', ['2026-11-15T08:00Z', '2026-11-15T13:00Z'], [0, 4]],
    ['last', ['2026-11-15T08:00Z', '2026-11-15T12:00Z', '2026-11-15T13:00Z'], [0, 3, 0]],
    [
      'all',
      [
        '2026-11-15T08:00Z',
        '2026-11-15T09:00Z',
        '2026-11-15T10:00Z',
        '2026-11-15T11:00Z',
        '2026-11-15T12:00Z',
        '2026-11-15T13:00Z',
      ],
      [0, 0, 0, 0, 0, 0],
    ],
  ] as const)('are treated as the policy says: %s', async (missed, expected, skips) => {
    const context = cronContext('2026-11-15T07:30Z')
    const skipped: number[] = []
    const job = {
      cron: '0 * * * *',
      missed,
      parts: (tick: { at: number; skipped: number }) => {
        skipped.push(tick.skipped)
        return [{ partType: 'message', text: new Date(tick.at).toISOString() }]
      },
    }
    const first = context.start(job)
    await context.advance(hour)
    await first.stop()
    await context.advance(4 * hour)
    const second = context.start(job)
    await context.advance(hour)
    expect(await runs(second.sessions)).toEqual(iso(...expected))
    expect(skipped).toEqual(skips)
    await second.stop()
  })

  test('are not those before the job was there', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const { sessions, stop } = context.start({ cron: '0 * * * *', missed: 'all' })
    await context.advance(60_000)
    expect(await runs(sessions)).toEqual([])
    await stop()
  })

  test('are a hundred at the most', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const first = context.start({ cron: '0 * * * *', missed: 'all' })
    await context.advance(30_000)
    await first.stop()
    context.runtime.clock.jump(30 * day)
    const second = context.start({ cron: '0 * * * *', missed: 'all' })
    await context.advance(25 * 60_000)
    expect(await runs(second.sessions)).toHaveLength(100)
    await second.stop()
  })
})

describe('a job that takes longer than its period', () => {
  const slow =
    (gate: Promise<void>) =>
    async ({ respond }: { respond: (what: object) => Promise<void> }) => {
      await gate
      await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
    }

  test.each(['new', 'same'] as const)(
    'does not overlap itself in %s sessions; what is left out is counted',
    async (session) => {
      const context = cronContext('2026-11-15T07:30Z')
      const gate = Promise.withResolvers<void>()
      const { sessions, jobs, stop } = context.start(
        { cron: '0 * * * *', session },
        { actor: slow(gate.promise) as never },
      )
      await context.advance(3 * hour)
      expect(await runs(sessions)).toEqual(iso('2026-11-15T08:00Z'))
      expect(await jobs()).toMatchObject([{ skipped: 2 }])
      gate.resolve()
      await context.advance(hour)
      expect(await runs(sessions)).toEqual(iso('2026-11-15T08:00Z', '2026-11-15T11:00Z'))
      expect(await jobs()).toMatchObject([{ skipped: 0 }])
      await stop()
    },
  )

  test('comes to all of its times one after the other, where all count', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    const gate = Promise.withResolvers<void>()
    const { sessions, stop } = context.start(
      { cron: '0 * * * *', missed: 'all' },
      { actor: slow(gate.promise) as never },
    )
    await context.advance(3 * hour)
    expect(await runs(sessions)).toHaveLength(1)
    gate.resolve()
    await context.advance(5 * 60_000)
    expect(await runs(sessions)).toEqual(iso('2026-11-15T08:00Z', '2026-11-15T09:00Z', '2026-11-15T10:00Z'))
    await stop()
  })
})

type Moment = (method: string, args: readonly unknown[]) => boolean

/** A store whose process dies at a call: that one and all later ones never come back, and leases run out. */
function dyingAt(store: Store, isLast: Moment, when: 'before' | 'after'): Store {
  let dead = false
  const never = new Promise<never>(() => {})
  const mortal = (lease: Lease): Lease => ({
    session: lease.session,
    renew: () => (dead ? never : lease.renew()),
    release: (at) => (dead ? never : lease.release(at)),
  })
  const view: Pick<Store, 'claim' | 'appendAndClaim'> = {
    async claim(...args) {
      const lease = await store.claim(...args)
      return dead ? never : lease && mortal(lease)
    },
    async appendAndClaim(...args) {
      const { head, lease } = await store.appendAndClaim(...args)
      return { head, ...(lease && { lease: mortal(lease) }) }
    },
  }
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = name in view ? view[name as keyof typeof view] : Reflect.get(target, name, target)
      if (typeof own !== 'function' || name === 'tail' || name === 'publish') return own
      const call = (args: unknown[]) => (own as (...all: unknown[]) => unknown).apply(target, args)
      return async (...args: unknown[]) => {
        if (dead) return never
        if (!isLast(String(name), args)) return call(args)
        dead = true
        if (when === 'after') await call(args)
        return never
      }
    },
  })
}

describe('a process that dies', () => {
  const moments: [string, Moment, 'before' | 'after'][] = [
    ['before the tick is decided', (method, [key]) => method === 'bind' && String(key).includes(':tick:'), 'before'],
    ['when the tick is decided', (method, [key]) => method === 'bind' && String(key).includes(':tick:'), 'after'],
    ['before the message is in the log', (method) => method.startsWith('append'), 'before'],
    ['when the message is in the log', (method) => method.startsWith('append'), 'after'],
    ['before the tick is over', (method, [key]) => method === 'bind' && String(key).includes(':done:'), 'before'],
    ['when the tick is over', (method, [key]) => method === 'bind' && String(key).includes(':done:'), 'after'],
    ['before it has tidied up', (method) => method === 'unbind', 'before'],
  ]

  test.each(
    moments.flatMap(([name, isLast, when]) =>
      (['new', 'same'] as const).flatMap((session) =>
        (['skip', 'last', 'all'] as const).map((missed) => [name, session, missed, isLast, when] as const),
      ),
    ),
  )('%s loses nothing and doubles nothing (%s, %s)', async (name, session, missed, isLast, when) => {
    const context = cronContext('2026-11-15T07:30Z')
    context.start({ cron: '0 * * * *', session, missed }, { store: dyingAt(context.store, isLast, when) })
    await context.advance(40 * 60_000)
    const second = context.start({ cron: '0 * * * *', session, missed })
    await context.advance(30 * 60_000)
    // Only what no process had begun is missed.
    const isMissed = missed === 'skip' && name === 'before the tick is decided'
    const first = isMissed ? [] : iso('2026-11-15T08:00Z')
    expect(await runs(second.sessions)).toEqual(first)
    await context.advance(30 * 60_000)
    expect(await runs(second.sessions)).toEqual([...first, ...iso('2026-11-15T09:00Z')])
    expect((await kept(context)).length).toBeLessThanOrEqual(2)
    await second.stop()
  })
})

test('several processes run a tick once', async () => {
  const context = cronContext('2026-11-15T07:30Z')
  const all = Array.from({ length: 4 }, () => context.start({ cron: '0 * * * *', session: 'same' }))
  await context.advance(3 * hour)
  const [first] = all
  expect(first && (await runsBySession(first.sessions))).toEqual([
    iso('2026-11-15T08:00Z', '2026-11-15T09:00Z', '2026-11-15T10:00Z'),
  ])
  for (const { stop } of all) await stop()
})

describe('a job that fails', () => {
  test('is tried again, and given up for this time after five tries', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    let calls = 0
    const { sessions, jobs, stop } = context.start({
      cron: '0 * * * *',
      parts: ({ at }) => {
        calls++
        if (at === Date.parse('2026-11-15T08:00Z')) throw new Error('no idea')
        return [{ partType: 'message', text: new Date(at).toISOString() }]
      },
    })
    await context.advance(50 * 60_000)
    expect(calls).toBe(5)
    expect(await jobs()).toMatchObject([{ skipped: 1 }])
    await context.advance(hour)
    expect(await runs(sessions)).toEqual(iso('2026-11-15T09:00Z'))
    await stop()
  })

  test('is tried again when the store is busy for a while', async () => {
    const context = cronContext('2026-11-15T07:30Z')
    let failures = 3
    const store = new Proxy(context.store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (name === 'bind' && String(args[0]).includes(':tick:') && failures-- > 0)
            return Promise.reject(new Error('busy'))
          return (member as (...all: unknown[]) => unknown).apply(target, args)
        }
      },
    })
    const { sessions, stop } = context.start({ cron: '0 8 * * *', missed: 'skip' }, { store })
    await context.advance(hour)
    expect(await runs(sessions)).toEqual(iso('2026-11-15T08:00Z'))
    await stop()
  })
})

test('an answer is sent to whom the job names', async () => {
  const context = cronContext('2026-11-15T07:30Z')
  const principal: Principal = { kind: 'user', id: 'anna', tenant: 'default' }
  const url = 'https://receiver.example/reports'
  const bodies: string[] = []
  const channel = webhookChannel({
    hooks: { out: { callback: { url, secrets: [`whsec_${Buffer.alloc(32, 1).toString('base64')}`] } } },
    store: context.store,
    runtime: context.runtime,
    secret: new Uint8Array(32).fill(7),
    fetch: async (_, init) => {
      bodies.push(typeof init.body === 'string' ? init.body : '')
      return new Response()
    },
  })
  const to = [callbackOriginator({ hook: 'out', url, principal })]
  const { stop } = context.start({ cron: '0 8 * * *', to }, { channels: [channel] })
  await context.advance(hour)
  expect(bodies.map((body) => JSON.parse(body) as unknown)).toMatchObject([{ parts: [{ text: 'done' }] }])
  await stop()
})

test('jobs that are wrong are refused at once, and no later change makes one', async () => {
  const context = cronContext('2026-11-15T07:30Z')
  const parts = [{ partType: 'message', text: 'x' }]
  const make = (jobs: unknown) => () => cronChannel({ jobs: jobs as CronJobs, store: context.store })
  const job = { cron: '0 8 * * *', session: 'new', parts }
  for (const jobs of [
    { 'a:b': job },
    { a: { ...job, session: 'old' } },
    { a: { ...job, missed: 'never' } },
    { a: { ...job, parts: [] } },
    { a: { ...job, cron: 'soon' } },
    Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`job${n}`, job])),
  ]) {
    expect(make(jobs)).toThrow(expect.toSatisfy((error) => isBeachError(error, 'INVALID_CONFIGURATION')))
  }
  const jobs: Record<string, CronJobs[string]> = { a: { cron: '0 8 * * *', session: 'new', parts } }
  const channel = cronChannel({ jobs, store: context.store, runtime: context.runtime })
  jobs.b = { cron: '* * * * *', session: 'new', parts }
  const { sessions, stop } = context.start({ cron: '0 9 * * *' })
  onTestFinished(stop)
  await channel.start(
    channelContext({ sessions, store: context.store, runtime: context.runtime, signal: AbortSignal.abort() }),
  )
  expect(await channel.jobs()).toHaveLength(1)
})
