import type { Part } from '../part.ts'

/** A piece of a text that both have, or only one of them. */
export interface TextPiece {
  readonly in: 'both' | 'recorded' | 'replayed'
  readonly text: string
}

/** Something of a turn as it was recorded and as it is in the replay; one of them is absent when only the other has it. */
export interface Difference<Thing> {
  readonly change: 'same' | 'changed' | 'added' | 'removed'
  readonly recorded?: Thing | undefined
  readonly replayed?: Thing | undefined
  /** For a text that has changed. */
  readonly text?: readonly TextPiece[] | undefined
}

/** A tool call of a turn, and how it ended; `denied` and `asked` without having begun. */
export interface ReplayedCall {
  readonly name: string
  readonly args: unknown
  readonly outcome: string
  readonly value?: unknown
}

/** Where a turn got to. */
export interface ReplayedEnd {
  /** Such as `complete`; `suspended` when it waits for a decision. */
  readonly turnState: string
  /** Absent while it is not settled. */
  readonly finalizedBy?: string | undefined
}

/** What the calls of models cost. */
export interface ReplayedUsage {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost?: number | undefined
}

/** Something that a replay asked for and that the record does not have. */
export interface NotRecorded {
  readonly turnId: string
  readonly kind: 'tool' | 'model' | 'work' | 'decision'
  readonly name: string
  readonly args?: unknown
}

/** A turn next to its replay. */
export interface TurnDifference {
  readonly turnId: string
  readonly change: 'same' | 'changed' | 'added' | 'removed'
  /** What it answers. */
  readonly asked: string
  readonly actors: Difference<readonly string[]>
  readonly end: Difference<ReplayedEnd>
  readonly parts: readonly Difference<Part>[]
  readonly tools: readonly Difference<ReplayedCall>[]
  /** Changes of coordinates, such as `order.stage = paid`. */
  readonly states: readonly Difference<string>[]
  readonly usage: { readonly recorded: ReplayedUsage; readonly replayed: ReplayedUsage }
  /** Whether its models were asked the same; `unknown` where prompts are not recorded. */
  readonly prompt: 'same' | 'changed' | 'unknown'
  /** Differences of its log that the rest does not show, by event types. */
  readonly others: readonly string[]
  readonly notRecorded: readonly NotRecorded[]
}

/** What a replay of a session has come to. */
export interface ReplayReport {
  readonly session: string
  /** The first turn that was replayed. */
  readonly from?: string | undefined
  readonly model?: string | undefined
  /** True when other instructions were given. */
  readonly instructions?: boolean | undefined
  /** True when the log of the replay is that of the record, but for ids, times and prompts. */
  readonly same: boolean
  readonly events: { readonly recorded: number; readonly replayed: number }
  readonly turns: readonly TurnDifference[]
  /** Warnings and errors that the agent has logged meanwhile. */
  readonly problems: readonly string[]
}

/** What is replayed, and what is to be different. */
export interface ReplayRequest {
  readonly session: string
  /** The turn to begin with; the first one when left out. */
  readonly from?: string | undefined
  /** How many turns; all that follow when left out. */
  readonly turns?: number | undefined
  /** A model that answers in place of the record, or the id of one. */
  readonly model?: unknown
  /** The instructions of the actor; its own model answers, unless another one is given. */
  readonly instructions?: string | undefined
  /** The actor that gets them; every actor that a model plays when left out. */
  readonly actor?: string | undefined
}
