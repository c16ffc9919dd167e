/** What a metric is called and counted in; its labels must have few values. */
export interface MetricDefinition {
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'histogram' | 'gauge'
  readonly unit?: 's' | '{token}' | undefined
  /** The upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[] | undefined
}

export type Labels = Readonly<Record<string, string>>

/** One combination of labels. A histogram counts the values between its bounds, and `value` is their sum. */
export interface Series {
  readonly labels: Labels
  value: number
  count: number
  readonly buckets: number[]
}

// Labels come from code and configuration; should one follow from what callers send, memory and scrapes stay bounded.
const maxSeries = 200
const maxLabelLength = 100

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const modelSeconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const tokens = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304]

const histogram = { kind: 'histogram', unit: 's', buckets: seconds } as const

export const definitions = {
  requests: { ...histogram, name: 'beach.request.duration', help: 'HTTP requests, until the answer begins.' },
  messages: { kind: 'counter', name: 'beach.messages', help: 'Messages that were received.' },
  turns: { kind: 'counter', name: 'beach.turns', help: 'Turns that have settled.' },
  turnRuns: { ...histogram, name: 'beach.turn.duration', help: 'Runs of turns, until they settle, wait or stop.' },
  modelCalls: {
    ...histogram,
    buckets: modelSeconds,
    name: 'gen_ai.client.operation.duration',
    help: 'Calls of models.',
  },
  modelTokens: {
    kind: 'histogram',
    unit: '{token}',
    buckets: tokens,
    name: 'gen_ai.client.token.usage',
    help: 'Tokens of model calls.',
  },
  modelCost: {
    kind: 'counter',
    name: 'beach.model.cost',
    help: 'The cost of model calls, in the currency of the prices.',
  },
  tools: { ...histogram, name: 'beach.tool.duration', help: 'Calls of tools.' },
  commits: { ...histogram, name: 'beach.commit.duration', help: 'Commits to session logs.' },
  deliveries: { ...histogram, name: 'beach.delivery.duration', help: 'Attempts to deliver.' },
  decisions: { kind: 'counter', name: 'beach.decisions', help: 'Approvals that were decided.' },
  takeovers: { kind: 'counter', name: 'beach.lease.takeovers', help: 'Turns that another host had left unfinished.' },
  errors: { kind: 'counter', name: 'beach.errors', help: 'Failures, by their codes.' },
  sessionsHeld: { kind: 'gauge', name: 'beach.sessions.held', help: 'Sessions whose lease this process has.' },
  turnsRunning: { kind: 'gauge', name: 'beach.turns.running', help: 'Turns that run in this process.' },
  turnsWaiting: { kind: 'gauge', name: 'beach.turns.waiting', help: 'Turns that wait for room in this process.' },
} as const satisfies Readonly<Record<string, MetricDefinition>>

export type MetricName = keyof typeof definitions

type Observer = (name: MetricName, value: number, labels: Labels) => void

/** The counts of one agent: the text for Prometheus and the instruments of OpenTelemetry read the same ones. */
export class Metrics {
  readonly #series = new Map<MetricName, Map<string, Series>>()
  readonly #gauges: (() => Readonly<Record<string, number>>)[] = []
  readonly #observers: Observer[] = []

  add(name: MetricName, labels: Labels = {}, value = 1): void {
    this.#find(name, labels).value += value
  }

  /** Counts a value of a histogram. */
  observe(name: MetricName, value: number, labels: Labels): void {
    const series = this.#find(name, labels)
    const { buckets = [] }: MetricDefinition = definitions[name]
    series.value += value
    series.count++
    const place = buckets.findIndex((bound) => value <= bound)
    if (place >= 0) series.buckets[place] = (series.buckets[place] ?? 0) + 1
    for (const observer of this.#observers) observer(name, value, series.labels)
  }

  /** Told of each value of a histogram: OpenTelemetry cannot read these when it wants them. */
  onObserve(observer: Observer): void {
    this.#observers.push(observer)
  }

  watch(read: () => Readonly<Record<string, number>>): void {
    this.#gauges.push(read)
  }

  /** What a metric is at now, one entry for each combination of labels. */
  read(name: MetricName): readonly Series[] {
    if (definitions[name].kind !== 'gauge') return [...(this.#series.get(name)?.values() ?? [])]
    const values = this.#gauges.flatMap((read) => read()[name] ?? [])
    if (values.length === 0) return []
    return [{ labels: {}, value: values.reduce((sum, value) => sum + value, 0), count: 0, buckets: [] }]
  }

  #find(name: MetricName, labels: Labels): Series {
    const all = this.#series.get(name) ?? new Map<string, Series>()
    if (all.size === 0) this.#series.set(name, all)
    return all.get(keyOf(labels)) ?? this.#make(name, all, labels)
  }

  #make(name: MetricName, all: Map<string, Series>, given: Labels): Series {
    const names = Object.keys(given)
    const isFull = all.size >= maxSeries
    const labels = Object.fromEntries(names.map((label) => [label, isFull ? 'other' : given[label]])) as Labels
    const key = keyOf(labels)
    const { buckets = [] }: MetricDefinition = definitions[name]
    const short = Object.entries(labels).map(([label, value]) => [label, value.slice(0, maxLabelLength)])
    const made = { labels: Object.fromEntries(short) as Labels, value: 0, count: 0, buckets: buckets.map(() => 0) }
    const series = all.get(key) ?? made
    all.set(key, series)
    return series
  }
}

function keyOf(labels: Labels): string {
  let key = ''
  for (const value of Object.values(labels)) key += `${value}\n`
  return key
}
