import { sleep } from '@cool-ai/beach-core'
import {
  sliceState,
  type Committed,
  type EventDraft,
  type SessionState,
  type StartingTurn,
} from '@cool-ai/beach-core/log'
import type { Lease } from '@cool-ai/beach-core/ports'
import { CompactingMap, yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { startTurn } from '../turn/step.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import { LeasedSession, type LeasedSessionOptions } from './leased-session.ts'
import { Stop } from './signals.ts'

export interface HostOptions extends LeasedSessionOptions {
  /** Turns that this process runs at the same time. */
  readonly maxTurns?: number | undefined
}

// Claims that wait at the same time can be granted in one write of the store; one after the other would be a write
// each.
const maxClaims = 16
// Sessions may also be held for work in parallel to turns: a slow recipient keeps no turn waiting.
const sessionsPerTurn = 10

const shutdown = new Stop('shutdown')

/** Claims sessions and holds them. Only the host that has a session's lease runs anything for it. */
export class Host {
  readonly #options: HostOptions
  readonly #slots: TurnSlots
  readonly #maxSessions: number
  readonly #claims: number
  readonly #stopping = new AbortController()
  readonly #held = new CompactingMap<LeasedSession, Promise<void>>()
  readonly #waitingForRoom: (() => void)[] = []
  readonly #waitingForUse: (() => void)[] = []
  /** Claims that have room for a turn and no session yet. */
  readonly #idle = new Set<AbortController>()
  #loops: Promise<void>[] = []
  #isRunning = false
  #isDraining = false
  /** Room that is reserved for messages which are being written. */
  #kept = 0
  #reported: unknown

  constructor(options: HostOptions) {
    const { maxTurns = 200 } = options
    this.#options = options
    this.#slots = new TurnSlots(maxTurns)
    this.#maxSessions = maxTurns * sessionsPerTurn
    // Waiting claims hold room for a turn; messages that come in here need some too.
    this.#claims = Math.max(1, Math.min(maxClaims, Math.floor(maxTurns / 2)))
  }

  start(): void {
    this.#isRunning = true
    this.#loops = Array.from({ length: this.#claims }, () => this.#claimLoop())
  }

  /** What this process has to do: sessions that it holds, turns that run, and those that wait for room. */
  get load() {
    const { used, waiting } = this.#slots
    return { sessionsHeld: this.#held.size, turnsRunning: used - this.#idle.size, turnsWaiting: waiting }
  }

  /**
   * Reserves room for the turn of a message that is about to be written; none when this host is busy, or does not run.
   */
  startHere(state: SessionState, drafts: readonly EventDraft[]): StartingTurn | undefined {
    const { signal } = this.#stopping
    if (!this.#isRunning || signal.aborted || this.#held.size >= this.#maxSessions) return undefined
    // When another turn is open, or something waits already, the session is woken instead.
    const { turn, mailbox } = sliceState(turnSlice, state)
    const received = drafts.filter((draft) => draft.type === 'messageReceived')
    if (turn !== undefined || mailbox.length > 0 || received.length === 0) return undefined
    const giveBack = this.#slots.takeNow()
    if (giveBack === undefined) return undefined
    this.#kept++
    let isUsed = false
    return {
      drafts: startTurn(state, received, this.#options),
      leaseMs: this.#options.leaseMs,
      run: (committed, lease) => {
        isUsed = true
        this.#hold(lease, giveBack, committed)
      },
      release: () => {
        if (!isUsed) giveBack()
        this.#kept--
        if (this.#kept === 0) for (const resume of this.#waitingForUse.splice(0)) resume()
      },
    }
  }

  /**
   * Takes no more work and waits until running work has ended, at most for the grace period. From the middle of it on
   * turns are handed over at their next clean point, so that nothing is begun that would be interrupted in the end.
   */
  async drain(graceMs: number, hurry?: AbortSignal): Promise<void> {
    const { clock } = this.#options.runtime
    this.#isDraining = true
    this.#takeNoMore()
    for (const hold of this.#held.keys()) hold.drain()
    const cancel = clock.timer(graceMs / 2, () => {
      for (const hold of this.#held.keys()) hold.handOver()
    })
    const late = new AbortController()
    const end = () => late.abort()
    hurry?.addEventListener('abort', end, { once: true })
    if (hurry?.aborted === true) end()
    await Promise.race([this.#ended(), sleep(clock, graceMs, late.signal)])
    hurry?.removeEventListener('abort', end)
    end()
    cancel()
    this.#isDraining = false
  }

  /** Stops running work and releases every session, so that another host can go on at once. */
  async stop(): Promise<void> {
    this.#takeNoMore()
    for (const hold of this.#held.keys()) hold.stop(shutdown)
    await this.#ended()
  }

  #takeNoMore(): void {
    this.#stopping.abort(shutdown)
    for (const resume of this.#waitingForRoom.splice(0)) resume()
    for (const idle of this.#idle) idle.abort()
  }

  /** Resolves when nothing is claimed or held any more. */
  async #ended(): Promise<void> {
    await Promise.all(this.#loops)
    // Messages that are being written may have claimed a lease, which has to be released too.
    if (this.#kept > 0) await new Promise<void>((resolve) => this.#waitingForUse.push(resolve))
    await Promise.all(this.#held.values())
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      while (this.#held.size >= this.#maxSessions && !signal.aborted) {
        await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve))
      }
      // First the room for a turn, then the session: a session that could not run here is left to another process.
      const giveBack = await this.#slots.take(signal)
      try {
        const claimed = await this.#claim(giveBack, signal)
        if (claimed === 'held') continue
        giveBack()
        if (claimed === 'ended') return
      } catch (error) {
        giveBack()
        this.#report(error)
        await sleep(this.#options.runtime.clock, 1_000, signal)
      }
    }
  }

  /** Claims a session and holds it, unless another session needs the capacity more or there is no more to claim. */
  async #claim(giveBack: () => void, signal: AbortSignal): Promise<'held' | 'yielded' | 'ended'> {
    if (signal.aborted) return 'ended'
    const idle = new AbortController()
    this.#idle.add(idle)
    const claimed = this.#options.store.claim(this.#options.leaseMs, idle.signal)
    const lease: Lease | undefined = await claimed.finally(() => this.#idle.delete(idle))
    if (lease === undefined) return idle.signal.aborted ? 'yielded' : 'ended'
    // It was asked for its room, and has found a use for it: another claim gives up its own.
    if (idle.signal.aborted) this.#makeRoom()
    this.#hold(lease, giveBack)
    return 'held'
  }

  #hold(lease: Lease, firstSlot: () => void, begun?: Committed): void {
    const turnSlot = (stop: AbortSignal) => this.#turnSlot(stop)
    const hold = new LeasedSession(lease, this.#options, { turnSlot, firstSlot, begun })
    const { signal } = this.#stopping
    // A turn that started with its message while the host stops taking work still runs here.
    if (signal.aborted) {
      if (this.#isDraining && begun !== undefined) hold.drain()
      else hold.stop(shutdown)
    }
    const { telemetry } = this.#options.runtime
    // The sender gets its acknowledgement before the actor runs.
    const ready = begun === undefined ? undefined : yieldToEventLoop()
    const running =
      telemetry === undefined
        ? (ready?.then(() => hold.run()) ?? hold.run())
        : telemetry.apart(() => ready?.then(() => hold.run()) ?? hold.run())
    const ended = running.finally(() => {
      this.#held.delete(hold)
      this.#waitingForRoom.shift()?.()
    })
    this.#held.set(hold, ended)
  }

  /** Capacity for a session that is already leased: no other host can run it, so it goes before unclaimed ones. */
  #turnSlot(stop: AbortSignal): Promise<() => void> {
    if (this.#slots.isFull) this.#makeRoom()
    return this.#slots.take(stop, true)
  }

  #makeRoom(): void {
    const [idle] = this.#idle
    if (idle === undefined) return
    this.#idle.delete(idle)
    idle.abort()
  }

  /** Claims that waited together fail together; one line in the log says so. */
  #report(error: unknown): void {
    if (error === this.#reported) return
    this.#reported = error
    this.#options.runtime.logger.log('error', 'claiming a session failed', { error })
  }
}

/** Room for a limited number of concurrent turns; further turns wait in line. */
class TurnSlots {
  readonly #urgent = new Set<() => void>()
  readonly #waiting = new Set<() => void>()
  readonly #max: number
  #free: number

  constructor(max: number) {
    this.#max = max
    this.#free = max
  }

  get used(): number {
    return this.#max - this.#free
  }

  /** Turns of leased sessions: claims that wait have no session yet. */
  get waiting(): number {
    return this.#urgent.size
  }

  get isFull(): boolean {
    return this.#free <= 0
  }

  /** A function that releases the room, if there is some right now. */
  takeNow(): (() => void) | undefined {
    if (this.#free <= 0) return undefined
    this.#free--
    return () => this.#giveBack()
  }

  /**
   * Resolves with a function that releases the room or, when the signal aborts first, with one that releases nothing.
   * Urgent waiters go before all others.
   */
  async take(signal: AbortSignal, isUrgent = false): Promise<() => void> {
    if (signal.aborted) return () => {}
    const now = this.takeNow()
    if (now !== undefined) return now
    if (!(await this.#wait(signal, isUrgent ? this.#urgent : this.#waiting))) return () => {}
    return () => this.#giveBack()
  }

  /** True once freed capacity was taken; false when the signal aborts before. */
  #wait(signal: AbortSignal, line: Set<() => void>): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isMine: boolean) => {
        line.delete(taken)
        signal.removeEventListener('abort', aborted)
        resolve(isMine)
      }
      const taken = () => end(true)
      const aborted = () => end(false)
      line.add(taken)
      signal.addEventListener('abort', aborted, { once: true })
    })
  }

  #giveBack(): void {
    const [next] = this.#urgent.size > 0 ? this.#urgent : this.#waiting
    if (next === undefined) this.#free++
    else next()
  }
}
