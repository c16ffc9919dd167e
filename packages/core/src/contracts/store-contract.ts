import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import type { LoggedEvent, SessionEvent } from '../events.ts'
import { Conflict, type Lease, type Live, type Store, type StoredEvent, type TailItem } from '../ports/store.ts'
import type { Runtime } from '../runtime.ts'
import { isBeachError } from '../errors.ts'
import { SessionLog } from '../session-log.ts'
import type { SimulatedClock } from '../simulated-runtime.ts'

/** A fresh, empty store on a clock that the suite moves. */
export interface StoreUnderTest {
  readonly store: Store
  readonly runtime: Runtime & { readonly clock: SimulatedClock }
}

/** A promise that every store must keep, with the test of it. */
export interface StoreContractCase {
  readonly name: string
  run(test: StoreUnderTest): Promise<void>
}

/** What every store must do; each case gets a store of its own and throws when the promise is broken. */
export const storeContract: readonly StoreContractCase[] = [
  {
    name: 'appends when the head is the expected one, and refuses otherwise without writing anything',
    async run({ store }) {
      const head = await store.append('s', 0, [{ n: 1 }, { n: 2 }])
      await rejects(store.append('s', 0, [{ n: 'late' }]), (error) => error instanceof Conflict && error.head === head)
      await rejects(store.append('s', head + 1, [{ n: 'early' }]), Conflict)
      await store.append('s', head, [{ n: 3 }])
      deepEqual(values(await store.read('s', 0)), [1, 2, 3])
    },
  },
  {
    name: 'lets exactly one of many concurrent appends win',
    async run({ store }) {
      const tries = await Promise.allSettled(numbers(20).map((n) => store.append('s', 0, [{ n }])))
      equal(tries.filter((tried) => tried.status === 'fulfilled').length, 1)
      equal((await store.read('s', 0)).length, 1)
    },
  },
  {
    name: 'does not let a conflict spoil the other appends of the same moment',
    async run({ store }) {
      const results = await Promise.allSettled([
        store.append('a', 0, [{ n: 1 }]),
        store.append('b', 99, [{ n: 1 }]),
        store.append('c', 0, [{ n: 1 }]),
      ])
      deepEqual(
        results.map((result) => result.status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
    },
  },
  {
    name: 'counts uses up to their limit, lets them wear off, and takes back what is given back',
    async run({ store, runtime: { clock } }) {
      if (store.countUses === undefined) return
      const use = async (count: number, max?: number, key = 'k') => {
        const [used] = (await store.countUses?.([{ key, count, perSecond: 2, max }])) ?? []
        return used && [Math.round(used.used * 100) / 100, used.isCounted]
      }
      deepEqual(await use(3, 5), [3, true])
      deepEqual(await use(3, 5), [3, false])
      deepEqual(await use(2, 5), [5, true])
      deepEqual(await use(9, 5, 'first'), [0, false])
      await clock.advance(1_500)
      deepEqual(await use(1, 5), [3, true])
      deepEqual(await use(-10, 5), [0, true])
      deepEqual(await use(9, undefined, 'without a limit'), [9, true])
      const ofToday = { key: 'k', count: 2, perSecond: 0, isLasting: true }
      deepEqual((await store.countUses([ofToday]))[0]?.used, 2)
      await clock.suspend(3 * hourMs)
      deepEqual(await use(1, 5), [1, true])
      deepEqual((await store.countUses([{ ...ofToday, count: 0 }]))[0]?.used, 2)
      const many = numbers(30).map(() => ({ key: 'many', count: 1, perSecond: 0.001, max: 20 }))
      const counted = await Promise.all(many.map(async (each) => store.countUses?.([each])))
      equal(counted.filter((each) => each?.[0]?.isCounted).length, 20)
    },
  },
  {
    name: 'replaces the value of a key only where it has the expected one',
    async run({ store }) {
      if (store.replace === undefined) return
      await store.bind('k', 'one')
      equal(await store.replace('k', 'another', 'two'), false)
      equal(await store.replace('missing', 'one', 'two'), false)
      equal(await store.replace('k', 'one', 'two'), true)
      equal(await store.replace('k', 'one', 'three'), false)
      deepEqual(
        (await store.list('')).map(({ key, value }) => [key, value]),
        [['k', 'two']],
      )
    },
  },
  {
    name: 'names its logs in their order, without those that were dropped',
    async run({ store }) {
      if (store.logs === undefined) return
      for (const name of ['b', 'c', 'a', 'd']) await store.append(name, 0, [{ n: 1 }, { n: 2 }])
      await store.drop('c')
      deepEqual(await store.logs(), ['a', 'b', 'd'])
      deepEqual(await store.logs('a', 1), ['b'])
      deepEqual(await store.logs('d'), [])
    },
  },
  {
    name: 'reads no more at once than it is asked to, but one event at least',
    async run({ store }) {
      const [n, long] = [1, 'x'.repeat(1_000)]
      await store.append('s', 0, [{ n }, { n: 2, long }, { n: 3, long }, { n: 4 }])
      const [first] = await store.read('s', 0, 1)
      deepEqual(values(await store.read('s', 0, 10, 1_500)), [1, 2])
      deepEqual(values(await store.read('s', first?.seq ?? 0, 10, 10)), [2])
      deepEqual(values(await store.read('s', 0, 3, 100_000)), [1, 2, 3])
      // A read that ended early leaves nothing locked.
      await store.append('s', (await store.read('s', 0)).at(-1)?.seq ?? 0, [{ n: 5 }])
      deepEqual(values(await store.read('s', 0, undefined, 100_000)), [1, 2, 3, 4, 5])
    },
  },
  {
    name: 'gives the events of one append consecutive seqs that end at the returned head, and keeps their order',
    async run({ store }) {
      const head = await store.append('s', 0, [{ n: 1 }, { n: 2 }, { n: 3 }])
      deepEqual(
        (await store.read('s', 0)).map((event) => event.seq),
        [head - 2, head - 1, head],
      )
    },
  },
  {
    name: 'reads in order, after a place, up to a limit, and an unknown session as empty',
    async run({ store }) {
      await appendMany(store, 's', 5)
      const all = await store.read('s', 0)
      deepEqual(values(await store.read('s', all[1]?.seq ?? 0, 2)), [3, 4])
      deepEqual(await store.read('missing', 0), [])
    },
  },
  {
    name: 'gives back exactly the JSON that was appended',
    async run({ store }) {
      const data = { text: 'zero\u0000 snow\u2603 \u{1F3D6} "quotes" \\', list: [1, null, { deep: [true] }], n: 1.5 }
      await store.append('s', 0, [data])
      deepEqual((await store.read('s', 0))[0]?.data, data)
    },
  },
  {
    name: 'refuses a commit that is too large or has too many events, and writes nothing',
    async run({ store }) {
      await rejects(store.append('s', 0, [{ text: 'x'.repeat(600_000) }]), (error) =>
        isBeachError(error, 'COMMIT_TOO_LARGE'),
      )
      await rejects(store.append('s', 0, numbers(1_001)), (error) => isBeachError(error, 'COMMIT_TOO_LARGE'))
      deepEqual(await store.read('s', 0), [])
    },
  },
  {
    name: 'tails history, then what is appended, without gaps or repeats while many append at once',
    async run({ store }) {
      await appendMany(store, 's', 700)
      const end = new AbortController()
      const seen = collect(store, 's', 0, 1_000, end)
      await Promise.all(['one', 'other'].map((writer) => appendMany(store, 's', 150, { writer })))
      const all = await seqs(store, 's')
      equal(all.length, 1_000)
      deepEqual(await seen, all)
    },
  },
  {
    name: 'serves many followers, each from its own place',
    async run({ store }) {
      await appendMany(store, 's', 10)
      const all = await seqs(store, 's')
      const end = new AbortController()
      const followers = numbers(10).map((n) => collect(store, 's', all[n - 1] ?? 0, 15 - n, end))
      await appendMany(store, 's', 5)
      const now = await seqs(store, 's')
      deepEqual(
        await Promise.all(followers),
        numbers(10).map((n) => now.slice(n)),
      )
    },
  },
  {
    name: 'keeps everything for a follower that does not read for a while',
    async run({ store }) {
      const end = new AbortController()
      const tail = store.tail('s', 0, end.signal)[Symbol.asyncIterator]()
      await appendMany(store, 's', 1)
      const seen = seqsOf((await tail.next()).value)
      await appendMany(store, 's', 3_000, { group: 50 })
      while (seen.length < 3_001) {
        const { value: items = [] } = await tail.next()
        ok(items.length <= maxWaiting, `${items.length} events were kept in memory for one follower`)
        seen.push(...seqsOf(items))
      }
      end.abort()
      deepEqual(seen, await seqs(store, 's'))
    },
  },
  {
    name: 'gives live frames to followers, in order with their epoch, and stores none',
    async run({ store }) {
      const head = await store.append('s', 0, [{ n: 1 }])
      const end = new AbortController()
      const tail = store.tail('s', head, end.signal)
      store.publish('other', { epoch: 9 })
      store.publish('s', { epoch: 1, text: 'a' })
      store.publish('s', { epoch: 2, text: 'b' })
      const frames: unknown[] = []
      for await (const items of tail) {
        frames.push(...items.map((item) => (item as Live).live))
        if (frames.length === 2) break
      }
      end.abort()
      deepEqual(frames, [
        { epoch: 1, text: 'a' },
        { epoch: 2, text: 'b' },
      ])
      equal((await store.read('s', 0)).length, 1)
    },
  },
  {
    name: 'keeps only so many live frames for a follower that does not read',
    async run({ store }) {
      const head = await store.append('s', 0, [{ n: 1 }])
      const end = new AbortController()
      const tail = store.tail('s', head, end.signal)[Symbol.asyncIterator]()
      for (const n of numbers(3 * maxWaiting)) store.publish('s', { n })
      const { value: items = [] } = await tail.next()
      ok(items.length <= maxWaiting, `${items.length} live frames were kept in memory for one follower`)
      end.abort()
    },
  },
  {
    name: 'ends a tail when its signal aborts, also while it waits or reads',
    async run({ store }) {
      const end = new AbortController()
      await store.append('grown', 0, [{ n: 1 }])
      const waiting = store.tail('s', 0, end.signal)[Symbol.asyncIterator]().next()
      const reading = store.tail('grown', 0, end.signal)[Symbol.asyncIterator]().next()
      end.abort()
      equal((await waiting).done, true)
      equal((await reading).done, true)
      const late = await store.tail('s', 0, end.signal)[Symbol.asyncIterator]().next()
      equal(late.done, true)
    },
  },
  {
    name: 'ends a tail that is returned, also while it waits',
    async run({ store }) {
      const tail = store.tail('s', 0)[Symbol.asyncIterator]()
      const waiting = tail.next()
      equal((await tail.return?.())?.done, true)
      equal((await waiting).done, true)
      equal((await tail.next()).done, true)
    },
  },
  {
    name: 'gives a session to one claimer when its wake is due, and not before',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.append('s', 0, [{ n: 1 }], clock.now() + 1_000)
      const claims = claimTwice(store)
      await clock.advance(999)
      equal(claims.leases.length, 0)
      await clock.advance(1)
      equal((await claims.first)?.session, 's')
      await clock.advance(1_000)
      equal(claims.leases.length, 1)
      await claims.end()
    },
  },
  {
    name: 'gives a session that is woken to a host that has waited since before, without delay',
    run: async ({ store, runtime: { clock } }) => {
      const claim = claimNow(store)
      await clock.advance(100)
      await store.wake('s')
      equal((await claim)?.session, 's')
    },
  },
  {
    name: 'keeps the earlier of two wakes',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('s', clock.now() + 100)
      await store.wake('s', clock.now() + 5_000)
      const claim = claimNow(store)
      await clock.advance(100)
      equal((await claim)?.session, 's')
    },
  },
  {
    name: 'wakes only with the append: a refused append wakes no host',
    async run({ store, runtime }) {
      await rejects(store.append('s', 7, [{ n: 1 }], runtime.clock.now()), Conflict)
      equal(await claimWithin(store, runtime.clock, 50), undefined)
    },
  },
  {
    name: 'keeps a wake that is set while the session is leased until the lease is given back',
    async run({ store, runtime }) {
      await store.wake('s')
      const lease = await claimNow(store)
      await store.wake('s')
      equal(await claimWithin(store, runtime.clock, 50), undefined)
      await lease?.release()
      equal((await claimNow(store))?.session, 's')
    },
  },
  {
    name: 'sets the timer that the holder asks for when it gives the lease back',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('s')
      const lease = await claimNow(store)
      await lease?.release(clock.now() + 500)
      equal(await claimWithin(store, clock, 499), undefined)
      const claim = claimNow(store)
      await clock.advance(1)
      equal((await claim)?.session, 's')
    },
  },
  {
    name: 'takes the lease of a free session in the write that makes it due, with what is begun then',
    async run({ store, runtime }) {
      const { clock } = runtime
      const begin = { events: [{ n: 'begun' }], leaseMs: 1_000 }
      const { head, lease } = await store.appendAndClaim('s', 0, [{ n: 1 }, { n: 2 }], begin)
      equal(lease?.session, 's')
      deepEqual(values(await store.read('s', 0)), [1, 2, 'begun'])
      equal((await store.read('s', 0)).at(-1)?.seq, head)
      // Neither a wake nor a free lease is left behind.
      equal(await claimWithin(store, clock, 900), undefined)
      equal(await lease?.renew(), true)
      await lease?.release()
      equal(await claimWithin(store, clock, 2_000), undefined)
    },
  },
  {
    name: 'begins nothing in a leased session: it appends, and wakes',
    async run({ store }) {
      await store.wake('s')
      const held = await claimNow(store)
      const begin = { events: [{ n: 'begun' }], leaseMs: 1_000 }
      const { head, lease } = await store.appendAndClaim('s', 0, [{ n: 1 }], begin)
      equal(lease, undefined)
      deepEqual(values(await store.read('s', 0)), [1])
      await rejects(store.appendAndClaim('s', 0, [{ n: 'late' }], begin), (error) => {
        return error instanceof Conflict && error.head === head
      })
      await held?.release()
      equal((await claimNow(store))?.session, 's')
    },
  },
  {
    name: 'begins in a session whose holder has died, and uses up its wake',
    async run({ store, runtime }) {
      await store.wake('s')
      const zombie = await claimNow(store, 1_000)
      await store.wake('s')
      await runtime.clock.advance(1_000)
      const { lease } = await store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 1_000 })
      equal(await zombie?.renew(), false)
      equal(await lease?.renew(), true)
      await lease?.release()
      equal(await claimWithin(store, runtime.clock, 2_000), undefined)
    },
  },
  {
    name: 'gives a session that was begun and abandoned to a host that has waited since before',
    async run({ store, runtime }) {
      const waiting = claimNow(store, 1_000)
      await store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 1_000 })
      await runtime.clock.advance(1_000)
      equal((await waiting)?.session, 's')
    },
  },
  {
    name: 'lets exactly one of many begin',
    async run({ store }) {
      const begin = { events: [{ n: 'begun' }], leaseMs: 1_000 }
      const tries = await Promise.allSettled(numbers(20).map((n) => store.appendAndClaim('s', 0, [{ n }], begin)))
      equal(tries.filter((tried) => tried.status === 'fulfilled' && tried.value.lease !== undefined).length, 1)
      equal((await store.read('s', 0)).length, 2)
    },
  },
  {
    name: 'lets a renewed lease live on and gives an abandoned one to the next',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('s')
      const first = await claimNow(store, 1_000)
      await clock.advance(800)
      equal(await first?.renew(), true)
      equal(await claimWithin(store, clock, 900), undefined)
      const next = claimNow(store, 1_000)
      await clock.advance(100)
      equal((await next)?.session, 's')
    },
  },
  {
    name: 'takes no lease before it has run out, not even by a millisecond',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('s')
      await claimNow(store, 1_000)
      equal(await claimWithin(store, clock, 999), undefined)
      const early = await store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 'early' }], leaseMs: 1_000 })
      equal(early.lease, undefined)
      equal((await claimAfter(store, clock, 1))?.session, 's')
    },
  },
  {
    name: 'frees the session of a dead holder within one lease when the clock is set back',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('s')
      await claimNow(store, 1_000)
      const waiting = claimNow(store, 1_000)
      await clock.advance(1)
      clock.step(-hourMs)
      // The claimer looks again when it expected the lease to end, and then grants one more.
      await clock.advance(2_000)
      equal((await waiting)?.session, 's')
    },
  },
  {
    name: 'leaves a living holder its lease when the clock is set back, however short the leases of others are',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('s')
      const holder = await claimNow(store, 60_000)
      clock.step(-hourMs)
      equal(await claimWithin(store, clock, 18_000), undefined)
      equal(await holder?.renew(), true)
      equal(await claimWithin(store, clock, 59_999), undefined)
      equal((await claimAfter(store, clock, 1))?.session, 's')
    },
  },
  {
    name: 'leaves a living holder its lease when the clock is set forward, and takes it from a dead one',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('lives')
      const living = await claimNow(store, 1_000)
      await store.wake('dies')
      await claimNow(store, 1_000)
      equal(await claimWithin(store, clock, 100), undefined)
      clock.step(hourMs)
      equal(await claimWithin(store, clock, 200), undefined)
      const begin = { events: [{ n: 'begun' }], leaseMs: 1_000 }
      equal((await store.appendAndClaim('lives', 0, [{ n: 1 }], begin)).lease, undefined)
      equal(await living?.renew(), true)
      equal((await claimAfter(store, clock, 700))?.session, 'dies')
      equal(await living?.renew(), true)
    },
  },
  {
    name: 'does not let a wake that is near become far when the clock is set back, nor one that is far become near',
    async run({ store, runtime }) {
      const { clock } = runtime
      const far = clock.now() + 30 * 24 * hourMs
      await store.wake('far', far)
      await store.append('near', 0, [{ n: 1 }], clock.now() + 1_000)
      const waiting = claimNow(store)
      await clock.advance(1)
      clock.step(-hourMs)
      await clock.advance(1_000)
      const near = await waiting
      equal(near?.session, 'near')
      await near?.release()
      equal(await claimWithin(store, clock, 40_000), undefined)
      clock.step(far - clock.now() - 1)
      equal(await claimWithin(store, clock, 0), undefined)
      equal((await claimAfter(store, clock, 1))?.session, 'far')
    },
  },
  {
    name: 'notices before long that the clock was set forward to a wake that is waited for',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('s', clock.now() + 2 * hourMs)
      const waiting = claimNow(store)
      await clock.advance(1_000)
      clock.step(2 * hourMs)
      await clock.advance(60_000)
      equal((await waiting)?.session, 's')
    },
  },
  {
    name: 'refuses a zombie: its lease cannot be renewed, and giving it back does not free the new one',
    async run({ store, runtime }) {
      const { clock } = runtime
      await store.wake('s')
      const zombie = await claimNow(store, 1_000)
      await clock.advance(1_000)
      const holder = await claimNow(store, 1_000)
      equal(await zombie?.renew(), false)
      await zombie?.release(clock.now())
      equal(await claimWithin(store, clock, 500), undefined)
      equal(await holder?.renew(), true)
    },
  },
  {
    name: 'fences a zombie that retries its commit after another host has taken over',
    async run({ store, runtime }) {
      const zombie = new SessionLog({ store, runtime, slices: [] })
      const holder = new SessionLog({ store, runtime, slices: [] })
      const settle = () => [
        { type: 'turnSettled' as const, turnId: 't', turnState: 'complete' as const, finalizedBy: 'complete' },
      ]
      const start = { type: 'turnStarted' as const, turnId: 't', actor: 'a', messageIds: [], epoch: 1 }
      await zombie.commit('s', () => [start], { epoch: 1 })
      const resumed = { type: 'turnResumed' as const, turnId: 't', attempt: 1, epoch: 2 }
      await holder.commit('s', () => [resumed], { epoch: 2 })
      await rejects(zombie.commit('s', settle, { epoch: 1 }), (error) => isBeachError(error, 'LEASE_LOST'))
      await holder.commit('s', settle, { epoch: 2 })
      deepEqual(types(await holder.read('s', 0)), ['turnStarted', 'turnResumed', 'turnSettled'])
    },
  },
  {
    name: 'commits once when an acknowledgement is lost, even if others append in between',
    async run({ store, runtime }) {
      let lose = true
      const unreliable: Store = {
        ...bound(store),
        async append(session, expected, events, wakeAt) {
          const head = await store.append(session, expected, events, wakeAt)
          if (!lose) return head
          lose = false
          await store.append(session, head, [opened('between')])
          throw new Error('connection reset')
        },
      }
      const log = new SessionLog({ store: unreliable, runtime, slices: [] })
      const done = log.commit('s', () => [{ type: 'sessionOpened', tenant: 'mine' }])
      await runtime.clock.advance(1_000)
      equal((await done).events.length, 1)
      const tenants = (await log.read('s', 0)).map(({ event }) => event.type === 'sessionOpened' && event.tenant)
      deepEqual(tenants, ['mine', 'between'])
    },
  },
  {
    name: 'binds a key once, tells every caller the winner, lists by prefix in order, and unbinds',
    async run({ store }) {
      const winners = await Promise.all(['a', 'b', 'c'].map((value) => store.bind('k:1', value)))
      equal(new Set(winners).size, 1)
      equal(await store.bind('k:1', 'later'), winners[0])
      for (const key of ['k:3', 'k:2', 'other', 'k:\u{1F3D6}']) await store.bind(key, key)
      deepEqual(
        (await store.list('k:')).map(({ key }) => key),
        ['k:1', 'k:2', 'k:3', 'k:\u{1F3D6}'],
      )
      deepEqual(
        (await store.list('k:', 'k:1', 1)).map(({ key, value }) => [key, value]),
        [['k:2', 'k:2']],
      )
      await store.unbind('k:1')
      equal(await store.bind('k:1', 'new'), 'new')
    },
  },
  {
    name: 'takes keys and values of any characters and any length',
    async run({ store }) {
      const odd = ['k:\u0000', 'k:\uFFFE', 'k:\uFFFE0', `k:${'long'.repeat(2_000)}`, `k:${'long'.repeat(2_000)}er`]
      for (const key of odd) equal(await store.bind(key, `of ${key}`), `of ${key}`)
      for (const key of odd) equal(await store.bind(key, 'another'), `of ${key}`)
      deepEqual((await store.list('k:')).map(({ key }) => key).toSorted(), odd.toSorted())
      for (const key of odd) await store.unbind(key)
      deepEqual(await store.list('k:'), [])
    },
  },
  {
    name: 'reads a session of any name that does not exist as empty',
    async run({ store }) {
      for (const name of ['a\u0000', 'x'.repeat(10_000)]) {
        deepEqual(await store.read(name, 0), [])
        equal(await store.loadSnapshot(name), undefined)
        await store.tail(name, 0, AbortSignal.abort())[Symbol.asyncIterator]().next()
      }
    },
  },
  {
    name: 'says when a key was bound, which binding it again does not change',
    async run({ store, runtime }) {
      const before = runtime.clock.now()
      await store.bind('k:1', 'a')
      await runtime.clock.advance(5_000)
      await store.bind('k:1', 'b')
      const [found] = await store.list('k:')
      equal(found?.value, 'a')
      equal(found.at >= before && found.at < before + 5_000, true)
      await store.unbind('k:1')
      await store.bind('k:1', 'c')
      equal(((await store.list('k:'))[0]?.at ?? 0) >= before + 5_000, true)
    },
  },
  {
    name: 'keeps the last snapshot',
    async run({ store }) {
      equal(await store.loadSnapshot('s'), undefined)
      await store.saveSnapshot('s', 5, 1, { a: 1 })
      await store.saveSnapshot('s', 9, 2, { a: 2 })
      deepEqual(await store.loadSnapshot('s'), { seq: 9, foldVersion: 2, state: { a: 2 } })
    },
  },
  {
    name: 'does not let a snapshot replace a later one',
    async run({ store }) {
      await store.saveSnapshot('s', 9, 1, { a: 'later' })
      await store.saveSnapshot('s', 5, 1, { a: 'earlier' })
      deepEqual(await store.loadSnapshot('s'), { seq: 9, foldVersion: 1, state: { a: 'later' } })
      await store.saveSnapshot('s', 9, 2, { a: 'rebuilt' })
      deepEqual(await store.loadSnapshot('s'), { seq: 9, foldVersion: 2, state: { a: 'rebuilt' } })
    },
  },
  {
    name: 'erases what events said, in place, and nothing else',
    async run({ store }) {
      const head = await store.append('s', 0, [{ n: 1, said: 'x' }, { n: 2, said: 'y' }, { n: 3 }])
      // Seqs may be counted for each session: this one has more.
      const others = await store.append('other', 0, [{ n: 1, said: 'x' }, ...numbers(8)])
      const before = await store.read('other', 0)
      const [first, second] = await seqs(store, 's')
      await store.erase('s', [
        { seq: first ?? 0, data: { n: 1 } },
        { seq: second ?? 0, data: { n: 2, left: true } },
        { seq: others, data: { n: 'not mine' } },
        { seq: head + 1_000, data: { n: 'not there' } },
      ])
      deepEqual(await store.read('s', 0), [
        { seq: first, data: { n: 1 } },
        { seq: second, data: { n: 2, left: true } },
        { seq: head, data: { n: 3 } },
      ])
      deepEqual(await store.read('other', 0), before)
      await store.append('s', head, [{ n: 4 }])
    },
  },
  {
    name: 'forgets the snapshot of a session that is erased, and takes none from before',
    async run({ store }) {
      const head = await store.append('s', 0, [{ n: 1 }, { n: 2 }])
      await store.saveSnapshot('s', head, 1, { secret: true })
      const [first = 0] = await seqs(store, 's')
      await store.erase('s', [{ seq: first, data: {} }])
      equal(await store.loadSnapshot('s'), undefined)
      // A listener that has not got it yet.
      await store.saveSnapshot('s', first, 1, { secret: true })
      equal(await store.loadSnapshot('s'), undefined)
      await store.saveSnapshot('s', head, 1, { secret: false })
      deepEqual(await store.loadSnapshot('s'), { seq: head, foldVersion: 1, state: { secret: false } })
    },
  },
  {
    name: 'shows an erased event as it is now to followers from before it',
    async run({ store }) {
      const head = await store.append('s', 0, [{ n: 'said' }, { n: 2 }])
      await store.erase('s', [{ seq: head - 1, data: { n: 'erased' } }])
      const end = new AbortController()
      for await (const [item] of store.tail('s', 0, end.signal)) {
        deepEqual(item, { seq: head - 1, data: { n: 'erased' } })
        break
      }
      end.abort()
    },
  },
  {
    name: 'drops events, snapshot and wake, and never reuses a seq afterwards',
    async run({ store, runtime }) {
      const head = await store.append('s', 0, [{ n: 1 }, { n: 2 }], runtime.clock.now())
      await store.saveSnapshot('s', head, 1, {})
      await store.drop('s')
      deepEqual(await store.read('s', 0), [])
      equal(await store.loadSnapshot('s'), undefined)
      equal(await claimWithin(store, runtime.clock, 10), undefined)
      await rejects(store.append('s', head, [{ n: 3 }]), Conflict)
      ok((await store.append('s', 0, [{ n: 3 }])) > head)
      deepEqual(values(await store.read('s', 0)), [3])
      deepEqual(values(await store.read('s', 0, 1)), [3])
      await store.drop('s')
      await store.drop('s')
      deepEqual(await store.read('s', 0), [])
    },
  },
  {
    name: 'leaves no event of an append that meets a drop, unless it begins the session anew',
    async run({ store }) {
      for (const n of numbers(10)) {
        const session = `s${n}`
        const head = await store.append(session, 0, [{ n: 'dropped' }])
        await Promise.allSettled([store.append(session, head, [{ n: 'late' }]), store.drop(session)])
        deepEqual(await store.read(session, 0), [])
        ok((await store.append(session, 0, [{ n: 'anew' }])) > head)
        deepEqual(values(await store.read(session, 0)), ['anew'])
      }
    },
  },
  {
    name: 'erases what two ask for at the same time, also of one append',
    async run({ store }) {
      const head = await store.append(
        's',
        0,
        numbers(10).map((n) => ({ n })),
      )
      await Promise.all(numbers(10).map((n) => store.erase('s', [{ seq: head - 10 + n, data: { n: -n } }])))
      deepEqual(
        values(await store.read('s', 0)),
        numbers(10).map((n) => -n),
      )
    },
  },
  {
    name: 'gives up a claim when its signal aborts',
    async run({ store }) {
      const end = new AbortController()
      const claim = store.claim(1_000, end.signal)
      end.abort()
      equal(await claim, undefined)
    },
  },
  {
    name: 'says which process holds which lease, where it says anything of processes',
    async run({ store, runtime }) {
      if (store.hosts === undefined) return
      const claim = (n: number) => ({ events: [{ n }], leaseMs: n * 1_000 })
      const { lease } = await store.appendAndClaim('long', 0, [{ n: 0 }], claim(60))
      await store.appendAndClaim('short', 0, [{ n: 0 }], claim(30))
      const { leases, processes } = await store.hosts(10)
      deepEqual(
        leases.map(({ session }) => session),
        ['short', 'long'],
      )
      ok(leases.every(({ until }) => until > runtime.clock.now()))
      ok(leases.every(({ process }) => process === leases[0]?.process))
      if (store.process !== undefined) equal(leases[0]?.process, store.process)
      ok(processes.every(({ id }) => id !== ''))
      equal((await store.hosts(1)).leases.length, 1)
      await lease?.release()
      // Releasing is not waited for.
      for (let tries = 0; (await store.hosts(10)).leases.length > 1 && tries < 200; tries++) await store.check?.()
      deepEqual(
        (await store.hosts(10)).leases.map(({ session }) => session),
        ['short'],
      )
    },
  },
  {
    name: 'ends tails and claims when it closes, and refuses work afterwards with a clear error',
    async run({ store }) {
      const never = new AbortController()
      const { lease } = await store.appendAndClaim('held', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 1_000 })
      const tail = store.tail('s', 0, never.signal)[Symbol.asyncIterator]().next()
      const claim = store.claim(1_000, never.signal)
      await store.close()
      equal((await tail).done, true)
      equal(await claim, undefined)
      equal(await lease?.renew(), false)
      const isRefused = (error: unknown) => isBeachError(error, 'STORE_CLOSED')
      await rejects(store.append('s', 0, [{ n: 1 }]), isRefused)
      await rejects(async () => store.tail('s', 0, never.signal)[Symbol.asyncIterator]().next(), isRefused)
    },
  },
]

