import type {
  Decision,
  Injection,
  LiveText,
  ManifestPlan,
  Message,
  SessionView,
  Step,
  ToolOutcome,
  TurnContext,
} from '@cool-ai/beach-core'
import type {
  CommittedStep,
  CutText,
  ForwardedAction,
  OfferedTool,
  PastTurn,
  PlannedTool,
} from '@cool-ai/beach-core/ports'
import type { ReplayPlace } from './replay-place.ts'
import { recordedTool } from './tool-player.ts'

/**
 * A turn as its actor sees it in a replay: tools answer from the record, and what came from outside is there when it was
 * there in the record.
 */
export class ReplayedTurn implements TurnContext {
  readonly turnId: string
  readonly actor: string
  readonly messages: readonly Message[]
  readonly forwarded: readonly ForwardedAction[]
  readonly began: readonly Injection[]
  readonly decisions: ReadonlyMap<string, Decision>
  readonly committed: readonly CommittedStep[]
  readonly clientTools: readonly OfferedTool[]
  readonly clientState: unknown
  readonly catalogOf: (surfaceId: string) => string | undefined
  readonly #turn: TurnContext
  readonly #replay: ReplayPlace
  /** How much of each text of the open step has been shown, where a cancel has cut it off. */
  #shown = new Map<number, number>()

  constructor(turn: TurnContext, replay: ReplayPlace) {
    this.turnId = turn.turnId
    this.actor = turn.actor
    this.messages = turn.messages
    this.forwarded = turn.forwarded
    this.began = turn.began
    this.decisions = turn.decisions
    this.committed = turn.committed
    this.clientTools = turn.clientTools
    this.clientState = turn.clientState
    this.catalogOf = (surfaceId) => turn.catalogOf?.(surfaceId)
    this.#turn = turn
    this.#replay = replay
  }

  get view(): SessionView {
    return this.#turn.view
  }

  get traceId(): string | undefined {
    return this.#turn.traceId
  }

  get signal(): AbortSignal {
    return this.#turn.signal
  }

  get origins(): readonly string[] {
    return this.#turn.origins
  }

  sees(origins: readonly string[]): void {
    this.#turn.sees(origins)
  }

  /** Of a step that a cancel has cut off, no more is shown than in the record. */
  live(text: LiveText): void {
    const cut = this.#replay.cutOf(this.turnId)
    if (cut === undefined) return this.#turn.live(text)
    const left = (wholeOf(cut, text.index)?.length ?? 0) - (this.#shown.get(text.index) ?? 0)
    const delta = text.delta.slice(0, Math.max(left, 0))
    this.#shown.set(text.index, (this.#shown.get(text.index) ?? 0) + delta.length)
    if (delta !== '') this.#turn.live({ ...text, delta })
    if (cut.every(({ index, text: all }) => this.#shown.get(index) === all.length)) this.#replay.shown(this.turnId)
  }

  retract(): void {
    this.#shown = new Map()
    this.#turn.retract()
  }

  async commit(step: Step): Promise<void> {
    await this.#replay.clear(this.signal)
    await this.#turn.commit(step)
    this.#shown = new Map()
  }

  async tools<Value>(planned: readonly PlannedTool<Value>[]): Promise<ToolOutcome<Value>[]> {
    await this.#replay.clear(this.signal)
    return this.#turn.tools(planned.map((tool) => recordedTool(tool, this.turnId, this.#replay)))
  }

  async manifest(plan: ManifestPlan): Promise<string> {
    await this.#replay.clear(this.signal)
    return this.#turn.manifest(plan)
  }

  /** A model has seen as many results as it had seen in the record. */
  async injected(seen: number, options?: { readonly wait?: boolean }): Promise<readonly Injection[]> {
    const upTo = this.#replay.seenBy(this.turnId)
    if (upTo === undefined) {
      await this.#replay.clear(this.signal)
      return this.#replay.resting(() => this.#turn.injected(seen, options))
    }
    for (;;) {
      const news = await this.#turn.injected(seen)
      if (seen + news.length >= upTo || this.#replay.isFree) return news.slice(0, Math.max(upTo - seen, 0))
      await this.#replay.moved(this.signal)
    }
  }

  history(max: number): Promise<PastTurn[]> {
    return this.#turn.history(max)
  }
}

function wholeOf(cut: readonly CutText[], index: number): string | undefined {
  return cut.find((one) => one.index === index)?.text
}
