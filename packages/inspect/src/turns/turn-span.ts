/** The steps of the path of one message. */
export const pathSteps = ['receive', 'route', 'turn', 'act', 'respond', 'collect', 'deliver', 'send'] as const

export type PathStep = (typeof pathSteps)[number]

/** A message that a turn answers. */
export interface SpanMessage {
  readonly seq: number
  readonly at: number
  readonly messageId: string
  readonly originatorId: string
  readonly transport?: string | undefined
  readonly parts: readonly unknown[]
  /** The foreign origins of its content. */
  readonly origins?: readonly string[] | undefined
}

/** A `step` is a `respond()` of a function, or one in the middle of a model's message, whose last step is the row `model`. */
export type RowKind =
  | 'model'
  | 'step'
  | 'tool'
  | 'approval'
  | 'delivery'
  | 'part'
  | 'state'
  | 'work'
  | 'flow'
  | 'note'
  | 'host'

/** Something that happened in a turn, from one event to another where it took time. */
export interface SpanRow {
  readonly id: string
  readonly kind: RowKind
  readonly title: string
  readonly seq: number
  readonly at: number
  readonly endAt?: number | undefined
  /** Such as `ok`, `failed`, `granted` or `sent`. */
  readonly outcome?: string | undefined
  /** What is shown when the row is opened. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** A turn as a span, with what happened in it. */
export interface TurnSpan {
  readonly turnId: string
  readonly actor: string
  /** The seq of the first message that it answers, or of its start. */
  readonly since: number
  readonly seq: number
  readonly receivedAt: number
  readonly startedAt: number
  readonly settledAt?: number | undefined
  readonly turnState: string
  readonly finalizedBy?: string | undefined
  readonly resumed: number
  /** The processes that ran it, in their order; empty where the store does not tell them apart. */
  readonly processes: readonly string[]
  readonly messages: readonly SpanMessage[]
  /** The foreign origins of what it has seen, in their order: what others than its users and its own tools have written. */
  readonly origins: readonly string[]
  /** When each step of the path was first reached. */
  readonly steps: Partial<Record<PathStep, number>>
  /** In the order in which they began. */
  readonly rows: readonly SpanRow[]
}
