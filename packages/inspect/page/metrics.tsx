import { useState } from 'preact/hooks'
import type { Bucket, Durations } from '../src/metrics/buckets.ts'
import { Problem } from './bits.tsx'
import { Plot } from './plot.tsx'
import { cost, count, duration } from './format.ts'
import { useData } from './use-data.ts'

type Point = Bucket & { readonly at: number }

interface Metrics {
  readonly classes: readonly number[]
  readonly items: readonly Point[]
}

const spans = { '1 hour': 1, '6 hours': 6, '24 hours': 24, '7 days': 168, '30 days': 720 } as const

type SpanName = keyof typeof spans

/** What happened over time. */
export function MetricsPage() {
  const [span, setSpan] = useState<SpanName>('24 hours')
  const [to, setTo] = useState(() => Date.now())
  const from = to - spans[span] * 3_600_000
  const { value, error } = useData<Metrics>(`metrics?from=${from}&to=${to}&points=72`)
  const choose = (name: SpanName) => {
    setSpan(name)
    setTo(Date.now())
  }
  const points = value?.items ?? []
  const times = points.map(({ at }) => at)
  const sum = (of: (point: Point) => number) => points.reduce((total, point) => total + of(point), 0)
  const share = (of: (point: Point) => Durations, part: number) =>
    points.map((point) => quantile(of(point), value?.classes ?? [], part))
  return (
    <div class="list">
      <h1>Metrics</h1>
      <label class="inline">
        The last{' '}
        <select value={span} onChange={(event) => choose(event.currentTarget.value as SpanName)}>
          {Object.keys(spans).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>{' '}
      <button type="button" onClick={() => setTo(Date.now())}>
        Refresh
      </button>
      <Problem error={error} />
      <div class="plots">
        <Plot
          title="Turns"
          total={count(sum(({ turns }) => turns))}
          times={times}
          format={count}
          bars
          series={[
            { name: 'turns', values: points.map(({ turns, errors }) => turns - errors) },
            { name: 'errors', tone: 'bad', values: points.map(({ errors }) => errors) },
          ]}
        />
        <Plot
          title="Time to first part"
          times={times}
          format={duration}
          series={[
            { name: 'half within', values: share(({ firstPart }) => firstPart, 0.5) },
            { name: '95% within', tone: 'warn', values: share(({ firstPart }) => firstPart, 0.95) },
          ]}
        />
        <Plot
          title="Time to first token"
          times={times}
          format={duration}
          series={[
            { name: 'half within', values: share(({ firstToken }) => firstToken, 0.5) },
            { name: '95% within', tone: 'warn', values: share(({ firstToken }) => firstToken, 0.95) },
          ]}
        />
        <Plot
          title="Delivery lag"
          times={times}
          format={duration}
          series={[
            { name: 'half within', values: share(({ deliveryLag }) => deliveryLag, 0.5) },
            { name: '95% within', tone: 'warn', values: share(({ deliveryLag }) => deliveryLag, 0.95) },
          ]}
        />
        <Plot
          title="Cost"
          total={cost(sum((point) => point.cost))}
          times={times}
          format={cost}
          bars
          series={[{ name: 'cost', values: points.map((point) => point.cost) }]}
        />
        <Plot
          title="Tokens"
          total={count(sum(({ tokens }) => tokens))}
          times={times}
          format={count}
          bars
          series={[{ name: 'tokens', values: points.map(({ tokens }) => tokens) }]}
        />
        <Plot
          title="Errors of tools and deliveries"
          total={count(sum(({ toolErrors, deliveryFailures }) => toolErrors + deliveryFailures))}
          times={times}
          format={count}
          bars
          series={[
            { name: 'tools', tone: 'warn', values: points.map(({ toolErrors }) => toolErrors) },
            { name: 'deliveries', tone: 'bad', values: points.map(({ deliveryFailures }) => deliveryFailures) },
          ]}
        />
      </div>
    </div>
  )
}

/** The duration within which a share of all ended: the end of its class; undefined when there were none. */
function quantile({ count: all, classes }: Durations, ends: readonly number[], part: number): number | undefined {
  if (all === 0) return undefined
  let seen = 0
  for (const [index, number] of classes.entries()) {
    seen += number
    if (seen >= all * part) return ends[index] ?? (ends.at(-1) ?? 0) * 2
  }
  return undefined
}
