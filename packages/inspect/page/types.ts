import type { ReportSummary } from '../src/evaluations/kept/kept-evaluations.ts'
import type { CaseResult } from '../src/evaluations/report.ts'
import type { TurnSpan } from '../src/turns/turn-span.ts'

export type { ReportSummary } from '../src/evaluations/kept/kept-evaluations.ts'
export type { CaseResult, RunResult } from '../src/evaluations/report.ts'
export type { SpanRow, TurnSpan } from '../src/turns/turn-span.ts'

/** Results that were kept, whole. */
export interface EvaluationReport extends ReportSummary {
  readonly cases: readonly CaseResult[]
}

export interface Me {
  readonly operator: string
  readonly mayAct: boolean
  readonly mayAdmin: boolean
  readonly agent: { readonly id: string; readonly name: string }
  /** The models that sessions may be replayed with, besides the agent's own. */
  readonly models: readonly string[]
  /** The actors that models play. */
  readonly modelActors: readonly string[]
}

/** A turn that told of an error. */
export interface TracedPlace {
  readonly sessionId: string
  readonly turnId: string
  readonly page?: number
  readonly title?: string
}

export interface Paged<Item> {
  readonly items: readonly Item[]
  readonly next?: string | number
}

export interface Summary {
  readonly sessionId: string
  readonly openedAt: number
  readonly lastAt: number
  readonly events: number
  readonly turns: number
  readonly messages: number
  readonly errors: number
  readonly tokens: number
  readonly cost: number
  readonly state: string
  readonly owner?: { readonly kind: string; readonly id: string }
  readonly channels: readonly string[]
  readonly title: string
  readonly pendingApprovals: readonly string[]
  readonly deadLetters: number
}

export interface SessionDetail extends Summary {
  readonly head: number
  readonly turnPages: number
  readonly view?: {
    readonly coordinates: Readonly<Record<string, string>>
    readonly originators: readonly unknown[]
    readonly manifests: readonly unknown[]
    readonly inFlight: readonly unknown[]
    readonly allowances: readonly unknown[]
    readonly turn?: { readonly turnId: string; readonly turnState: string }
  }
}

export interface RawEvent {
  readonly seq: number
  readonly event: { readonly type: string; readonly at: number } & Readonly<Record<string, unknown>>
}

export interface EventPage {
  readonly count: number
  readonly items: readonly RawEvent[]
  readonly next?: number
}

export interface Around {
  readonly seq: number
  readonly event: RawEvent['event']
  readonly changed: readonly string[]
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

export interface TurnPage {
  readonly page: number
  readonly pages: number
  readonly items: readonly TurnSpan[]
}

export interface Listener {
  readonly originatorId: string
  readonly transport: string
  readonly deliveryClass: string
  readonly way: 'push' | 'pull'
  readonly isRecipient: boolean
  readonly because?: string
  readonly parts: readonly {
    readonly partId: string
    readonly partType: string
    readonly decision: string
    readonly row: string
    readonly because: string
  }[]
  readonly envelope?: readonly Part[]
}

export interface Part {
  readonly text?: string
  readonly data?: unknown
  readonly metadata: { readonly partType: string }
}
