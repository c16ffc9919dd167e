import { BeachError, type Actor, type Injection, type ManifestPlan, type Runtime } from '@cool-ai/beach-core'
import {
  sliceState,
  type EventDraft,
  type SessionLog,
  type SessionState,
  type SlotHeader,
} from '@cool-ai/beach-core/log'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'
import { Latch, type LazyAbortController } from '../host/signals.ts'
import { replayMismatch } from '../turn/step.ts'
import { readTurn } from '../turn/turn-material.ts'
import type { TurnStart } from '../turn/turn-run.ts'
import { traceOf, turnSlice, type OpenTurn } from '../turn/turn-slice.ts'
import { manifestSlice } from './manifest-slice.ts'

export interface TurnManifestsOptions {
  readonly context: {
    readonly log: SessionLog
    readonly runtime: Runtime
    readonly actors: Readonly<Record<string, Actor>>
  }
  readonly start: TurnStart
  readonly stop: LazyAbortController
  readonly append: (decide: (state: SessionState) => EventDraft[]) => Promise<void>
  /** The foreign origins of what the turn has seen; undefined without any. */
  readonly origins: () => readonly string[] | undefined
}

const maxSlots = 100
const maxManifests = 20
const maxDepth = 10
const slotName = /^[^\p{Cc}]{1,100}$/u

/** The manifests of a turn: opens them, and hands their results to the actor. */
export class TurnManifests {
  readonly #options: TurnManifestsOptions
  readonly #turn: OpenTurn
  readonly #waiting = new Set<Latch>()
  #injections: readonly Injection[]
  #origins: readonly string[] = []
  #next = 0
  #seen: number
  /** False while nothing can have arrived: then nothing is read. */
  #expects: boolean

  constructor(options: TurnManifestsOptions) {
    this.#options = options
    this.#turn = options.start.turn
    this.#injections = options.start.material.injections
    this.#expects = this.#turn.manifests.length > 0
    this.#seen = this.#injections.length
  }

  /** How many of the results that came while the turn was open its actor has got. */
  get seen(): number {
    return Math.max(this.#seen - this.#turn.messages.filter(({ depth }) => depth > 0).length, 0)
  }

  /** The origins of all that the turn had on record when results last came. */
  get origins(): readonly string[] {
    return this.#origins
  }

  /** The actor has got this many results. */
  given(count: number): void {
    this.#seen = Math.max(this.#seen, count)
  }

  /** Something is new in the log. */
  look(): void {
    for (const changed of this.#waiting) changed.raise()
  }

  /** Opens a manifest, or finds the one that an earlier run opened at the same place. */
  async open(plan: ManifestPlan, place?: string): Promise<string> {
    const { append, context, origins } = this.#options
    const turn = this.#turn
    const manifestId = place ?? `${turn.turnId}.m${turn.handoffs}-${this.#next++}`
    const hash = contentHash(plan)
    const before = turn.manifests.find((manifest) => manifest.manifestId === manifestId)
    if (before !== undefined) {
      if (before.hash !== hash) throw replayMismatch('open another manifest', `the manifest '${plan.name}'`)
      return manifestId
    }
    const slots = this.#slots(plan)
    this.#expects = true
    const args = Object.fromEntries(Object.entries(plan.slots).map(([slot, { args: given }]) => [slot, given]))
    const { deadlineMs } = plan
    await append((state) => {
      this.#checkRoom(state)
      return [
        defined({
          type: 'manifestOpened',
          turnId: turn.turnId,
          manifestId,
          name: plan.name,
          actor: turn.actor,
          hash,
          slots,
          originators: turn.originators,
          depth: turn.depth + 1,
          trace: traceOf(turn),
          origins: origins(),
          deadline: deadlineMs === undefined ? undefined : context.runtime.clock.now() + deadlineMs,
          payload: { args },
        }),
      ]
    })
    return manifestId
  }

  /** The results of the turn, without the first `seen`. */
  async injected(seen: number, { wait = false }: { readonly wait?: boolean } = {}): Promise<readonly Injection[]> {
    if (this.#options.stop.aborted) throw this.#options.stop.reason
    if (!this.#expects) return this.#injections.slice(seen)
    // Each its own: an actor may wait for several manifests at the same time.
    const { context, stop } = this.#options
    const changed = new Latch()
    const letGo = stop.onAbort(() => changed.raise())
    this.#waiting.add(changed)
    try {
      for (;;) {
        const canCome = this.#expects && (await this.#read())
        if (stop.aborted) throw stop.reason
        if (this.#injections.length > seen || !wait || !canCome) return this.#injections.slice(seen)
        await changed.wait(context.runtime.clock)
      }
    } finally {
      letGo()
      this.#waiting.delete(changed)
    }
  }

  /** Reads what is new; true when more can come. */
  async #read(): Promise<boolean> {
    const { context, start } = this.#options
    const { session } = start.record
    const { state } = await context.log.load(session)
    const open = sliceState(turnSlice, state).turn
    const { turnId } = this.#turn
    if (open?.turnId !== turnId) return false
    const known = this.#injections.length
    const entries = open.messages.filter(({ depth }) => depth > 0).length + open.injections.length
    if (entries > known) {
      this.#injections = (await readTurn(context.log, session, open)).injections
      this.#origins = open.origins ?? []
    }
    return Object.values(sliceState(manifestSlice, state)).some((manifest) => manifest.turnId === turnId)
  }

  #slots({ name, slots, deadlineMs }: ManifestPlan): SlotHeader[] {
    if (deadlineMs !== undefined && !Number.isFinite(deadlineMs)) {
      throw refusal(name, 'has a deadline that is no number of milliseconds.')
    }
    const entries = Object.entries(slots)
    if (entries.length === 0 || entries.length > maxSlots) {
      throw refusal(name, `has ${entries.length} slots; 1 to ${maxSlots} are allowed.`)
    }
    const works = this.#options.context.actors[this.#turn.actor]?.works ?? {}
    return entries.map(([slot, { work, slotKey = slot, mergeStrategy = 'replace', kind }]) => {
      if (!slotName.test(slot)) throw refusal(name, 'has a slot whose name is empty, too long or not printable.')
      const found = Object.hasOwn(works, work) ? works[work] : undefined
      if (found === undefined) {
        const known = Object.keys(works).join(', ') || 'none'
        throw refusal(name, `names the work '${work}', which this actor does not have. It has: ${known}.`)
      }
      const idempotent = found.idempotent === true
      return defined({ slot, work, idempotent, slotKey, mergeStrategy, kind })
    })
  }

  #checkRoom(state: SessionState): void {
    const open = Object.keys(sliceState(manifestSlice, state)).length
    if (open >= maxManifests) {
      throw new BeachError('TOO_MANY', `${open} manifests are open in this session. Wait until some have settled.`)
    }
    if (this.#turn.depth >= maxDepth) {
      throw new BeachError(
        'INVALID_STATE',
        `The last ${maxDepth} turns began with results of manifests only. Answer the user instead of beginning more.`,
      )
    }
  }
}

function refusal(name: string, problem: string): BeachError {
  return new BeachError('INVALID_STATE', `The manifest '${name}' ${problem}`)
}
