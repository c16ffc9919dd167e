import { encodeKey } from '@cool-ai/beach-core/postgres'
import { fromCursor } from '../missives/missive-page.ts'
import type { MissiveCodec } from '../missives/missive-codec.ts'
import type { AgeQuery, StoredQuery } from '../missives/missive-store.ts'
import { digest } from './digest.ts'
import type { missiveNames } from './missive-statements.ts'
import { tsqueryOf } from './search-words.ts'

/** Conditions in SQL, joined by AND, that share the list of their values. */
export class Filter {
  readonly values: unknown[]
  readonly #conditions: string[] = []

  /** With values that the statement has before those of its conditions. */
  constructor(...values: readonly unknown[]) {
    this.values = [...values]
  }

  get sql(): string {
    return this.#conditions.length === 0 ? 'true' : this.#conditions.join(' AND ')
  }

  /** Adds a condition; `toSql` is given the names of the parameters that have the values. */
  where(toSql: (...parameters: string[]) => string, ...values: readonly unknown[]): this {
    this.#conditions.push(toSql(...values.map((value) => this.parameter(value))))
    return this
  }

  parameter(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}

/** The condition of a query on missives, m, of correspondents, c. */
export function missiveFilter(query: StoredQuery, names: ReturnType<typeof missiveNames>, codec: MissiveCodec): Filter {
  const { tenant, words, sessionId, threadId, channel, persons, mine, direction, since, until, after } = query
  const filter = new Filter().where((one) => `m.tenant = ${one}`, encodeKey(tenant))
  const isOneOf = (addresses: readonly string[]) => addresses.map((address) => digest(tenant, codec.name(address)))
  const withAddress = (list: string) =>
    `SELECT session, correspondent FROM ${names.address} WHERE address = ANY(${list}::uuid[])`
  const ofOwner = (list: string) =>
    `SELECT session, correspondent FROM ${names.correspondent} WHERE owner = ANY(${list}::uuid[])`
  const isAmong = (sql: string) => `(m.session, m.correspondent) IN (${sql})`

  if (words !== undefined) filter.where((one) => `m.words @@ ${one}::tsquery`, tsqueryOf(tenant, words, codec))
  if (sessionId !== undefined) filter.where((one) => `m.session = ${one}`, encodeKey(sessionId))
  if (threadId !== undefined) filter.where((one) => `c.thread = ${one}`, digest(threadId))
  if (channel !== undefined) filter.where((one) => `c.channel = ${one}`, encodeKey(channel))
  if (persons !== undefined) filter.where((list) => isAmong(withAddress(list)), isOneOf(persons))
  if (mine !== undefined) {
    filter.where((list) => isAmong(`${ofOwner(list)} UNION ${withAddress(list)}`), isOneOf(mine))
  }
  if (direction !== undefined) filter.where((one) => `m.direction = ${one}`, direction === 'in' ? 0 : 1)
  if (since !== undefined) filter.where((one) => `m.at >= ${one}::bigint`, wholeMs(since))
  if (until !== undefined) filter.where((one) => `m.at < ${one}::bigint`, wholeMs(until))
  if (after !== undefined) {
    const start = fromCursor(after)
    filter.where((at, id) => `(m.at, m.id) < (${at}::bigint, ${id}::bigint)`, start.at, start.id)
  }
  return filter
}

/** Adds the condition that missives, m, of correspondents, c, are of that age. */
export function addAge(filter: Filter, { before, tenant, channel, except = [] }: AgeQuery): Filter {
  filter.where((one) => `m.at < ${one}::bigint`, wholeMs(Math.floor(before)))
  const rule = (given: Pick<AgeQuery, 'tenant' | 'channel'>) =>
    [
      given.tenant === undefined ? [] : `c.tenant = ${filter.parameter(encodeKey(given.tenant))}`,
      given.channel === undefined ? [] : `c.channel = ${filter.parameter(encodeKey(given.channel))}`,
    ]
      .flat()
      .join(' AND ') || 'true'
  filter.where(() => rule({ tenant, channel }))
  for (const other of except) filter.where(() => `NOT (${rule(other)})`)
  return filter
}

/** A time as the database takes it; what lies beyond its numbers lies beyond all times. */
export function wholeMs(time: number): number {
  return Math.min(Math.max(Math.ceil(time), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}
