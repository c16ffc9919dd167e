import {
  BeachError,
  type Actor,
  type AuthoredPart,
  type Decision,
  type GivenTurnState,
  type Injection,
  type ManifestPlan,
  type Message,
  type SaidPart,
  type SessionView,
  type ToolCall,
  type ToolOutcome,
  type TurnContext,
  type TurnState,
  type Work,
} from '@cool-ai/beach-core'
import {
  othersContentOf,
  type ForwardedAction,
  type OfferedTool,
  type PlannedTool,
  type ToolRun,
} from '@cool-ai/beach-core/ports'
import { contentHash } from '@cool-ai/beach-core/runtime'
import { actionText } from '@cool-ai/beach-protocol/parts'
import { Manifest } from '../manifests/manifest.ts'
import { replayMismatch } from './step.ts'

/** Text that is known, or that comes piece by piece and is shown as it comes. */
export type StreamedText = string | AsyncIterable<string>

/** A part whose text may still be streaming. */
export type StreamedPart = SaidPart<string, StreamedText>

/** One `respond()` call: parts, and the state of the turn afterwards. */
export interface Respond<PartName extends string = string, StateName extends string = string> {
  readonly parts: readonly SaidPart<PartName, StreamedText>[]
  readonly turnState?: GivenTurnState<StateName>
  /** Another name of `turnState`. */
  readonly conversationState?: GivenTurnState<StateName>
  readonly passTo?: string | undefined
  /** For the log only; no listener gets it. */
  readonly note?: string | undefined
}

/** What a function actor gets. */
export interface ActorContext {
  readonly view: SessionView
  readonly turnId: string
  readonly messages: readonly Message[]
  /** The actions among them on surfaces of peers, which were passed on to the peers, with their answers. */
  readonly forwarded: readonly ForwardedAction[]
  /** Results that the turn began with, of manifests whose turn was over when they arrived. */
  readonly began: readonly Injection[]
  /**
   * The text of all messages that this turn answers, each part a line of its own; of an action, what was pressed; of
   * a choice, what was chosen. What a sender only
   * passes on (`othersContentOf`) is not in it.
   */
  readonly text: string
  readonly signal: AbortSignal
  /** The decisions on this turn's approvals that have been made. */
  readonly decisions: ReadonlyMap<string, Decision>
  /** Responds; resolves when it is in the log. The compiler checks the names of part types and turn states. */
  readonly respond: <PartName extends string, StateName extends string>(
    what: Respond<PartName, StateName>,
  ) => Promise<void>
  /** Runs a tool, at most once unless it is idempotent. */
  readonly tool: <Value>(call: ToolCall, run: (run: ToolRun) => Promise<Value>) => Promise<ToolOutcome<Value>>
  /** Runs several tools in parallel. */
  readonly tools: <Value>(planned: readonly PlannedTool<Value>[]) => Promise<ToolOutcome<Value>[]>
  /** The tools that the clients of this turn's originators offer. */
  readonly clientTools: readonly OfferedTool[]
  /** The state of a client's application, if it has said: its word, which nothing vouches for. */
  readonly clientState: unknown
  /** Calls a tool of a client and waits for its result, over restarts too; what it says is the client's word. */
  readonly callClient: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolOutcome<unknown>>
  /** Starts work in parallel to the turn, and beyond it when the turn settles before. */
  readonly manifest: (plan: ManifestPlan) => Promise<Manifest>
}

/** What a function actor has besides its function. */
export interface ActorOptions {
  /** The work that the actor can start in parallel to its turns, by name. */
  readonly works?: Readonly<Record<string, Work>> | undefined
}

/**
 * An actor from a function. After a crash the function runs again from its beginning: its n-th `respond()` or `tool()`
 * that is already in the log is answered from there, so it must make the same calls in the same order.
 */
export function defineActor(run: (turn: ActorContext) => Promise<void>, { works }: ActorOptions = {}): Actor {
  return { run: (turn) => run(new FunctionTurn(turn)), works }
}

