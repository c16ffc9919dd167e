/** Upper ends of the classes of durations, in milliseconds; the last class has none. */
export const durationClasses = [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const

/** Durations of one kind: how many there were in each class, and their sum. */
export interface Durations {
  readonly count: number
  readonly sum: number
  readonly classes: readonly number[]
}

/** What happened in one stretch of time. */
export interface Bucket {
  readonly turns: number
  readonly errors: number
  readonly modelCalls: number
  readonly tokens: number
  readonly cost: number
  readonly toolErrors: number
  readonly deliveries: number
  readonly deliveryFailures: number
  readonly firstPart: Durations
  readonly firstToken: Durations
  readonly deliveryLag: Durations
}

const noDurations: Durations = { count: 0, sum: 0, classes: [...durationClasses, 0].map(() => 0) }

export const emptyBucket: Bucket = {
  turns: 0,
  errors: 0,
  modelCalls: 0,
  tokens: 0,
  cost: 0,
  toolErrors: 0,
  deliveries: 0,
  deliveryFailures: 0,
  firstPart: noDurations,
  firstToken: noDurations,
  deliveryLag: noDurations,
}

/** One duration. */
export function duration(ms: number): Durations {
  const place = durationClasses.findIndex((end) => ms <= end)
  const at = place < 0 ? durationClasses.length : place
  return { count: 1, sum: ms, classes: noDurations.classes.map((_, index) => (index === at ? 1 : 0)) }
}

/** Two stretches of time as one. */
export function addBuckets(one: Bucket, other: Partial<Bucket>): Bucket {
  const sum: Record<string, unknown> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = one[name as keyof Bucket]
    sum[name] = typeof value === 'number' ? Number(before) + value : addDurations(before as Durations, value)
  }
  return sum as unknown as Bucket
}

function addDurations(one: Durations, other: Durations): Durations {
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    classes: one.classes.map((count, index) => count + (other.classes[index] ?? 0)),
  }
}
