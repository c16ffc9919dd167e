import { AsyncLocalStorage } from 'node:async_hooks'
import { isBeachError, type Principal, type Runtime } from '@cool-ai/beach-core'
import type { Committed, LoggedEvent, PartReceived, SessionEvent, TurnStarted } from '@cool-ai/beach-core/log'
import {
  provideRunningActivity,
  type Activity,
  type ActivityFacts,
  type NotedError,
  type RunningActivity,
  type Telemetry,
  type ReportedError,
} from '@cool-ai/beach-core/ports'
import { defined, elapsed, parseTraceparent, traceIdOf, traceparentOf } from '@cool-ai/beach-core/runtime'
import { openTurnTrace } from '@cool-ai/beach-session'
import { countActivity } from './activity-counts.ts'
import { ActivityLines, type Ids, type RequestNotes } from './activity-lines.ts'
import { methodOf, sessionIn } from './error-reports.ts'
import type { Metrics } from './metrics.ts'
import type { SpanPlace, Spans } from './spans.ts'

/** What runs now, across awaits. */
interface Context {
  readonly running: RunningActivity
  readonly ids: Ids
  /** The trace context that the request came with; who has sent it is not known yet. */
  readonly incoming?: string | undefined
  readonly request?: RequestNotes | undefined
  /** Of the turn that it belongs to. */
  readonly turnFacts?: Facts | undefined
}

/** What an event was committed with. */
interface Noticed extends Pick<Committed, 'events' | 'state'> {
  readonly session: string
  readonly context: Context | undefined
}

type Facts = { -readonly [Name in keyof ActivityFacts]: ActivityFacts[Name] }

const contexts = new AsyncLocalStorage<Context | undefined>()
provideRunningActivity(() => contexts.getStore()?.running)

const noIds: Ids = {}

export interface AgentTelemetryOptions {
  readonly runtime: Runtime
  readonly metrics: Metrics
  /** Where an SDK of OpenTelemetry is set up. */
  readonly bridge?: Spans | undefined
  readonly agent: string
  /** Whether traces of callers without a credential are continued. */
  readonly guestTraces?: boolean | undefined
}

/** Reports on what one agent does: each activity becomes a line of the log, metrics and, with an SDK, a span. */
export class AgentTelemetry implements Telemetry {
  readonly #options: AgentTelemetryOptions
  readonly #lines: ActivityLines
  #onError: ((error: NotedError) => void) | undefined
  /** Outside of all activities. */
  readonly #idle: RunningActivity = { telemetry: this, traceparent: undefined, found: () => {} }

  constructor(options: AgentTelemetryOptions) {
    this.#options = options
    this.#lines = new ActivityLines(options.runtime.logger, options.agent)
  }

  async run<Result>(activity: Activity, task: (running: RunningActivity) => Promise<Result>): Promise<Result> {
    const { runtime, bridge } = this.#options
    const { clock } = runtime
    const outer = contexts.getStore()
    // There are several in each turn, and without a span nothing is within one.
    if (activity.kind === 'commit' && bridge?.isWithinSpan !== true) return this.#timed(activity, task, outer)
    const place = this.#placeOf(activity, outer)
    const span = bridge?.begin(activity, place)
    const traceparent =
      span?.traceparent ?? place.parent ?? (place.isApart === true ? undefined : outer?.running.traceparent)
    const facts: Facts = {}
    const running = { telemetry: this, traceparent, found: (more: ActivityFacts) => void Object.assign(facts, more) }
    const ids = this.#lines.isRead ? idsOf(activity, outer?.ids, traceparent) : noIds
    const turnFacts = activity.kind === 'turn' ? facts : outer?.turnFacts
    const context: Context = { running, ids, request: outer?.request, turnFacts }
    const since = elapsed(clock)
    let failure: string | undefined
    try {
      return await contexts.run(context, () => (span ? span.within(() => task(running)) : task(running)))
    } catch (error) {
      const isStopped = isStop(error)
      if (!isStopped) failure = codeOf(error)
      facts.outcome = isStopped ? 'stopped' : 'failed'
      throw error
    } finally {
      const ms = elapsed(clock) - since
      span?.end(facts, failure ?? (facts.outcome === 'failed' || facts.outcome === 'error' ? facts.outcome : undefined))
      countActivity(this.#options.metrics, activity, facts, ms, failure)
      this.#lines.ended(activity, ids, facts, { ms, failure })
    }
  }

  apart<Result>(task: () => Result): Result {
    const { bridge } = this.#options
    return contexts.run(undefined, () => (bridge === undefined ? task() : bridge.apart(task)))
  }

  committed(session: string, { events, state }: Pick<Committed, 'events' | 'state'>): void {
    const context = contexts.getStore()
    for (const { event } of events) this.#notice(event, { session, events, state, context })
  }

  #notice(event: SessionEvent, { session, events, state, context }: Noticed): void {
    const { metrics } = this.#options
    switch (event.type) {
      case 'turnStarted':
        if (this.#lines.isRead) note(context?.request, { session, ...turnOf(event, events) })
        break
      case 'turnSettled':
        metrics.add('turns', { outcome: event.finalizedBy })
        if (context?.turnFacts !== undefined) context.turnFacts.outcome = event.finalizedBy
        break
      case 'approvalDecided': {
        const ids = { session, turn: event.turnId, trace: openTurnTrace(state) }
        metrics.add('decisions', { decision: event.decision })
        note(context?.request, ids)
        this.#lines.decided(event, ids)
        break
      }
      case 'toolFinished':
        if (event.client === undefined) break
        this.#lines.clientTool(event, { session, turn: event.turnId, trace: openTurnTrace(state) })
        break
      case 'partReceived':
        if (event.partType === 'error') metrics.add('errors', { activity: 'turn', code: errorCode(event) })
        break
      default:
        break
    }
  }

  async request(request: Request, answer: () => Response | Promise<Response>): Promise<Response> {
    const { clock } = this.#options.runtime
    const parsed = parseTraceparent(request.headers.get('traceparent'))
    const notes: RequestNotes = { method: methodOf(request), ids: {} }
    const running = this.#idle
    const incoming = parsed && traceparentOf(parsed)
    const since = elapsed(clock)
    let status = 500
    try {
      const response = await contexts.run({ running, ids: {}, incoming, request: notes }, answer)
      status = response.status
      return response
    } finally {
      const ms = elapsed(clock) - since
      const labels = { method: notes.method, route: notes.route ?? 'none', status: String(status) }
      this.#options.metrics.observe('requests', ms / 1_000, labels)
      this.#lines.answered(notes, status, ms)
      notes.isAnswered = true
    }
  }

  continuing<Result>(traceparent: string, task: () => Result): Result {
    const parsed = parseTraceparent(traceparent)
    const outer = contexts.getStore()
    if (parsed === undefined || outer?.incoming !== undefined) return task()
    const running = outer?.running ?? this.#idle
    return contexts.run({ ids: {}, ...outer, running, incoming: traceparentOf(parsed) }, task)
  }

  routed(path: string, session: string | undefined): void {
    const request = contexts.getStore()?.request
    if (request === undefined) return
    request.route = path
    const known = sessionIn(session)
    if (known !== undefined) request.ids = { session: known }
  }

  reported(error: ReportedError): void {
    const { request, ids = noIds } = contexts.getStore() ?? {}
    // Its line has it; a stream goes on after that is written.
    if (request === undefined || request.isAnswered === true) this.#lines.reported(error, request?.ids ?? ids)
    else request.error = error
    this.#onError?.({ ...error, method: request?.method, route: request?.route, ...(request?.ids ?? ids) })
  }

  /** Gives each error that a caller is told of to a listener. */
  listenToErrors(onError: (error: NotedError) => void): void {
    this.#onError = onError
  }

  watch(read: () => Readonly<Record<string, number>>): void {
    this.#options.metrics.watch(read)
  }

  close(): void {
    this.#options.bridge?.close()
  }

  /** Beneath what runs now, unless the activity continues a message, maybe that of another process. */
  #placeOf(activity: Activity, outer: Context | undefined): SpanPlace {
    switch (activity.kind) {
      case 'turn':
      case 'delivery':
        return { parent: activity.trace, isApart: true }
      case 'tool':
        if (activity.place?.by !== undefined) return this.#callersPlace(activity.place.by, outer)
        return activity.place === undefined ? {} : { parent: activity.place.trace, isApart: true }
      case 'receive':
        return this.#callersPlace(activity.by, outer)
      case 'model':
      case 'commit':
        return {}
    }
  }

