import type { AuthoredPart, MergeStrategy, Part, PartOrigin, SaidPart } from '../part.ts'
import type { ResultOrigin } from '../origins.ts'
import type { PartTypeRegistry } from '../registries/part-types.ts'
import type { TurnState } from '../registries/turn-states.ts'
import type { Runtime } from '../runtime.ts'
import type { OfferedTool, ToolClient } from './client-tools.ts'
import type { Decision, DecisionMade, Message, SessionView } from './sessions.ts'
import type { PlainTool } from './tool.ts'

/** Text of the open step, as it grows. It is shown at once and becomes durable when the step commits. */
export interface LiveText {
  /** The place of the part in its step. */
  readonly index: number
  readonly partType: string
  readonly delta: string
  /** The peer whose text it is; absent for the actor's own. */
  readonly origin?: PartOrigin | undefined
}

/** A complete step: what one model message, or one `respond()` of a function actor, adds to the log. */
export interface Step {
  readonly turnState: TurnState
  readonly parts: readonly AuthoredPart[]
  /** The actor to hand over to; only with the turn state `passed`. */
  readonly passTo?: string | undefined
  /** How the turn ended, when the state's own name does not say it: `budget`, `timeout`. Only with a terminal state. */
  readonly finalizedBy?: string | undefined
  /** For the log only; never delivered. */
  readonly notes?: readonly Note[] | undefined
  /** Identifies the step's input; a re-run must produce the same. */
  readonly hash: string
  /** What the actor needs to go on from here after a restart, such as the model's own message. */
  readonly answer?: unknown
}

/** An entry of the log that no listener is shown. */
export interface Note {
  readonly kind: string
  readonly value: unknown
}

/** A sum of money. */
export interface Amount {
  readonly value: number
  readonly currency: string
}

/** What an approver is told of a call, in words. The arguments are shown below it in any case. */
export interface ApprovalDescription {
  /** What the call does, as one sentence: "Book easyJet EJ4521 to Corfu for £188.00". */
  readonly title: string
  /** What else the approver should know, in a sentence or two. */
  readonly summary?: string | undefined
  /** Facts in people's words, by their labels, such as `{ Departs: 'Sat 15 Aug, 06:15' }`. */
  readonly details?: Readonly<Record<string, string>> | undefined
  /** What a wrong decision costs. Phones do not decide requests of high risk by SMS. */
  readonly risk?: 'low' | 'medium' | 'high' | undefined
  /** The arguments that the approver may change before approving, within the tool's schema; none when left out. */
  readonly editable?: readonly string[] | undefined
  /**
   * The approver may allow the tool for the rest of the session, up to a sum of `amount` where the call has one. Calls
   * within it run without a further request.
   */
  readonly allowForSession?: boolean | undefined
  /** What the call costs, such as `{ value: 188, currency: 'GBP' }`. */
  readonly amount?: Amount | undefined
  /** A surface in place of the details: messages of A2UI. The buttons that decide are added to it. */
  readonly surface?: unknown
}

