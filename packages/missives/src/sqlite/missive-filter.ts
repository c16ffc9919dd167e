import { createHash } from 'node:crypto'
import type { SQLInputValue } from 'node:sqlite'
import { fromCursor } from '../missives/missive-page.ts'
import type { AgeQuery, StoredQuery } from '../missives/missive-store.ts'

/** A condition in SQL, and what stands for its question marks. */
export interface Filter {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** What a query asks of `missive`, here called m, and of the index of words when it has some. */
export function missiveFilter(query: StoredQuery): Filter {
  const { tenant, words, sessionId, threadId, channel, direction, since, until, persons, mine, after } = query
  const start = after === undefined ? undefined : fromCursor(after)
  return all([
    is('m.tenant = ?', tenant),
    words && is('missive_text MATCH ?', matchOf(tenant, words)),
    sessionId !== undefined && is('m.session = ?', sessionId),
    threadId !== undefined && is('m.thread = ?', threadId),
    channel !== undefined && is('m.channel = ?', channel),
    direction !== undefined && is('m.direction = ?', direction),
    since !== undefined && is('m.at >= ?', since),
    until !== undefined && is('m.at < ?', until),
    persons && hasAddress(tenant, persons),
    mine && mineOnly(tenant, mine),
    start && is('(m.at, m.id) < (?, ?)', start.at, start.id),
  ])
}

/** Which missives are of that age. */
export function ageFilter({ before, tenant, channel, except = [] }: AgeQuery): Filter {
  return all([
    is('at < ?', Math.floor(before)),
    ruleFilter({ tenant, channel }),
    ...except.map((rule) => not(ruleFilter(rule))),
  ])
}

/** A word that stands for the tenant in the index, so that a search looks at nobody else's missives at all. */
export function scopeOf(tenant: string): string {
  return `t${createHash('sha256').update(tenant).digest('hex').slice(0, 32)}`
}

/** Each word in quotes: nothing in it is a sign of the query language. */
function matchOf(tenant: string, words: readonly string[]): string {
  const quoted = words.map((word) => `"${word.replaceAll('"', '""')}" *`)
  return `scope : "${scopeOf(tenant)}" AND text : (${quoted.join(' AND ')})`
}

function hasAddress(tenant: string, addresses: readonly string[]): Filter {
  const marks = addresses.map(() => '?').join(', ')
  return is(
    `m.id IN (SELECT missive FROM missive_address WHERE tenant = ? AND address IN (${marks}))`,
    tenant,
    ...addresses,
  )
}

function mineOnly(tenant: string, mine: readonly string[]): Filter {
  const marks = mine.map(() => '?').join(', ')
  const withMe = hasAddress(tenant, mine)
  return { sql: `(m.owner IN (${marks}) OR ${withMe.sql})`, values: [...mine, ...withMe.values] }
}

function ruleFilter({ tenant, channel }: { tenant?: string | undefined; channel?: string | undefined }): Filter {
  return all([tenant !== undefined && is('tenant = ?', tenant), channel !== undefined && is('channel = ?', channel)])
}

function is(sql: string, ...values: SQLInputValue[]): Filter {
  return { sql, values }
}

function not({ sql, values }: Filter): Filter {
  return { sql: `NOT (${sql})`, values }
}

function all(filters: readonly (Filter | false | undefined)[]): Filter {
  const given = filters.filter((filter): filter is Filter => filter !== false && filter !== undefined)
  if (given.length === 0) return { sql: '1', values: [] }
  return { sql: given.map(({ sql }) => sql).join(' AND '), values: given.flatMap(({ values }) => values) }
}
