import { BeachError, systemClock } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { CutText, NotRecorded, RecordedCommit } from '@cool-ai/beach-core/ports'
import { contentHash, raceAbort, yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { isForeign, Recording, type RecordedCall, type RecordedRequest } from './recording.ts'
import type { ReplayClock } from './replay-clock.ts'

interface ReplayPlaceOptions {
  /** The whole log as it was recorded. */
  readonly recorded: readonly SessionEvent[]
  /** The place of the first event that is not taken over as it is. */
  readonly from: number
  /** The log of the replay. */
  readonly events: () => readonly SessionEvent[]
  /** True when other answers are to be expected. */
  readonly isChanged: boolean
  readonly clock: ReplayClock
  readonly signal?: AbortSignal | undefined
}

/** How long the agent's own code may do something else than what the record has, before the replay goes on without it. */
const idleMs = 10_000
const settleRounds = 12

/** Where a replay is in its record: what turns and tools get of the record there, and what they wait for. */
export class ReplayPlace {
  readonly record: Recording
  readonly notRecorded: NotRecorded[] = []
  readonly #options: ReplayPlaceOptions
  readonly #turnIds: string[]
  readonly #shown = new Set<string>()
  readonly #waiters = new Set<() => void>()
  #isFree: boolean
  #divergedAt: number | undefined
  #hanging = 0
  #resting = 0

  constructor(options: ReplayPlaceOptions) {
    this.#options = options
    this.record = new Recording(options.recorded)
    this.#turnIds = this.record.turnIds(options.from)
    this.#isFree = options.isChanged
  }

  /** The log of the replay. */
  get events(): readonly SessionEvent[] {
    return this.#options.events()
  }

  get length(): number {
    return this.events.length
  }

  /** True once the replay no longer follows the record event by event. */
  get isFree(): boolean {
    return this.#isFree
  }

  /** Where it left the record; undefined while it follows it. */
  get divergedAt(): number | undefined {
    return this.#divergedAt
  }

  /** The id of the next turn, as it is on record. */
  nextTurnId(): string | undefined {
    return this.#turnIds.shift()
  }

  /** True while something waits for what the record does not have. */
  get isHanging(): boolean {
    return this.#hanging > 0
  }

  /** True while something waits for results of work in parallel. */
  get isResting(): boolean {
    return this.#resting > 0
  }

  /** Resolves when everything from outside that comes next in the record is in the log. */
  async clear(signal: AbortSignal): Promise<void> {
    for (;;) {
      const next = this.record.events[this.length]
      if (this.#isFree || next === undefined || !(isForeign(next) || next.type === 'turnResumed')) return
      // The text that a cancel cuts off is shown before it.
      if (next.type === 'cancelRequested' && this.cutOf(next.turnId) !== undefined) return
      await this.moved(signal)
    }
  }

  /** Resolves when the log has got to a place of the record. */
  async reach(place: number, signal: AbortSignal): Promise<void> {
    while (!this.#isFree && this.length < place) await this.moved(signal)
  }

  /** Resolves when something has happened. */
  async moved(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const moved = new Promise<void>((resolve) => this.#waiters.add(resolve))
    await (signal === undefined ? moved : raceAbort(moved, signal))
  }

  /** Waits as long as the record does, where the record has no answer; fails once that cannot come any more. */
  async hang(signal: AbortSignal, kind: NotRecorded['kind'], name: string, args?: unknown): Promise<never> {
    this.#hanging++
    this.notify()
    try {
      while (!this.#isFree) await this.moved(signal)
    } finally {
      this.#hanging--
    }
    throw this.lacks(kind, name, args)
  }

  /** Something waits for results of work in parallel. */
  async resting<Value>(wait: () => Promise<Value>): Promise<Value> {
    this.#resting++
    this.notify()
    try {
      return await wait()
    } finally {
      this.#resting--
    }
  }

  /** The record does not have this. */
  lacks(kind: NotRecorded['kind'], name: string, args?: unknown): BeachError {
    const turnId = this.openTurn()?.turnId ?? ''
    this.notRecorded.push(args === undefined ? { turnId, kind, name } : { turnId, kind, name, args })
    this.free()
    return new BeachError('NOT_RECORDED', `Not recorded: ${sentenceOf(kind, name)}`)
  }

  callLike(callId: string, hash: string): RecordedCall | undefined {
    const same = this.record.call(callId)
    if (!this.#isFree) return same
    if (same?.started.hash === hash && same.finished !== undefined) return same
    const alike = this.record.callsLike(hash)
    return alike.find(({ started }) => started.turnId === callId.split('.tool')[0]) ?? alike.at(-1)
  }

  requestLike(turnId: string, toolName: string, args: unknown): RecordedRequest | undefined {
    const asked = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { value: args }
    const hash = contentHash(asked)
    const alike = this.record.requests.filter(({ request }) => {
      return request.toolName === toolName && contentHash(request.args) === hash
    })
    return alike.find((one) => one.turnId === turnId) ?? alike.at(-1)
  }

  /** What actors of the turn say from here on, in the record. */
  answers(turnId: string): { readonly commits: readonly RecordedCommit[]; readonly cut: readonly CutText[] } {
    return this.record.commits(turnId, this.#steps(turnId))
  }

  /** How many results a model had seen by its next step. */
  seenBy(turnId: string): number | undefined {
    if (this.#isFree) return undefined
    const [next] = this.answers(turnId).commits
    const { seen } = (next?.answer ?? {}) as { readonly seen?: unknown }
    return typeof seen === 'number' ? seen : undefined
  }

  /** The text of the turn's open step where a cancel cuts it off. */
  cutOf(turnId: string): readonly CutText[] | undefined {
    if (this.#isFree) return undefined
    const { commits, cut } = this.answers(turnId)
    return commits.length === 0 && cut.length > 0 ? cut : undefined
  }

  /** All of the text that a cancel cuts off has been shown. */
  shown(turnId: string): void {
    this.#shown.add(turnId)
    this.notify()
  }

  isShown(turnId: string): boolean {
    return this.#shown.has(turnId)
  }

  /** Waits for something that the agent's own code does; it does not wait for ever. */
  async patience(isOver: () => boolean, giveUp: () => void): Promise<void> {
    const { signal } = this.#options
    const cancel = systemClock.timer(idleMs, () => {
      giveUp()
      this.notify()
    })
    try {
      while (!isOver()) {
        signal?.throwIfAborted()
        await this.moved()
      }
    } finally {
      cancel()
    }
  }

  /** From here on the replay goes its own way. */
  free(): void {
    if (!this.#isFree) this.#divergedAt = this.length
    this.#isFree = true
    this.#options.clock.tick()
    this.notify()
  }

  /** Something has happened. */
  notify(): void {
    const waiting = [...this.#waiters]
    this.#waiters.clear()
    for (const resume of waiting) resume()
  }

  /** The turn that began last in the replay. */
  openTurn(): Extract<SessionEvent, { type: 'turnStarted' }> | undefined {
    return this.events.findLast((event) => event.type === 'turnStarted')
  }

  #steps(turnId: string): number {
    return this.events.filter((event) => event.type === 'stepCommitted' && event.turnId === turnId).length
  }
}

/** Gives everything that can go on without the outside the time to do so. */
export async function settled(isDone: () => boolean): Promise<void> {
  for (let round = 0; round < settleRounds && !isDone(); round++) await yieldToEventLoop()
}

function sentenceOf(kind: NotRecorded['kind'], name: string): string {
  switch (kind) {
    case 'tool':
      return `the session has no call of '${name}' with these arguments.`
    case 'model':
      return 'the session has no further answer of the model here.'
    case 'work':
      return `the session has no result of the work '${name}' with these arguments.`
    case 'decision':
      return `there is no decision on '${name}' with these arguments.`
  }
}