/** A class for its getters: V8 keeps an object with a getter of its own, and all that it refers to, for very long. */
class FunctionTurn implements ActorContext {
  readonly turnId: string
  readonly messages: readonly Message[]
  readonly forwarded: readonly ForwardedAction[]
  readonly began: readonly Injection[]
  readonly text: string
  readonly decisions: ReadonlyMap<string, Decision>
  readonly clientTools: readonly OfferedTool[]
  readonly clientState: unknown
  readonly #turn: TurnContext
  #next = 0

  constructor(turn: TurnContext) {
    this.turnId = turn.turnId
    this.messages = turn.messages
    this.forwarded = turn.forwarded
    this.began = turn.began
    this.text = turn.messages
      .map(({ parts }) => parts.filter((part) => othersContentOf(part) === undefined))
      .map((own) => own.flatMap((part) => part.text ?? actionText(part) ?? []).join('\n'))
      .join('\n')
    this.decisions = turn.decisions
    this.clientTools = turn.clientTools
    this.clientState = turn.clientState
    this.#turn = turn
  }

  get view(): SessionView {
    return this.#turn.view
  }

  get signal(): AbortSignal {
    return this.#turn.signal
  }

  readonly tool: ActorContext['tool'] = async (call, run) => {
    const [outcome] = await this.#turn.tools([{ call, run }])
    return outcome ?? { outcome: 'unknown', reason: 'It was not run.' }
  }

  readonly tools: ActorContext['tools'] = (planned) => this.#turn.tools(planned)

  readonly callClient: ActorContext['callClient'] = async (name, args) => {
    const client = this.clientTools.find((tool) => tool.name === name)?.client ?? {}
    return this.tool({ name, args, client }, runsElsewhere)
  }

  readonly manifest: ActorContext['manifest'] = async (plan) =>
    new Manifest(this.#turn, await this.#turn.manifest(plan))

  readonly respond: ActorContext['respond'] = async (said) => {
    // Names that were checked by compiling are as good as those that are known only now.
    const what = said as unknown as Respond
    const { turnState = what.conversationState, conversationState = turnState, passTo, note } = what
    if (turnState === undefined)
      throw new BeachError('INVALID_STATE', "respond() needs a turnState, such as 'complete'.")
    if (turnState !== conversationState) {
      throw new BeachError('INVALID_STATE', 'turnState and conversationState are two names of one thing: give one.')
    }
    if (what.parts.length === 0) {
      throw new BeachError('INVALID_PART', 'The parts of a respond() are empty. Give at least one part.')
    }
    // Of a streaming text only the part as it is known before counts: a re-run is compared by it.
    const hash = contentHash([
      turnState,
      passTo,
      what.parts.map((part) => (typeof part.text === 'object' ? { ...part, text: '(flowing)' } : part)),
    ])
    const before = this.#turn.committed[this.#next++]
    if (before !== undefined) {
      if (before.hash !== hash) throw replayMismatch(`a respond() with state '${before.turnState}'`, 'another one')
      return
    }
    const parts: AuthoredPart[] = []
    for (const part of what.parts) parts.push(await arrived(this.#turn, part, parts.length))
    const notes = note === undefined ? [] : [{ kind: 'note', value: note }]
    // The registry checks the turn state when the step is committed.
    await this.#turn.commit({ turnState: turnState as TurnState, parts, hash, passTo, notes })
  }
}

/** What a client runs is never run here. */
async function runsElsewhere(): Promise<never> {
  throw new BeachError('INTERNAL', 'A tool of a client was to be run by the agent.')
}

async function arrived(turn: TurnContext, part: StreamedPart, index: number): Promise<AuthoredPart> {
  if (typeof part.text !== 'object') return part as AuthoredPart
  if (!('partType' in part)) {
    throw new BeachError('INVALID_PART', 'A part whose text flows needs its `partType` next to it, not in metadata.')
  }
  let text = ''
  for await (const delta of part.text) {
    turn.live({ index, partType: part.partType, delta })
    text += delta
  }
  return { ...part, text }
}