/** What may wait in memory for one follower; the rest is read from the log, or lost if it was live. */
const maxWaiting = 1_000
const hourMs = 60 * 60 * 1_000

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

function values(events: readonly StoredEvent[]): unknown[] {
  return events.map((event) => (event.data as { n: unknown }).n)
}

function types(events: readonly LoggedEvent[]): string[] {
  return events.map(({ event }) => event.type)
}

async function seqs(store: Store, session: string): Promise<number[]> {
  return (await store.read(session, 0)).map((event) => event.seq)
}

function seqsOf(items: readonly TailItem[] | undefined): number[] {
  return (items ?? []).map((item) => ('seq' in item ? item.seq : Number.NaN))
}

function opened(tenant: string): SessionEvent {
  return { type: 'sessionOpened', id: `ev_${tenant}`, v: 1, at: 0, tenant }
}

/** Appends `count` events, trying again on conflicts, in groups of `group`. */
/** Events that say who wrote them, as those of a log have ids: a store whose answer was lost knows its own by them. */
async function appendMany(
  store: Store,
  session: string,
  count: number,
  { writer = '', group = 1 } = {},
): Promise<void> {
  let head = (await store.read(session, 0)).at(-1)?.seq ?? 0
  for (let n = 1; n <= count;) {
    const events = numbers(Math.min(group, count - n + 1)).map((offset) => ({ n: n + offset - 1, writer }))
    try {
      head = await store.append(session, head, events)
      n += events.length
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      head = error.head
    }
  }
}

