import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, query, type ApiError } from './api.ts'
import type { Paged, Summary } from './types.ts'
import { useInterval } from './use-data.ts'

/** What the list of sessions is filtered by; empty for all. */
export interface SessionFilter {
  readonly q: string
  readonly state: string
  readonly principal: string
  readonly channel: string
  /** Days, such as `2026-11-18`, of the viewer. */
  readonly from: string
  readonly to: string
}

export const noFilter: SessionFilter = { q: '', state: '', principal: '', channel: '', from: '', to: '' }

const pageSize = 100
/** How many are looked for before anything is scrolled. */
const enough = 20
/** How many requests for that follow each other: each looks at 2,000 sessions at most. */
const maxRounds = 10

interface Listed {
  readonly items: readonly Summary[]
  readonly next?: string | number | undefined
  readonly isDone: boolean
  readonly rounds: number
  readonly error?: ApiError | undefined
}

/** The sessions that fit a filter, last used first, read as they are scrolled to, with those that change meanwhile. */
export function useSessions(filter: SessionFilter) {
  const [state, setState] = useState<Listed>({ items: [], isDone: false, rounds: 0 })
  const loading = useRef<SessionFilter | undefined>(undefined)
  const read = (after?: string | number, signal?: AbortSignal) => ask<Paged<Summary>>(pathOf(filter, after), signal)
  const failed = (error: ApiError) => setState((known) => ({ ...known, error }))
  useEffect(() => {
    const ending = new AbortController()
    // After a moment, in which the next letter may come.
    const timer = setTimeout(
      () => {
        read(undefined, ending.signal).then(
          ({ items, next }) => setState({ items, next, isDone: next === undefined, rounds: 1 }),
          (error: ApiError) => !ending.signal.aborted && failed(error),
        )
      },
      filter === noFilter ? 0 : 200,
    )
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [filter])
  const latest = useRef(filter)
  latest.current = filter
  useInterval(() => {
    read().then((page) => filter === latest.current && setState((known) => refreshed(known, page)), failed)
  }, 3_000)
  const more = useCallback(() => {
    if (state.next === undefined || loading.current === filter) return
    loading.current = filter
    read(state.next)
      .then(({ items, next }) => {
        if (filter !== latest.current) return
        setState((known) => {
          const isDone = next === undefined
          return { items: merged(known.items, items), next, isDone, rounds: known.rounds + 1 }
        })
      })
      .catch(failed)
      .finally(() => {
        if (loading.current === filter) loading.current = undefined
      })
  }, [state.next, filter])
  // A page of a rare filter may have found nothing yet.
  const isPaused = !state.isDone && state.items.length < enough && state.rounds >= maxRounds
  useEffect(() => {
    if (state.items.length < enough && !isPaused) more()
  }, [state.next, isPaused])
  const lookOn = () => setState((known) => ({ ...known, rounds: 0 }))
  return { ...state, more, isPaused, lookOn }
}

function pathOf({ from, to, ...filter }: SessionFilter, after?: string | number): string {
  const times = { from: from === '' ? undefined : dayStart(from, 0), to: to === '' ? undefined : dayStart(to, 1) }
  return `sessions?${query({ ...filter, ...times, after, limit: pageSize })}`
}

/** When a day of the viewer begins, or one some days later. */
function dayStart(day: string, later: number): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}

/** The list with its first page as it is now: what changes comes first. What further pages have found stays. */
function refreshed(known: Listed, { items, next }: Paged<Summary>): Listed {
  const isFirst = known.next === undefined && !known.isDone
  if (next === undefined || isFirst) return { items, next, isDone: next === undefined, rounds: 1 }
  // A full page has all there are down to its last one: what is missing there fits the filter no more.
  const down = items.length < pageSize ? Number.POSITIVE_INFINITY : (items.at(-1)?.lastAt ?? 0)
  const rest = known.items.filter(({ lastAt }) => lastAt <= down)
  return { ...known, items: merged(rest, items), error: undefined }
}

function merged(known: readonly Summary[], fresh: readonly Summary[]): readonly Summary[] {
  const ids = new Set(fresh.map(({ sessionId }) => sessionId))
  const rest = known.filter(({ sessionId }) => !ids.has(sessionId))
  return [...fresh, ...rest].toSorted((one, other) => other.lastAt - one.lastAt)
}
