import { BeachError, type Runtime } from '@cool-ai/beach-core'
import { logSettings, writes } from '@cool-ai/beach-core/runtime'
import type { AgentTelemetry } from './agent-telemetry.ts'
import type { ErrorReports } from './error-reports.ts'

/** What is reported besides the log, and whose traces are continued. */
export interface TelemetryOptions {
  /** Serves `GET /metrics` to operators, for Prometheus; `BEACH_METRICS=on` does it too. */
  readonly metrics?: boolean | undefined
  /** Whether the trace of a caller without a credential is continued; otherwise such a message begins a new one. */
  readonly guestTraces?: boolean | undefined
}

/** The reports of an agent as members of its runtime, and its metrics as Prometheus reads them where these are served. */
export interface OpenedTelemetry {
  readonly members: {
    /** On all that the agent does; undefined where only errors are kept. */
    readonly telemetry?: AgentTelemetry | undefined
    readonly requests: AgentTelemetry | ErrorReports
  }
  readonly metricsText?: (() => string) | undefined
}

/** Undefined without a reader: nothing is loaded or counted then. `isInspected` says that the inspector keeps errors. */
export async function telemetryOf(
  runtime: Runtime,
  agent: { readonly id: string; readonly name: string },
  options: TelemetryOptions = {},
  isInspected = false,
): Promise<OpenedTelemetry | undefined> {
  // A wrong BEACH_LOG is refused here, where the sentence is read.
  logSettings()
  const isServed = options.metrics ?? isOn(process.env.BEACH_METRICS)
  const hasSdk = Object.hasOwn(globalThis, Symbol.for('opentelemetry.js.api.1'))
  if (!isServed && !hasSdk && !writes(runtime.logger, 'info')) {
    return isInspected ? { members: { requests: new (await import('./error-reports.ts')).ErrorReports() } } : undefined
  }
  const [{ AgentTelemetry: Made }, { Metrics }, bridged] = await Promise.all([
    import('./agent-telemetry.ts'),
    import('./metrics.ts'),
    hasSdk ? import('./open-telemetry.ts') : undefined,
  ])
  const metrics = new Metrics()
  const api = await bridged?.openTelemetry(runtime.logger)
  const bridge = api && bridged && new bridged.OpenTelemetryBridge(api, agent)
  bridge?.measure(metrics)
  const telemetry = new Made({ runtime, metrics, bridge, agent: agent.id, guestTraces: options.guestTraces })
  const members = { telemetry, requests: telemetry }
  if (!isServed) return { members }
  const { prometheusText } = await import('./prometheus-text.ts')
  return { members, metricsText: () => prometheusText(metrics) }
}

function isOn(value = ''): boolean {
  if (value === 'on') return true
  if (value === 'off' || value === '') return false
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `BEACH_METRICS is ${JSON.stringify(value.slice(0, 100))}. Set it to on or off.`,
  )
}
