import { createLogger, type Logger } from '@cool-ai/beach-core'
import type { Activity, ActivityFacts } from '@cool-ai/beach-core/ports'
import { defined, parseTraceparent, traceparentOf } from '@cool-ai/beach-core/runtime'
import type * as Api from '@opentelemetry/api'
import { endAttributes, spanName, startAttributes } from './activity-names.ts'
import { definitions, type Metrics, type MetricDefinition, type MetricName } from './metrics.ts'
import type { RunningSpan, SpanPlace, Spans } from './spans.ts'

type Agent = { readonly id: string; readonly name: string }

const scope = '@cool-ai/beach'

/** Where an SDK registers itself, whichever copy of the API it has. */
const registered = Symbol.for('opentelemetry.js.api.1')

/** What an SDK has registered: its version of the API, and its parts. */
interface Registered {
  readonly version?: string
  readonly trace?: unknown
}

/** The API of OpenTelemetry with the SDK that the application has set up. Without an SDK the API is not loaded. */
export async function openTelemetry(logger: Logger = createLogger()): Promise<typeof Api | undefined> {
  const sdk = (globalThis as { readonly [registered]?: Registered })[registered]
  if (sdk === undefined) return undefined
  try {
    const api = await import('@opentelemetry/api')
    // A copy of the API that is newer than the SDK's gives spans that go nowhere, and says nothing.
    if (sdk.trace !== undefined && api.trace.getTracerProvider() !== sdk.trace) {
      const message = `OpenTelemetry is set up with version ${sdk.version} of @opentelemetry/api, which the copy that the agent loads does not work with: nothing is traced. Install one version for both`
      logger.log('warn', message)
    }
    return api
  } catch (error) {
    const message = 'OpenTelemetry is set up, but @opentelemetry/api cannot be loaded; install it next to the agent'
    logger.log('warn', message, { error })
    return undefined
  }
}

/** Spans and instruments of one agent. */
export class OpenTelemetryBridge implements Spans {
  readonly #api: typeof Api
  readonly #agent: Agent
  readonly #tracer: Api.Tracer
  readonly #removals: (() => void)[] = []

  constructor(api: typeof Api, agent: Agent) {
    this.#api = api
    this.#agent = agent
    this.#tracer = api.trace.getTracer(scope)
  }

  get isWithinSpan(): boolean {
    return this.#api.trace.getActiveSpan() !== undefined
  }

  begin(activity: Activity, place: SpanPlace): RunningSpan {
    const { trace, context } = this.#api
    const parent = this.#contextOf(place)
    const link = this.#remote(place.link)
    const span = this.#tracer.startSpan(
      spanName(activity, this.#agent.name),
      {
        kind: this.#kindOf(activity),
        attributes: startAttributes(activity, this.#agent),
        ...defined({ links: link && [{ context: link }] }),
      },
      parent,
    )
    const { traceId, spanId, traceFlags } = span.spanContext()
    const inside = trace.setSpan(parent, span)
    return {
      traceparent: traceparentOf({ traceId, spanId, flags: traceFlags.toString(16).padStart(2, '0') }),
      within: (task) => context.with(inside, task),
      end: (facts, failure) => this.#end(span, facts, failure),
    }
  }

  apart<Result>(task: () => Result): Result {
    return this.#api.context.with(this.#api.ROOT_CONTEXT, task)
  }

  measure(metrics: Metrics): void {
    const meter = this.#api.metrics.getMeter(scope)
    const own = { 'beach.agent': this.#agent.id }
    const histograms = new Map<MetricName, Api.Histogram>()
    for (const [key, definition] of Object.entries<MetricDefinition>(definitions)) {
      const name = key as MetricName
      const { help: description, unit = '1', buckets = [] } = definition
      if (definition.kind === 'histogram') {
        const advice = { explicitBucketBoundaries: [...buckets] }
        histograms.set(name, meter.createHistogram(definition.name, { description, unit, advice }))
        continue
      }
      const instrument =
        definition.kind === 'counter'
          ? meter.createObservableCounter(definition.name, { description })
          : meter.createObservableGauge(definition.name, { description })
      const read: Api.ObservableCallback = (result) => {
        for (const { value, labels } of metrics.read(name)) result.observe(value, { ...labels, ...own })
      }
      instrument.addCallback(read)
      this.#removals.push(() => instrument.removeCallback(read))
    }
    metrics.onObserve((name, value, labels) => histograms.get(name)?.record(value, { ...labels, ...own }))
  }

  close(): void {
    for (const remove of this.#removals.splice(0)) remove()
  }

  #contextOf({ parent, isApart }: SpanPlace): Api.Context {
    const { trace, context, ROOT_CONTEXT } = this.#api
    const remote = this.#remote(parent)
    if (remote !== undefined) return trace.setSpanContext(ROOT_CONTEXT, remote)
    return isApart === true ? ROOT_CONTEXT : context.active()
  }

  #remote(traceparent: string | undefined): Api.SpanContext | undefined {
    const parsed = parseTraceparent(traceparent)
    if (parsed === undefined) return undefined
    const { traceId, spanId, flags } = parsed
    return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & this.#api.TraceFlags.SAMPLED, isRemote: true }
  }

  #kindOf({ kind }: Activity): Api.SpanKind {
    const { SpanKind } = this.#api
    if (kind === 'receive') return SpanKind.SERVER
    return kind === 'model' || kind === 'delivery' ? SpanKind.CLIENT : SpanKind.INTERNAL
  }

  #end(span: Api.Span, facts: ActivityFacts, failure: string | undefined): void {
    span.setAttributes(endAttributes(facts))
    if (failure !== undefined) {
      // Not the exception itself: its message may have what people said.
      span.setAttribute('error.type', failure)
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    }
    span.end()
  }
}
