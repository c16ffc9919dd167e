import type { Runtime, Store } from '@cool-ai/beach-core'
import type { EventDraft } from '@cool-ai/beach-core/log'
import { LruMap } from '@cool-ai/beach-core/runtime'
import { numberOf } from '../listing/session-row.ts'
import { addBuckets, duration, emptyBucket, type Bucket } from './buckets.ts'

const bucketMs = 5 * 60_000
const keptMs = 30 * 24 * 60 * 60_000
const maxOpen = 10_000
const maxPages = 50

/** A stretch of time with what happened in it. */
export interface MetricPoint extends Bucket {
  readonly at: number
}

interface OpenBucket {
  readonly tenant: string
  readonly at: number
  bucket: Bucket
  isDirty: boolean
  /** The key under which it is kept now. */
  key?: string
}

/**
 * Counts what this process commits, in stretches of five minutes that each process keeps for itself: looking at them
 * reads no logs. They are for watching an agent, not for accounts: the last seconds may be lost in a crash.
 */
export class Metrics {
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #process: string
  /** When the first message came that waits for a turn, by session. */
  readonly #waiting = new LruMap<number>(maxOpen)
  /** Since when callers wait for the first part of a turn. */
  readonly #turns = new LruMap<number>(maxOpen)
  readonly #deliveries = new LruMap<number>(maxOpen)
  /** What was counted: a commit that had to be tried again is announced again. */
  readonly #counted = new LruMap<true>(maxOpen)
  readonly #tenants = new LruMap<string>(maxOpen)
  /** Counts of sessions whose tenant is not known yet. */
  readonly #unfiled = new Map<string, Bucket>()
  readonly #open = new Map<string, OpenBucket>()
  #generation = 0
  #forgotten = 0

  constructor(store: Store, runtime: Runtime) {
    this.#store = store
    this.#runtime = runtime
    this.#process = runtime.id('proc')
  }

