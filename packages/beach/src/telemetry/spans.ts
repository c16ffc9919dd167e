import type { Activity, ActivityFacts } from '@cool-ai/beach-core/ports'
import type { Metrics } from './metrics.ts'

/** Where a span belongs: beneath another in any process, or beneath what runs now when neither is given. */
export interface SpanPlace {
  /** The trace context of the span that it continues, or that it only refers to because a stranger has named it. */
  readonly parent?: string | undefined
  readonly link?: string | undefined
  /** True when it has no parent in this process. */
  readonly isApart?: boolean | undefined
}

/** A span while its activity runs. */
export interface RunningSpan {
  readonly traceparent: string
  within<Result>(task: () => Result): Result
  end(facts: ActivityFacts, failure: string | undefined): void
}

/** Spans and instruments of one agent. It names no type of OpenTelemetry, whose API only those who trace install. */
export interface Spans {
  /** True while a span runs that was begun here or by another instrumentation. */
  readonly isWithinSpan: boolean
  begin(activity: Activity, place: SpanPlace): RunningSpan
  /** Runs a task beneath no span. */
  apart<Result>(task: () => Result): Result
  /** Has the SDK read the metrics, until `close`. */
  measure(metrics: Metrics): void
  close(): void
}
