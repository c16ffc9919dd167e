import {
  PartTypeRegistry,
  simulatedRuntime,
  TurnStateRegistry,
  type Actor,
  type Frame,
  type Inbound,
  type Originator,
  type Principal,
  type Runtime,
  type SimulatedClock,
  type Store,
} from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { Lease } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import { MemoryStore } from '../stores/memory/memory-store.ts'
import { SessionTurnManager, type SessionTurnManagerOptions } from './session-turn-manager.ts'

export const alice: Principal = { kind: 'user', id: 'alice', tenant: 'acme' }
export const bob: Principal = { kind: 'user', id: 'bob', tenant: 'acme' }

export function viewer(principal: Principal = alice): Originator {
  return { id: `sse:${principal.id}`, transport: 'sse', deliveryClass: 'streaming', principal }
}

export function said(text: string, dedupeKey?: string): Inbound {
  return {
    parts: [{ text, metadata: { partType: 'message' } }],
    from: viewer(),
    dedupeKey,
  }
}

/**
 * A store as one process sees it. After `crash` neither hears of the other again; after `oversleep` the process misses
 * the renewals of its leases and claims nothing, but goes on otherwise, as a stalled one does when it wakes up.
 */
export function processView(store: Store): Store & { crash: () => void; oversleep: () => void } {
  let dead = false
  let asleep = false
  const noClaims = new AbortController()
  const never = new Promise<never>(() => {})
  const alive = <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) => {
    return (...args: Args): Promise<Value> => (dead ? never : call(...args).then((value) => (dead ? never : value)))
  }
  const view = (lease: Lease): Lease => ({
    session: lease.session,
    renew: alive(() => (asleep ? never : lease.renew())),
    release: alive(lease.release.bind(lease)),
  })
  return {
    append: alive(store.append.bind(store)),
    appendAndClaim: alive(async (session, expected, events, beginning) => {
      if (noClaims.signal.aborted) return { head: await store.append(session, expected, events, 0) }
      const { head, lease } = await store.appendAndClaim(session, expected, events, beginning)
      return defined({ head, lease: lease && view(lease) })
    }),
    read: alive(store.read.bind(store)),
    tail(session, after, signal) {
      const tail = store.tail(session, after, signal)[Symbol.asyncIterator]()
      const next = async () => {
        const result = await tail.next()
        if (dead) await never
        return result
      }
      const end = async () => (await tail.return?.()) ?? { done: true as const, value: undefined }
      return { [Symbol.asyncIterator]: () => ({ next, return: end }) }
    },
    publish: (session, live) => {
      if (!dead) store.publish(session, live)
    },
    wake: alive(store.wake.bind(store)),
    claim: alive(async (leaseMs, signal) => {
      const lease = await store.claim(leaseMs, AbortSignal.any([signal, noClaims.signal]))
      return lease && view(lease)
    }),
    bind: alive(store.bind.bind(store)),
    list: alive(store.list.bind(store)),
    unbind: alive(store.unbind.bind(store)),
    saveSnapshot: alive(store.saveSnapshot.bind(store)),
    loadSnapshot: alive(store.loadSnapshot.bind(store)),
    erase: alive(store.erase.bind(store)),
    drop: alive(store.drop.bind(store)),
    close: alive(store.close.bind(store)),
    oversleep: () => {
      asleep = true
      noClaims.abort()
    },
    crash: () => {
      dead = true
      noClaims.abort()
    },
  }
}

export interface TestContext {
  readonly runtime: Runtime & { readonly clock: SimulatedClock }
  readonly store: Store
  /** Starts a process with these actors on the shared store. */
  process(
    actors: Readonly<Record<string, Actor | ((turn: ActorContext) => Promise<void>)>>,
    options?: Partial<SessionTurnManagerOptions>,
  ): { sessions: SessionTurnManager; crash: () => void; oversleep: () => void }
}

export function testContext(): TestContext {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const partTypes = PartTypeRegistry.canonical()
  return {
    runtime,
    store,
    process(actors, options) {
      const view = processView(store)
      const made = Object.entries(actors).map(([name, actor]) => [
        name,
        typeof actor === 'function' ? defineActor(actor) : actor,
      ])
      const sessions = new SessionTurnManager({
        store: view,
        runtime,
        partTypes,
        turnStates: TurnStateRegistry.canonical(),
        actors: Object.fromEntries(made) as Record<string, Actor>,
        ...options,
      })
      sessions.start()
      return { sessions, crash: view.crash, oversleep: view.oversleep }
    },
  }
}

/** What the log of a session says. */
export async function eventsOf({ store }: Pick<TestContext, 'store'>, session: string): Promise<SessionEvent[]> {
  return (await store.read(session, 0)).map((event) => event.data as SessionEvent)
}

const maxRounds = 2_000

/** Lets promises settle until the condition holds; no time passes meanwhile. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    if (await condition()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('It did not happen.')
}

/** A text that a test feeds by hand, piece by piece. */
export function handFed(): { text: AsyncIterable<string>; feed(piece: string): void; end(): void } {
  const pieces: string[] = []
  let ended = false
  let notify = () => {}
  async function* flow(): AsyncGenerator<string> {
    for (;;) {
      const piece = pieces.shift()
      if (piece !== undefined) yield piece
      else if (ended) return
      else await new Promise<void>((resolve) => (notify = resolve))
    }
  }
  return {
    text: flow(),
    feed: (piece) => {
      pieces.push(piece)
      notify()
    },
    end: () => {
      ended = true
      notify()
    },
  }
}

/** Follows a session and keeps what it sees. */
export function follow(sessions: SessionTurnManager, session: string, after?: string, by: Principal = alice) {
  const end = new AbortController()
  const frames: Frame[] = []
  let notify = () => {}
  const done = (async () => {
    for await (const frame of sessions.follow(session, viewer(by), after, end.signal)) {
      frames.push(frame)
      notify()
    }
  })()
  done.catch(() => notify())
  return {
    frames,
    done,
    leave: () => end.abort(),
    /** Resolves once a frame satisfies the condition. */
    async until(condition: (frame: Frame) => boolean): Promise<void> {
      while (!frames.some(condition)) {
        await Promise.race([new Promise<void>((resolve) => (notify = resolve)), done])
      }
    },
    settled(): Promise<void> {
      return this.until((frame) => frame.kind === 'settled')
    },
  }
}