  /** Counts events that were committed to a session at this time. */
  count(session: string, events: readonly EventDraft[], at: number): void {
    const counted: Partial<Bucket>[] = []
    let isRepeated = false
    for (const event of events) {
      if (event.type === 'stepCommitted') isRepeated = this.#wasCounted(`${event.turnId}.${event.step}`)
      if (event.type === 'actorNoted' && isRepeated) continue
      counted.push(...this.#countsOf(session, event, at))
    }
    if (counted.length === 0) return
    const before = this.#unfiled.get(session) ?? emptyBucket
    this.#unfiled.set(session, counted.reduce<Bucket>(addBuckets, before))
    const tenant = this.#tenants.get(session)
    if (tenant !== undefined) this.belongs(session, tenant)
  }

  /** A session's tenant is known: its counts are filed. */
  belongs(session: string, tenant: string): void {
    this.#tenants.set(session, tenant)
    const counts = this.#unfiled.get(session)
    if (counts === undefined) return
    this.#unfiled.delete(session)
    const at = Math.floor(this.#runtime.clock.now() / bucketMs) * bucketMs
    const key = `${encodeURIComponent(tenant)}:${at}`
    const open = this.#open.get(key) ?? { tenant, at, bucket: emptyBucket, isDirty: false }
    open.bucket = addBuckets(open.bucket, counts)
    open.isDirty = true
    this.#open.set(key, open)
  }

  /** Keeps what was counted. */
  async flush(): Promise<void> {
    const now = this.#runtime.clock.now()
    for (const [name, open] of this.#open) {
      if (open.isDirty) {
        open.isDirty = false
        const old = open.key
        const generation = String(this.#generation++).padStart(9, '0')
        open.key = `${prefixOf(open.tenant)}${open.at}:${this.#process}:${generation}`
        await this.#store.bind(open.key, JSON.stringify(open.bucket))
        if (old !== undefined) await this.#store.unbind(old)
      } else if (now - open.at > 2 * bucketMs) this.#open.delete(name)
    }
    if (Math.abs(now - this.#forgotten) > 60 * 60_000) await this.#forgetOld(now)
  }

  /** What happened from one time to another, in at most so many points. */
  async points(tenant: string, from: number, to: number, maxPoints: number): Promise<MetricPoint[]> {
    const width = Math.max(1, Math.ceil((to - from) / bucketMs / maxPoints)) * bucketMs
    const start = Math.floor(from / width) * width
    const points = new Map<number, Bucket>()
    for (let at = start; at < to; at += width) points.set(at, emptyBucket)
    for (const { at, bucket } of await this.#read(tenant, start, to)) {
      const place = start + Math.floor((at - start) / width) * width
      points.set(place, addBuckets(points.get(place) ?? emptyBucket, bucket))
    }
    return [...points].map(([at, bucket]) => ({ at, ...bucket }))
  }

  async #read(tenant: string, from: number, to: number): Promise<{ at: number; bucket: Bucket }[]> {
    const prefix = prefixOf(tenant)
    const found = new Map<string, { at: number; bucket: Bucket }>()
    let after = `${prefix}${from}`
    for (let page = 0; page < maxPages; page++) {
      const keys = await this.#store.list(prefix, after, 1_000)
      for (const { key, value } of keys) {
        const [at = '', process = ''] = key.slice(prefix.length).split(':')
        if (Number(at) >= to) return [...found.values()]
        // The last generation of each process counts.
        found.set(`${at}:${process}`, { at: Number(at), bucket: JSON.parse(value) as Bucket })
        after = key
      }
      if (keys.length < 1_000) break
    }
    return [...found.values()]
  }

  async #forgetOld(now: number): Promise<void> {
    this.#forgotten = now
    for (const tenant of new Set([...this.#open.values()].map((open) => open.tenant))) {
      const prefix = prefixOf(tenant)
      const keys = await this.#store.list(prefix, undefined, 1_000)
      const old = keys.filter(({ key }) => Number(key.slice(prefix.length).split(':')[0]) < now - keptMs)
      for (const { key } of old) await this.#store.unbind(key)
    }
  }

  #countsOf(session: string, event: EventDraft, now: number): Partial<Bucket>[] {
    switch (event.type) {
      case 'messageReceived':
        if (this.#waiting.get(session) === undefined) this.#waiting.set(session, now)
        return []
      case 'turnStarted':
        this.#turns.set(event.turnId, this.#waiting.get(session) ?? now)
        this.#waiting.delete(session)
        return []
      case 'partReceived':
        return since(this.#turns, event.turnId, now, (ms) => ({ firstPart: duration(ms) }))
      case 'turnSettled': {
        if (this.#wasCounted(event.turnId)) return []
        const isError = event.turnState === 'error' || event.finalizedBy === 'error'
        return [{ turns: 1, errors: isError ? 1 : 0 }]
      }
      case 'actorNoted':
        return event.kind === 'usage' ? [usageCounts(event.payload?.value)] : []
      case 'toolFinished':
        return event.outcome === 'ok' ? [] : [{ toolErrors: 1 }]
      case 'deliveryQueued':
        this.#deliveries.set(event.deliveryId, now)
        return []
      case 'deliverySent':
        return since(this.#deliveries, event.deliveryId, now, (ms) => ({ deliveries: 1, deliveryLag: duration(ms) }))
      case 'deliveryFailed':
        return [{ deliveryFailures: 1 }]
      default:
        return []
    }
  }

  #wasCounted(key: string): boolean {
    const was = this.#counted.get(key) === true
    this.#counted.set(key, true)
    return was
  }
}

function since(
  times: LruMap<number>,
  key: string,
  now: number,
  counts: (ms: number) => Partial<Bucket>,
): Partial<Bucket>[] {
  const start = times.get(key)
  if (start === undefined) return []
  times.delete(key)
  return [counts(Math.max(0, now - start))]
}

function usageCounts(value: unknown): Partial<Bucket> {
  const { inputTokens, outputTokens, cost, firstTokenMs } = Object(value) as Record<string, unknown>
  const counts = { modelCalls: 1, tokens: numberOf(inputTokens) + numberOf(outputTokens), cost: numberOf(cost) }
  return typeof firstTokenMs === 'number' ? { ...counts, firstToken: duration(firstTokenMs) } : counts
}

function prefixOf(tenant: string): string {
  return `inspect:metrics:${encodeURIComponent(tenant)}:`
}
