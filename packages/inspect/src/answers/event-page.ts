import { BeachError, type Store } from '@cool-ai/beach-core'
import { toLogged, type LoggedEvent } from '@cool-ai/beach-core/log'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { eventsPerMark, type SessionRow } from '../listing/session-row.ts'
import { redacted } from '../redact.ts'
import type { Query } from './query.ts'

const maxEvents = 500
const maxCharacters = 1024 * 1024
/** How many events one request looks at for those of some types. */
const maxLooked = 10_000

/**
 * A page of raw events: after a seq (`after`), or from a place in the log on (`at`, counted from 0), which is found by the
 * marks of the row. With `types`, only those; a page may then have fewer, and still a next one.
 */
export async function eventPage(store: Store, row: SessionRow, query: Query): Promise<unknown> {
  const limit = query.limit(maxEvents, 100)
  const at = query.number('at')
  const types = query.text('types')?.split(',')
  if (at !== undefined && types !== undefined) {
    throw new BeachError('BAD_REQUEST', '`at` counts events of all types. Use `after` together with `types`.')
  }
  const start = at === undefined ? { after: query.number('after') ?? 0, skip: 0 } : placeOf(row, at)
  const events =
    types === undefined ? await plain(store, row, start, limit) : await typed(store, row, start.after, limit, types)
  const last = events.items.at(-1)
  const reached = events.reached ?? last?.seq
  return {
    count: row.events,
    items: events.items.map(({ seq, event }) => ({ seq, event: redacted(event) })),
    next: reached !== undefined && reached < row.seq ? reached : undefined,
  }
}

interface Start {
  readonly after: number
  readonly skip: number
}

function placeOf(row: SessionRow, at: number): Start {
  const mark = row.marks[Math.floor(at / eventsPerMark)]
  return mark === undefined ? { after: row.seq, skip: 0 } : { after: mark - 1, skip: at % eventsPerMark }
}

async function plain(store: Store, row: SessionRow, { after, skip }: Start, limit: number) {
  const items: LoggedEvent[] = []
  let at = after
  let left = skip
  while (items.length < limit) {
    const events = (await store.read(row.sessionId, at, limit + left, maxCharacters)).map(toLogged)
    if (events.length === 0) break
    at = events.at(-1)?.seq ?? at
    items.push(...events.slice(left))
    left = Math.max(0, left - events.length)
    // Long events make a short page.
    if (left === 0 && items.length > 0) break
  }
  return { items: items.slice(0, limit), reached: undefined }
}

async function typed(store: Store, row: SessionRow, after: number, limit: number, types: readonly string[]) {
  const items: LoggedEvent[] = []
  let at = after
  for (let looked = 0; looked < maxLooked;) {
    const events = (await store.read(row.sessionId, at, maxEvents, maxCharacters)).map(toLogged)
    if (events.length === 0) break
    for (const event of events) {
      at = event.seq
      if (types.includes(event.event.type)) items.push(event)
      if (items.length === limit) return { items, reached: at }
    }
    looked += events.length
    await yieldToEventLoop()
  }
  return { items, reached: at }
}
