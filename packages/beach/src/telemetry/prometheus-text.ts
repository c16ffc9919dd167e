import {
  definitions,
  type Labels,
  type MetricDefinition,
  type MetricName,
  type Metrics,
  type Series,
} from './metrics.ts'

/** The metrics in Prometheus' text format, version 0.0.4. */
export function prometheusText(metrics: Metrics): string {
  const names = Object.keys(definitions) as MetricName[]
  const lines = names.flatMap((name) => {
    const definition: MetricDefinition = definitions[name]
    const series = metrics.read(name)
    const called = prometheusName(definition)
    if (series.length === 0) return []
    return [
      `# HELP ${called} ${definition.help}`,
      `# TYPE ${called} ${definition.kind}`,
      ...series.flatMap((one) => linesOf(called, definition, one)),
    ]
  })
  return `${lines.join('\n')}\n`
}

function prometheusName({ name, kind, unit }: MetricDefinition): string {
  const suffix = kind === 'counter' ? '_total' : unit === 's' ? '_seconds' : ''
  return `${name.replaceAll('.', '_')}${suffix}`
}

function linesOf(name: string, { kind, buckets = [] }: MetricDefinition, series: Series): string[] {
  const { labels, value, count } = series
  if (kind !== 'histogram') return [`${name}${labelText(labels)} ${value}`]
  let upTo = 0
  return [
    ...buckets.map((bound, index) => {
      upTo += series.buckets[index] ?? 0
      return `${name}_bucket${labelText(labels, String(bound))} ${upTo}`
    }),
    `${name}_bucket${labelText(labels, '+Inf')} ${count}`,
    `${name}_sum${labelText(labels)} ${value}`,
    `${name}_count${labelText(labels)} ${count}`,
  ]
}

function labelText(labels: Labels, bound?: string): string {
  const all = Object.entries(bound === undefined ? labels : { ...labels, le: bound })
  if (all.length === 0) return ''
  return `{${all.map(([label, value]) => `${label.replaceAll('.', '_')}="${escaped(value)}"`).join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
