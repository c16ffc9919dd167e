import { appendFileSync } from 'node:fs'
import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

// What an application loads with `--import` before its agent: the SDK, here with exporters that write lines to a file.
const file = process.env.SPAN_FILE ?? ''

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext()
      const { name, kind, attributes, status, links } = span
      const parent = span.parentSpanContext?.spanId
      const linked = links.map((link) => link.context.traceId)
      const line = {
        process: process.pid,
        name,
        kind,
        traceId,
        spanId,
        parent,
        attributes,
        status: status.code,
        linked,
      }
      appendFileSync(file, `${JSON.stringify(line)}\n`)
    }
    done({ code: 0 })
  },
  shutdown: async () => {},
  forceFlush: async () => {},
}

class OnDemand extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}
const reader = new OnDemand()

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))

async function writeMetrics() {
  const { resourceMetrics } = await reader.collect()
  const found = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
  const read = found.map(({ descriptor, dataPoints }) => ({
    metric: descriptor.name,
    points: dataPoints.map(({ attributes, value }) => ({ attributes, value: value.sum ?? value, count: value.count })),
  }))
  appendFileSync(file, `${JSON.stringify({ metrics: read })}\n`)
}
process.on('SIGUSR2', () => void writeMetrics())
