import { BeachError } from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'

const defaultPageSize = 50
const maxPageSize = 200

/** How many of a page are wanted. */
export function pageLimit(limit: number = defaultPageSize): number {
  if (!Number.isFinite(limit)) throw new BeachError('BAD_REQUEST', `A page cannot have ${limit} entries.`)
  return Math.min(Math.max(Math.trunc(limit), 1), maxPageSize)
}

/** The place of a missive in the order of time: when it was, and which of those. */
export interface Mark {
  readonly at: number
  readonly id: number
}

export function toCursor({ at, id }: Mark): string {
  return `${at}.${id}`
}

/** The place that a cursor names; an error for one that we have not made. */
export function fromCursor(cursor: string): Mark {
  const match = /^(\d{1,16})\.(\d{1,15})$/.exec(cursor)
  if (match === null) {
    throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
  }
  return { at: Number(match[1]), id: Number(match[2]) }
}

/** A page of what was found; one more than the limit was looked for. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  mark: (row: Row) => string,
): Page<Item> {
  const items = rows.slice(0, limit).map(toItem)
  const last = rows[limit - 1]
  return rows.length > limit && last !== undefined ? { items, next: mark(last) } : { items }
}
