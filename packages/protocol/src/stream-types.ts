import type { Coordinates, TurnState } from '@cool-ai/beach-core'
import type { ApprovalOutcome } from '@cool-ai/beach-core/ports'
import type { ReaderPart } from './reader-part.ts'

/** A part of the conversation as a viewer sees it. */
export type StreamPart = ReaderPart & StreamPlace

interface StreamPlace {
  readonly partId: string
  readonly role: 'user' | 'agent'
  readonly turnId?: string
  readonly turnState?: TurnState
  /** Milliseconds since 1970; absent while the part is open. */
  readonly at?: number
  /** True while the text still grows and may be taken back. */
  readonly open: boolean
  /** True when some of an open part's text is missing, so that nothing is added until it comes. */
  readonly gap: boolean
}

/** Where a turn stands as far as the viewer knows. */
export interface StreamTurn {
  readonly turnId: string
  readonly epoch: number
  readonly turnState?: TurnState
  readonly actor?: string
  /** The last step that is durable. */
  readonly step?: number
  readonly settled: boolean
  readonly finalizedBy?: string
}

/** What slices showed when the stream began. Parts up to that seq of the log had led to it. */
export interface StreamBeginning {
  readonly seq: number
  readonly shown: Readonly<Record<string, unknown>>
}

/** Text that was added to an open part. */
export interface StreamDelta {
  readonly turnId: string
  readonly partId: string
  readonly partType: string
  readonly offset: number
  readonly delta: string
  /** All of the part's text so far. */
  readonly text: string
}

/** Open parts that are gone without having become durable. */
export interface StreamRetraction {
  readonly turnId: string
  readonly partIds: readonly string[]
}

/** Text that is missing: reconnect, or wait for the durable part. */
export interface StreamGap {
  readonly turnId: string
  readonly partId: string
}

/** How an approval ended, wherever that was; `void` also when its turn ended undecided. */
export interface StreamDecision {
  readonly turnId: string
  readonly approvalId: string
  readonly outcome: ApprovalOutcome
  /** The kind of principal that decided. */
  readonly by?: string
  /** The channel by which it was decided. */
  readonly via?: string
  /** The arguments that the approver has changed. */
  readonly args?: Readonly<Record<string, unknown>>
  /** When, in milliseconds since 1970; absent for a request that no longer counts because its turn is over. */
  readonly at?: number
}

/** What listeners can follow, and what they are given. */
export interface StreamEvents {
  /** A part has become durable; once per part. */
  part: StreamPart
  delta: StreamDelta
  retract: StreamRetraction
  gap: StreamGap
  turn: StreamTurn
  /** A turn has come to its end; once per turn. */
  settled: StreamTurn
  /** An approval is no longer to be decided. */
  decision: StreamDecision
  /** Where all coordinates stand now. */
  state: Coordinates
  /** Something above has happened: draw again. */
  change: undefined
}

export type StreamChange = {
  [Name in Exclude<keyof StreamEvents, 'change'>]: { readonly type: Name; readonly value: StreamEvents[Name] }
}[Exclude<keyof StreamEvents, 'change'>]
