import type { SQLInputValue } from 'node:sqlite'
import { fromCursor } from '../missives/missive-page.ts'
import type { MissiveCodec } from '../missives/missive-codec.ts'
import { scopeOf } from '../missives/missive-row.ts'
import type { AgeQuery, StoredQuery } from '../missives/missive-store.ts'

/** A condition in SQL, and the values of its question marks. */
export interface Filter {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** The condition of a query on `missive`, here called m, and on the index of words when it has some. */
export function missiveFilter(query: StoredQuery, codec: MissiveCodec): Filter {
  const { tenant, words, direction, since, until, after } = query
  const start = after === undefined ? undefined : fromCursor(after)
  const correspondents = correspondentFilter(query, codec)
  const areFew = [query.sessionId, query.threadId, query.persons, query.mine].some((one) => one !== undefined)
  // A plus keeps SQLite from an index: of few correspondents all missives are sorted, otherwise those of the tenant are
  // gone through by time.
  const [byTime, byCorrespondent] = areFew ? ['+', ''] : ['', '+']
  return all([
    is(`${byTime}m.tenant = (SELECT id FROM tenant WHERE name = ?)`, tenant),
    words && is('missive_text MATCH ?', matchOf(tenant, words, codec)),
    correspondents && {
      sql: `${byCorrespondent}m.correspondent IN (SELECT c.id FROM correspondent c WHERE ${correspondents.sql})`,
      values: correspondents.values,
    },
    direction !== undefined && is('m.direction = ?', direction === 'in' ? 0 : 1),
    since !== undefined && is('m.at >= ?', since),
    until !== undefined && is('m.at < ?', until),
    start && is('(m.at, m.id) < (?, ?)', start.at, start.id),
  ])
}

/** The condition on correspondents; undefined when there is none. */
function correspondentFilter(query: StoredQuery, codec: MissiveCodec): Filter | undefined {
  const { tenant, sessionId, threadId, channel } = query
  const [persons, mine] = [query.persons, query.mine].map((addresses) =>
    addresses?.map((address) => codec.name(address)),
  )
  const asked = [sessionId, threadId, channel, persons, mine].some((one) => one !== undefined)
  if (!asked) return undefined
  return all([
    sessionId !== undefined && is('c.session = ?', sessionId),
    threadId !== undefined && is('c.thread = ?', threadId),
    channel !== undefined && is('c.channel = ?', channel),
    persons && hasAddress(tenant, persons),
    mine && mineOnly(tenant, mine),
  ])
}

/** Which missives, m, of which correspondents, c, are of that age. */
export function ageFilter({ before, tenant, channel, except = [] }: AgeQuery): Filter {
  return all([
    is('m.at < ?', Math.floor(before)),
    ruleFilter({ tenant, channel }),
    ...except.map((rule) => not(ruleFilter(rule))),
  ])
}

/** Each word in quotes: nothing in it is a sign of the query language. */
function matchOf(tenant: string, words: readonly string[], codec: MissiveCodec): string {
  const quoted = codec.findsBeginnings
    ? words.map((word) => `"${word.replaceAll('"', '""')}" *`)
    : words.flatMap((word) => codec.words(word)).map((word) => `"${word}"`)
  return `scope : "${scopeOf(tenant)}" AND text : (${quoted.join(' AND ')})`
}

function hasAddress(tenant: string, addresses: readonly string[]): Filter {
  const marks = addresses.map(() => '?').join(', ')
  return is(
    `c.id IN (SELECT correspondent FROM correspondent_address WHERE tenant = ? AND address IN (${marks}))`,
    tenant,
    ...addresses,
  )
}

function mineOnly(tenant: string, mine: readonly string[]): Filter {
  const marks = mine.map(() => '?').join(', ')
  const withMe = hasAddress(tenant, mine)
  const own = is(`c.tenant = ? AND c.owner IN (${marks})`, tenant, ...mine)
  return { sql: `((${own.sql}) OR ${withMe.sql})`, values: [...own.values, ...withMe.values] }
}

function ruleFilter({ tenant, channel }: { tenant?: string | undefined; channel?: string | undefined }): Filter {
  return all([
    tenant !== undefined && is('c.tenant = ?', tenant),
    channel !== undefined && is('c.channel = ?', channel),
  ])
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
