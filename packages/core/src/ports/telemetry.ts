import type { Principal } from '../principal.ts'
import type { Committed } from '../session-log.ts'

/** Work that is reported on when it has ended: as a line of the log, in metrics, and as a span. */
export type Activity =
  | {
      readonly kind: 'receive'
      readonly session: string
      readonly transport: string
      readonly by: Principal
    }
  | {
      readonly kind: 'turn'
      readonly session: string
      readonly turn: string
      readonly actor: string
      /** The trace context that its message was received in. */
      readonly trace: string | undefined
      /** True when another host left it unfinished. */
      readonly takesOver: boolean
    }
  | { readonly kind: 'model'; readonly model: string; readonly provider: string }
  | {
      readonly kind: 'tool'
      readonly name: string
      readonly callId: string
      /** Of a tool that runs in parallel to turns, or that a caller runs without one. */
      readonly place?: {
        readonly session: string
        readonly turn?: string | undefined
        readonly trace?: string | undefined
        readonly by?: Principal | undefined
      }
    }
  | { readonly kind: 'commit'; readonly session: string }
  | {
      readonly kind: 'delivery'
      readonly session: string
      readonly turn: string
      /** Its place in the session's log: its id may contain an address. */
      readonly seq: number
      readonly transport: string
      readonly attempt: number
      readonly trace: string | undefined
    }

/** What is known of an activity once it has ended: no text, no address, no argument. */
export interface ActivityFacts {
  readonly outcome?: string | undefined
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
  readonly cost?: number | undefined
  readonly finishReason?: string | undefined
  readonly responseModel?: string | undefined
}

/** An activity while it runs. */
export interface RunningActivity {
  readonly telemetry: Telemetry
  /** The W3C trace context to continue elsewhere; absent when there is no trace beyond this process. */
  readonly traceparent: string | undefined
  readonly found: (facts: ActivityFacts) => void
}

/** An error that a caller was told of. */
export interface ReportedError {
  /** By which the answer has it. */
  readonly id: string
  readonly code: string
  /** Its HTTP status, on whichever protocol it was told. */
  readonly status: number
  /** What was thrown; undefined where only the answer is known. */
  readonly error: unknown
}

/** An error that a caller was told of, and where. */
export interface NotedError extends ReportedError {
  readonly method?: string | undefined
  /** The path of the request, as it is registered. */
  readonly route?: string | undefined
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly trace?: string | undefined
}

/** Reports on requests, and on the errors that their callers are told of. */
export interface RequestReports {
  /** Answers a request; what it leads to is within the trace that the caller names, if the caller is identified. */
  request(request: Request, answer: () => Response | Promise<Response>): Promise<Response>
  /** The request that is answered now is for this path, as it is registered, and for the session that the path names. */
  routed(path: string, session: string | undefined): void
  /** A caller is told of an error, in the request that is answered now or on another way. */
  reported(error: ReportedError): void
}

/** Reports on all that an agent does. */
export interface Telemetry extends RequestReports {
  /** Runs a task as an activity, within the one that runs now unless the activity names its place in a trace. */
  run<Result>(activity: Activity, task: (running: RunningActivity) => Promise<Result>): Promise<Result>
  /** Notices events that this process has appended to a session. */
  committed(session: string, committed: Pick<Committed, 'events' | 'state'>): void
  /** Runs a task outside of the activity that runs now: it goes on after that has ended. */
  apart<Result>(task: () => Result): Result
  /** Runs a task for a message that names the caller's trace itself, in a protocol without headers for it. */
  continuing<Result>(traceparent: string, task: () => Result): Result
  /** Reads gauges, by name, whenever metrics are asked for. */
  watch(read: () => Readonly<Record<string, number>>): void
}

let find: () => RunningActivity | undefined = () => undefined

/** The activity that runs now, across awaits; undefined without telemetry. */
export function runningActivity(): RunningActivity | undefined {
  return find()
}

/** For the implementation of telemetry: async contexts belong to the process, not to an agent. */
export function provideRunningActivity(read: typeof find): void {
  find = read
}