/** What people call a tool and its arguments, as the tool's definition has it. */
export interface ToolWords {
  readonly title?: string | undefined
  readonly summary?: string | undefined
  /** By the names of the arguments. */
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/** A call of a tool, and what must be known before it runs. */
export interface ToolCall {
  readonly name: string
  readonly args: unknown
  /** The model's own identifier of the call, where a model made it. */
  readonly toolCallId?: string | undefined
  /** True when running it twice with the same key does no harm. */
  readonly idempotent?: boolean | undefined
  /**
   * True when an approver must grant it first: the turn is suspended until then, over restarts too. `tainted`: only in a
   * turn that has seen foreign content.
   */
  readonly requiresApproval?: boolean | 'tainted' | undefined
  /**
   * The addresses, numbers or links that it sends to. In a turn that has seen foreign content an approver must grant those
   * that neither a user nor the agent's own data has named.
   */
  readonly recipients?: readonly string[] | undefined
  /** Where it sends what it is given, for the agent's `dataRules`: `email`, `peer:travel`. Its name counts too. */
  readonly sendsTo?: string | undefined
  /** Where its result is from; the agent's own data when left out. */
  readonly resultOrigin?: ResultOrigin | undefined
  /** Who must grant it; metadata of the request. */
  readonly approvalLevel?: 'user' | 'admin' | undefined
  /** When an undecided approval counts as denied. */
  readonly approvalExpiresAt?: number | undefined
  /** The JSON Schema of its arguments: an approver who changes some keeps to it. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  /** What an approver reads where `approval` says nothing; made of the names when left out. */
  readonly words?: ToolWords | undefined
  /** What its approver is told of it, in words; what was decided counts only as long as it is the same. */
  readonly approval?: ApprovalDescription | undefined
  /** What the approver should know besides the arguments; what was decided counts only as long as it is the same. */
  readonly approvalNotice?: string | undefined
  /** The policy that has granted it already; recorded as a decision. */
  readonly approvedBy?: string | undefined
  /** Who runs it, for a tool of a client: the turn waits for the result, over restarts too. */
  readonly client?: ToolClient | undefined
}

/** What a tool is given while it runs. */
export interface ToolRun {
  /** The same when the call has to be run again. */
  readonly key: string
  readonly signal: AbortSignal
  /** Emits a part meanwhile, such as progress; the turn stays awaiting or, while a peer works on it, delegated. */
  readonly emit: Emit
  /** Shows text that grows, before it is emitted. */
  readonly live: ShowLive
  /** Opens a manifest; its results come to the turn, not to the tool. */
  readonly manifest: (plan: ManifestPlan) => Promise<string>
  /**
   * Asks an approver while the tool runs: the turn is suspended, and the tool is run again once they
   * have decided. Only for idempotent tools.
   */
  readonly approve: (request: ApprovalAsked) => Promise<DecisionMade>
  /** Keeps something in the log for the next run of this call; the last one counts. */
  readonly note: (value: unknown) => Promise<void>
  /** What an earlier run of this call has noted. */
  readonly noted?: unknown
  /** The foreign origins of what the turn had seen when the call began. */
  readonly origins: readonly string[]
}

/**
 * Emits a part while a tool runs. A part that an earlier run of the call emitted at the same place is not emitted
 * again: places are counted, or named by actors that cannot repeat the same order.
 */
export type Emit = <Name extends string>(
  parts: readonly SaidPart<Name>[],
  turnState?: 'awaiting' | 'delegated',
  place?: string,
) => Promise<void>

/**
 * Shows one more piece of a text while a tool runs, under a name; without a piece, takes back what was shown under it.
 * It is never stored: what `emit` adds at a place of that name, or at one that begins with the name and a dot, replaces
 * it.
 */
export type ShowLive = (name: string, more?: Omit<LiveText, 'index'>) => void

/** What a tool wants to have approved while it runs. */
export interface ApprovalAsked {
  readonly toolName: string
  readonly args: unknown
  readonly expiresAt?: number | undefined
  readonly approval?: ApprovalDescription | undefined
  /** The JSON Schema of the arguments: an approver who changes some keeps to it. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly words?: ToolWords | undefined
}

/** Work that an actor can start in parallel to its turn, by name, so that it can go on in another process. */
export interface Work {
  /** True when running it twice with the same key does no harm. */
  readonly idempotent?: boolean | undefined
  /** Where its result is from; the agent's own data when left out. */
  readonly resultOrigin?: ResultOrigin | undefined
  readonly run: (args: unknown, run: WorkRun) => unknown
}

/** What work is given while it runs. */
export interface WorkRun {
  /** The same when the work has to be run again. */
  readonly key: string
  readonly signal: AbortSignal
  readonly view: SessionView
  /** The foreign origins of what the turn had seen when it began the work. */
  readonly origins?: readonly string[] | undefined
  /** Emits a part meanwhile, such as progress. */
  readonly emit: <Name extends string>(parts: readonly SaidPart<Name>[]) => Promise<void>
}

/** What fills a slot. */
export interface SlotPlan {
  /** The name of one of the actor's works. */
  readonly work: string
  readonly args?: unknown
  /** Where the result stands in the turn's data; the slot's own name when left out. */
  readonly slotKey?: string | undefined
  readonly mergeStrategy?: MergeStrategy | undefined
  /** The kind of the data, which chooses its surface template. */
  readonly kind?: string | undefined
}

/** Several pieces of work that belong together and run in parallel to the turn. */
export interface ManifestPlan {
  readonly name: string
  readonly slots: Readonly<Record<string, SlotPlan>>
  /** How long to wait before the manifest settles without what is missing. */
  readonly deadlineMs?: number | undefined
}

/** What comes to an actor from a manifest: the result of a slot, or the end of the manifest. */
export type Injection =
  | {
      readonly kind: 'slot'
      readonly manifestId: string
      readonly name: string
      readonly slot: string
      readonly outcome: 'ok' | 'failed' | 'unknown'
      /** The result; it is part of the turn's data already. */
      readonly part?: Part
      readonly reason?: string
    }
  | {
      readonly kind: 'settled'
      readonly manifestId: string
      readonly name: string
      readonly missing: readonly string[]
      readonly finalizedBy: 'complete' | 'deadline' | 'cancelled'
    }

/** A tool call and how to run it. */
export interface PlannedTool<Value> {
  readonly call: ToolCall
  /**
   * The call's `approval`, where that must be looked up. It is asked for only as long as the call has not begun; a call
   * that cannot be described fails.
   */
  readonly describe?: (() => ApprovalDescription | undefined | Promise<ApprovalDescription | undefined>) | undefined
  /** The same call with arguments that its approver has changed, or what is wrong with them. Without it none can change. */
  readonly revise?:
    | ((
        changed: Readonly<Record<string, unknown>>,
      ) => Pick<PlannedTool<Value>, 'run'> | { readonly problems: readonly string[] })
    | undefined
  readonly run: (run: ToolRun) => Promise<Value>
}

/**
 * The result of a tool call: `unknown` when the process died while it ran and it must not be run again, `denied` when
 * it needed an approval and did not get it.
 */
export type ToolOutcome<Value> =
  | {
      readonly outcome: 'ok'
      readonly value: Value
      /** The arguments that its approver has changed, with the values that it ran with. */
      readonly changed?: Readonly<Record<string, unknown>> | undefined
    }
  | { readonly outcome: 'failed' | 'unknown' | 'denied'; readonly reason: string }

/** An action on a surface of a peer that was passed on to the peer before the actor began. */
export interface ForwardedAction {
  readonly messageId: string
  readonly peer: string
  /** The peer's answer, or why it could not be reached. */
  readonly outcome: ToolOutcome<unknown>
}

/** An earlier turn of the session: what came in, and what was answered. */
export interface PastTurn {
  readonly turnId: string
  readonly messages: readonly Message[]
  readonly injections: readonly Injection[]
  readonly parts: readonly Part[]
}

/** How an actor reaches the log: it sees messages and a session, never a channel. */
export interface TurnContext {
  readonly view: SessionView
  readonly turnId: string
  /** The trace that the turn belongs to: operators find it by that in the log. */
  readonly traceId?: string | undefined
  /** The name of the actor that has the turn. */
  readonly actor: string
  /** The messages that this turn answers. */
  readonly messages: readonly Message[]
  /** The actions among them that were passed on to peers before the actor began. */
  readonly forwarded: readonly ForwardedAction[]
  /** What the turn began with besides: results of manifests whose own turn was over when they arrived. */
  readonly began: readonly Injection[]
  /** Aborts when the turn is cancelled or this process may no longer run it. */
  readonly signal: AbortSignal
  /** The catalog of a surface that the conversation has; undefined when there is no such surface, as far as is known. */
  readonly catalogOf?: (surfaceId: string) => string | undefined
  /** The foreign origins of the content that the turn has seen so far. */
  readonly origins: readonly string[]
  /** The actor has seen content besides what the turn gives it, such as descriptions that another server has written. */
  sees(origins: readonly string[]): void
  /** Shows text of the open step now. */
  live(text: LiveText): void
  /** Takes back what `live` showed of the open step. */
  retract(): void
  /** Makes the open step durable and opens the next one. */
  commit(step: Step): Promise<void>
  /** The decisions on the turn's approvals that have been made. */
  readonly decisions: ReadonlyMap<string, Decision>
  /** The steps of this turn that are already in the log, oldest first. */
  readonly committed: readonly CommittedStep[]
  /**
   * Runs tools in parallel, each at most once per turn and position unless it is idempotent; calls that have run are
   * answered from the log. Calls that wait for an approval suspend the turn once the others are done.
   */
  tools<Value>(planned: readonly PlannedTool<Value>[]): Promise<ToolOutcome<Value>[]>
  /**
   * Opens a manifest and returns its id. Each result is part of the turn's data at once; when the turn is over by then,
   * a new turn begins with it. A run that begins anew finds the manifests that it had opened.
   */
  manifest(plan: ManifestPlan): Promise<string>
  /**
   * The results that manifests have brought to this turn, without the first `seen`, oldest first. With `wait`, resolves
   * when there is one; an empty list then means that none can come any more.
   */
  injected(seen: number, options?: { readonly wait?: boolean }): Promise<readonly Injection[]>
  /** The tools of its clients that it may call: those of the originators whose messages this turn answers. */
  readonly clientTools: readonly OfferedTool[]
  /** The state of the last of these clients' applications that has any: its word, which nothing vouches for. */
  readonly clientState: unknown
  /** Why nothing more may be used for the owner of the session, such as a model's tokens; undefined when it may. */
  spent?(): string | undefined
  /** The last turns before this one, oldest first. */
  history(max: number): Promise<PastTurn[]>
}

/** A step that is in the log. */
export interface CommittedStep {
  readonly step: number
  readonly hash: string
  readonly turnState: TurnState
  readonly answer?: unknown
}

/** The place of an actor in its agent. */
interface ActorPlace {
  readonly name: string
  /** The names of the agent's other actors, which a turn can be passed to. */
  readonly others: readonly string[]
  /** The tools that the agent offers to its models. */
  readonly tools: readonly PlainTool[]
  /** What may be said in the agent; the default registry when left out. */
  readonly partTypes?: PartTypeRegistry
  /** Whether models' prompts are kept in the log, for operators. */
  readonly recordPrompts?: boolean | undefined
}

/** A step as it was recorded, with what was written in the same commit. */
export interface RecordedCommit {
  readonly step: number
  readonly answer: unknown
  readonly notes: readonly Note[]
  readonly parts: readonly Part[]
}

/** Text that was shown of a step that a cancel has cut off. */
export interface CutText {
  readonly index: number
  readonly partType: string
  readonly text: string
}

/** What an actor is given to answer in a replay. */
export interface ActorReplay {
  readonly runtime: Runtime
  /** Answers in place of the record: a model, or the id of one. */
  readonly model?: unknown
  /** In place of the actor's own; its own model then answers, unless another is given. */
  readonly instructions?: string | undefined
  /** What the turn's actors have said in the record, from where the turn is now. */
  readonly answers: (turnId: string) => {
    readonly commits: readonly RecordedCommit[]
    readonly cut: readonly CutText[]
  }
  /** Waits for as long as the record does, where it has no further answer, and fails when that does not end. */
  readonly lacking: (model: string, signal: AbortSignal) => Promise<never>
}

/** Answers turns. `run` ends when the turn is settled, or throws, which settles it as an error. */
export interface Actor {
  run(turn: TurnContext): Promise<void>
  /** The work that it can start in parallel to its turns, by name. */
  readonly works?: Readonly<Record<string, Work>> | undefined
  /** The names of its tools, which clients cannot offer tools by. */
  readonly toolNames?: readonly string[] | undefined
  /** The same actor as one of an agent. */
  within?(agent: ActorPlace): Actor | Promise<Actor>
  /** The same actor in a replay: with the recorded answers of its model, or with another model. */
  replayed?(replay: ActorReplay): Actor | Promise<Actor>
}