async function collect(store: Store, session: string, after: number, count: number, end: AbortController) {
  const found: number[] = []
  for await (const items of store.tail(session, after, end.signal)) {
    found.push(...seqsOf(items))
    if (found.length === count) break
  }
  return found
}

function claimNow(store: Store, leaseMs = 10_000): Promise<Lease | undefined> {
  return store.claim(leaseMs, new AbortController().signal)
}

/** Claims until the clock has moved on by `ms`. */
async function claimWithin(store: Store, clock: SimulatedClock, ms: number): Promise<Lease | undefined> {
  const end = new AbortController()
  const claim = store.claim(10_000, end.signal)
  await clock.advance(ms)
  end.abort()
  return claim
}

/** The lease that comes when the clock has moved on by `ms`. */
async function claimAfter(store: Store, clock: SimulatedClock, ms: number): Promise<Lease | undefined> {
  const claim = claimNow(store)
  await clock.advance(ms)
  return claim
}

function claimTwice(store: Store) {
  const stop = new AbortController()
  const leases: Lease[] = []
  const note = (lease: Lease | undefined) => {
    if (lease !== undefined) leases.push(lease)
    return lease
  }
  const one = store.claim(10_000, stop.signal).then(note)
  const other = store.claim(10_000, stop.signal).then(note)
  return {
    leases,
    first: Promise.race([one, other]),
    end: async () => {
      stop.abort()
      await Promise.all([one, other])
    },
  }
}

/** The store's methods as own properties, so that some can be replaced. */
function bound(store: Store): Store {
  return {
    append: (...args) => store.append(...args),
    appendAndClaim: (...args) => store.appendAndClaim(...args),
    read: (...args) => store.read(...args),
    tail: (...args) => store.tail(...args),
    publish: (...args) => store.publish(...args),
    wake: (...args) => store.wake(...args),
    claim: (...args) => store.claim(...args),
    bind: (...args) => store.bind(...args),
    list: (...args) => store.list(...args),
    unbind: (...args) => store.unbind(...args),
    saveSnapshot: (...args) => store.saveSnapshot(...args),
    loadSnapshot: (...args) => store.loadSnapshot(...args),
    erase: (...args) => store.erase(...args),
    drop: (...args) => store.drop(...args),
    close: () => store.close(),
  }
}
