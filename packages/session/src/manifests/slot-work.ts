import {
  sleep,
  type Actor,
  type AuthoredPart,
  type Part,
  type PartTypeRegistry,
  type Runtime,
  type SessionView,
  type Slice,
  type Work,
} from '@cool-ai/beach-core'
import { sliceState, type EventDraft, type SessionLog, type SessionState } from '@cool-ai/beach-core/log'
import { declaredOrigins, failureOrigins, type Effect, type EffectRun } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { parsePart } from '@cool-ai/beach-protocol/parts'
import { failureOf } from '../turn/tool-runs.ts'
import { checkSize } from '../turn/step.ts'
import { checkedSurfaces } from '../surfaces/check-surfaces.ts'
import {
  filledDrafts,
  manifestSettledDraft,
  manifestSlice,
  missingSlots,
  type ManifestState,
  type OpenManifest,
  type SlotEntry,
  type SlotOutcome,
} from './manifest-slice.ts'

/** What the work of manifests needs. */
export interface SlotContext {
  readonly log: () => SessionLog
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly actors: Readonly<Record<string, Actor>>
  /** The largest part that work may bring or emit, in bytes. */
  readonly maxPartBytes: number
  readonly view: (session: string) => Promise<SessionView>
  /** What else a commit leads to, such as deliveries. */
  readonly followUp?: ((state: SessionState, drafts: readonly EventDraft[]) => EventDraft[]) | undefined
}

/** The slice of manifests with the work that their open slots ask for. */
export function workingManifests(context: SlotContext): Slice<ManifestState> {
  return {
    ...manifestSlice,
    effects: (state) => Object.values(state).flatMap((manifest) => effectsOf(manifest, context)),
  }
}

function effectsOf(manifest: OpenManifest, context: SlotContext): Effect[] {
  const { manifestId, deadline } = manifest
  const work = missingSlots(manifest).map((slot) => ({
    key: `${manifestId}.${slot.slot}`,
    run: (run: EffectRun) => new SlotWork(manifest, slot, context, run).run(),
  }))
  if (deadline === undefined) return work
  return [
    ...work,
    { key: `${manifestId}:deadline`, run: (run: EffectRun) => settleAt(deadline, manifest, context, run) },
  ]
}

async function settleAt(
  deadline: number,
  manifest: OpenManifest,
  { runtime }: SlotContext,
  run: EffectRun,
): Promise<void> {
  const { manifestId, openedAt } = manifest
  // Never longer than planned, even when the clock is set back.
  await sleep(runtime.clock, Math.min(deadline - runtime.clock.now(), deadline - openedAt), run.signal)
  if (run.signal.aborted) return
  await run.commit((state) => {
    const open = sliceState(manifestSlice, state)[manifestId]
    return open === undefined ? [] : [manifestSettledDraft(open, 'deadline')]
  })
}

/** The work for one slot: in the log before it begins and when it has ended, like a tool. */
class SlotWork {
  readonly #manifest: OpenManifest
  readonly #slot: SlotEntry
  readonly #context: SlotContext
  readonly #run: EffectRun
  #said = 0

  constructor(manifest: OpenManifest, slot: SlotEntry, context: SlotContext, run: EffectRun) {
    this.#manifest = manifest
    this.#slot = slot
    this.#context = context
    this.#run = run
  }

  async run(): Promise<void> {
    const { state, idempotent } = this.#slot
    if (state === 'running' && !idempotent) {
      const reason = 'The process ended while this ran; whether it took effect is not known.'
      return this.#fill({ outcome: 'unknown', reason })
    }
    // Before it begins: when the store fails here, nothing has happened yet, and it is tried again.
    const args = await this.#args()
    const view = await this.#context.view(this.#run.session)
    if (state === 'waiting' && !(await this.#start())) return
    const outcome = await this.#reported(() => this.#outcome(args, view))
    if (!this.#run.signal.aborted) await this.#fill(outcome)
  }

  /** With a report on it where reports are read. */
  #reported(run: () => Promise<SlotOutcome>): Promise<SlotOutcome> {
    const { telemetry } = this.#context.runtime
    if (telemetry === undefined) return run()
    const { turnId: turn, trace } = this.#manifest
    const place = { session: this.#run.session, turn, trace }
    return telemetry.run({ kind: 'tool', name: this.#slot.work, callId: this.#key, place }, async ({ found }) => {
      const outcome = await run()
      found({ outcome: outcome.outcome })
      return outcome
    })
  }

  /** False when another host was quicker. */
  async #start(): Promise<boolean> {
    const { manifestId } = this.#manifest
    const { slot } = this.#slot
    const begun = await this.#run.commit((state) => {
      const waits = this.#current(state)?.slots.some((entry) => entry.slot === slot && entry.state === 'waiting')
      return waits === true ? [{ type: 'slotStarted', manifestId, slot }] : []
    })
    return begun.length > 0
  }