  #callersPlace(by: Principal, outer: Context | undefined): SpanPlace {
    const { bridge, guestTraces = false } = this.#options
    // Another instrumentation has read the header, by its own rules.
    if (outer?.incoming === undefined || bridge?.isWithinSpan === true) return {}
    // A stranger could have spans recorded, and added to the traces of others.
    const isTrusted = guestTraces || by.kind !== 'anonymous'
    return isTrusted ? { parent: outer.incoming } : { link: outer.incoming, isApart: true }
  }

  /** Only measures an activity. */
  async #timed<Result>(
    activity: Activity,
    task: (running: RunningActivity) => Promise<Result>,
    outer: Context | undefined,
  ): Promise<Result> {
    const { clock } = this.#options.runtime
    const since = elapsed(clock)
    try {
      const result = await task(outer?.running ?? this.#idle)
      countActivity(this.#options.metrics, activity, {}, elapsed(clock) - since, undefined)
      return result
    } catch (error) {
      countActivity(this.#options.metrics, activity, { outcome: 'failed' }, elapsed(clock) - since, codeOf(error))
      throw error
    }
  }
}

/** The ids that its line has. */
function idsOf(activity: Activity, outer: Ids | undefined, traceparent: string | undefined): Ids {
  const trace = parseTraceparent(traceparent)?.traceId
  switch (activity.kind) {
    case 'turn':
    case 'delivery': {
      const { session, turn } = activity
      return { session, turn, trace: trace ?? traceIdOf(turn, undefined) }
    }
    case 'tool': {
      const { session, turn } = activity.place ?? {}
      if (session === undefined) return { ...outer, ...defined({ trace }) }
      return { session, turn, trace: trace ?? (turn === undefined ? undefined : traceIdOf(turn, undefined)) }
    }
    case 'receive':
    case 'commit':
      return { ...outer, session: activity.session, ...defined({ trace }) }
    case 'model':
      return { ...outer, ...defined({ trace }) }
  }
}

/** What a request has led to, for its line. */
function note(request: RequestNotes | undefined, ids: Ids): void {
  if (request !== undefined) request.ids = ids
}

/** A turn that has started with its message. */
function turnOf({ turnId: turn }: TurnStarted, events: readonly LoggedEvent[]): Ids {
  const message = events.find(({ event }) => event.type === 'messageReceived')?.event
  const trace = message?.type === 'messageReceived' ? message.trace : undefined
  return { turn, trace: traceIdOf(turn, trace) }
}

function errorCode({ payload }: PartReceived): string {
  const code = payload?.part.metadata.code
  return typeof code === 'string' ? code : 'OTHER'
}

function isStop(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Stop' || error.name === 'AbortError')
}

function codeOf(error: unknown): string {
  if (isBeachError(error)) return error.code
  return error instanceof Error ? error.name : 'OTHER'
}