  async #outcome(args: unknown, view: SessionView): Promise<SlotOutcome> {
    const { logger } = this.#context.runtime
    const { session, signal } = this.#run
    try {
      const work = this.#work()
      const { origins } = this.#manifest
      const emit = (parts: readonly AuthoredPart[]) => this.#say(parts)
      const value = await work.run(args, { key: this.#key, signal, view, emit, origins })
      return { outcome: 'ok', part: this.#part(value), origins: declaredOrigins(work.resultOrigin, value) }
    } catch (error) {
      if (!signal.aborted) logger.log('warn', 'work for a slot failed', { session, key: this.#key, error })
      // Why it failed may be said in the words of another server.
      return { ...failureOf(error, this.#slot.idempotent, 'The work'), origins: this.#failedOrigins() }
    }
  }

  #failedOrigins(): readonly string[] {
    const { actor } = this.#manifest
    return failureOrigins(this.#context.actors[actor]?.works?.[this.#slot.work]?.resultOrigin)
  }

  #work(): Work {
    const { actor } = this.#manifest
    const { work } = this.#slot
    const works = this.#context.actors[actor]?.works ?? {}
    const found = Object.hasOwn(works, work) ? works[work] : undefined
    if (found === undefined) throw new Error(`The actor '${actor}' has no work '${work}' any more.`)
    return found
  }

  async #args(): Promise<unknown> {
    const { seq } = this.#manifest
    const [opened] = await this.#context.log().read(this.#run.session, seq - 1, 1)
    return opened?.event.type === 'manifestOpened' ? opened.event.payload?.args[this.#slot.slot] : undefined
  }

  #part(value: unknown): Part {
    const { slotKey, mergeStrategy, kind } = this.#slot
    const metadata = defined({ partType: 'domain-data', slotKey, mergeStrategy, kind })
    return this.#checked({ data: value ?? null, metadata })
  }

  /**
   * Also checks that it can be written at all: a value that JSON cannot express throws here, where it is the work's own
   * failure.
   */
  #checked(authored: AuthoredPart): Part {
    // Surfaces that are shown already are checked when it is said, with what is known of them.
    const part = parsePart(authored, this.#context.partTypes, { catalogOf: () => undefined })
    checkSize(part, this.#context.maxPartBytes)
    return part
  }

  async #say(authored: readonly AuthoredPart[]): Promise<void> {
    const { turnId, manifestId } = this.#manifest
    const { slot } = this.#slot
    const parts = authored.map((part) => this.#checked(part))
    const first = this.#said
    this.#said += parts.length
    await this.#run.commit((state) => {
      if (this.#current(state) === undefined) return []
      return checkedSurfaces(state, parts, this.#context.partTypes).map((part, place) => {
        return { type: 'slotSaid', turnId, manifestId, slot, index: first + place, payload: { part } }
      })
    })
  }

  async #fill(outcome: SlotOutcome): Promise<void> {
    await this.#run.commit((state) => {
      const manifest = this.#current(state)
      if (manifest === undefined) return []
      const drafts = filledDrafts(manifest, this.#slot, outcome)
      return [...drafts, ...(this.#context.followUp?.(state, drafts) ?? [])]
    })
  }

  #current(state: SessionState): OpenManifest | undefined {
    return sliceState(manifestSlice, state)[this.#manifest.manifestId]
  }

  get #key(): string {
    return `${this.#run.session}:${this.#manifest.manifestId}.${this.#slot.slot}`
  }
}
