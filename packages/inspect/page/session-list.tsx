import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, query, type ApiError } from './api.ts'
import { Badge, Empty, Problem } from './bits.tsx'
import { cost, counted, shortId, shortTime, when } from './format.ts'
import type { Paged, Summary } from './types.ts'
import { useInterval } from './use-data.ts'
import { VirtualList } from './virtual-list.tsx'

const states = ['running', 'waiting', 'suspended', 'complete', 'clarifying', 'error', 'cancelled', 'idle', 'erased']
const pageSize = 100
const rowHeight = 52

interface Filter {
  readonly q: string
  readonly state: string
  readonly principal: string
  readonly channel: string
  readonly from: string
  readonly to: string
}

const nothing: Filter = { q: '', state: '', principal: '', channel: '', from: '', to: '' }

/** All sessions, last used first, with those that change while it is open. */
export function SessionList() {
  const [filter, setFilter] = useState<Filter>(nothing)
  const { items, error, more, isDone } = useSessions(filter)
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return
      event.preventDefault()
      search.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  const field = (name: keyof Filter) => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement | HTMLSelectElement
    setFilter((known) => ({ ...known, [name]: value }))
  }
  const seen = useCallback((_: number, last: number) => last >= items.length - 20 && more(), [items.length, more])
  return (
    <div class="fill">
      <h1 class="sr">Sessions</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          ref={search}
          type="search"
          placeholder="Search words, ids, people ( / )"
          aria-label="Search"
          value={filter.q}
          onInput={field('q')}
        />
        <select aria-label="State" value={filter.state} onChange={field('state')}>
          <option value="">Any state</option>
          {states.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
        <input placeholder="Principal" aria-label="Principal" value={filter.principal} onInput={field('principal')} />
        <input placeholder="Channel" aria-label="Channel" value={filter.channel} onInput={field('channel')} />
        <label class="inline">
          From <input type="date" value={filter.from} onInput={field('from')} />
        </label>
        <label class="inline">
          To <input type="date" value={filter.to} onInput={field('to')} />
        </label>
      </form>
      <Problem error={error} />
      {items.length === 0 && isDone ? (
        <Empty>
          {filter === nothing
            ? 'No sessions yet. They appear here with their first message.'
            : 'No session fits these filters.'}
        </Empty>
      ) : (
        <VirtualList
          label="Sessions"
          count={items.length}
          rowHeight={rowHeight}
          onSeen={seen}
          row={(index) => <Row session={items[index]} />}
        />
      )}
    </div>
  )
}

function Row({ session }: { readonly session: Summary | undefined }) {
  if (session === undefined) return null
  const { sessionId, title, state, owner, channels, lastAt, turns, errors, deadLetters, events } = session
  return (
    <a class="srow" href={`#/sessions/${encodeURIComponent(sessionId)}`}>
      <Badge state={state} />
      <span class="stitle">{title || <span class="muted">(nothing said)</span>}</span>
      <span class="sid mono muted" title={sessionId}>
        {shortId(sessionId)}
      </span>
      <span class="sowner">{owner ? `${owner.kind} ${shortId(owner.id)}` : 'erased'}</span>
      <span class="schannels muted">{channels.join(', ')}</span>
      <span class="scounts muted">
        {counted(turns, 'turn')} · {counted(events, 'event')}
        {session.cost > 0 ? ` · ${cost(session.cost)}` : ''}
        {errors > 0 && <span class="bad-text"> · {counted(errors, 'error')}</span>}
        {deadLetters > 0 && <span class="bad-text"> · {counted(deadLetters, 'dead letter')}</span>}
      </span>
      <time class="stime muted" dateTime={new Date(lastAt).toISOString()} title={when(lastAt)}>
        {shortTime(lastAt)}
      </time>
    </a>
  )
}

function useSessions(filter: Filter) {
  const [state, setState] = useState<{
    items: readonly Summary[]
    next?: string | undefined
    isDone: boolean
    error?: ApiError | undefined
  }>({ items: [], isDone: false })
  const loading = useRef(false)
  const path = (after?: string) => {
    const day = 24 * 60 * 60 * 1_000
    const to = filter.to === '' ? undefined : Date.parse(filter.to) + day
    const from = filter.from === '' ? undefined : Date.parse(filter.from)
    return `sessions?${query({ ...filter, from, to, after, limit: pageSize })}`
  }
  useEffect(() => {
    const ending = new AbortController()
    // After a moment, in which the next letter may come.
    const timer = setTimeout(
      () => {
        ask<Paged<Summary>>(path(), ending.signal).then(
          ({ items, next }) => setState({ items, next, isDone: next === undefined }),
          (error: ApiError) => !ending.signal.aborted && setState((known) => ({ ...known, error })),
        )
      },
      filter === nothing ? 0 : 200,
    )
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [filter])
  // What changes comes first in the list.
  useInterval(() => {
    ask<Paged<Summary>>(path()).then(
      ({ items, next }) => {
        setState((known) => {
          const fresh = new Set(items.map(({ sessionId }) => sessionId))
          const rest = known.items.filter(({ sessionId }) => !fresh.has(sessionId))
          const merged = [...items, ...rest].toSorted((one, other) => other.lastAt - one.lastAt)
          return known.items.length <= pageSize
            ? { items, next, isDone: next === undefined }
            : { ...known, items: merged, error: undefined }
        })
      },
      (error: ApiError) => setState((known) => ({ ...known, error })),
    )
  }, 3_000)
  const more = useCallback(() => {
    if (state.next === undefined || loading.current) return
    loading.current = true
    ask<Paged<Summary>>(path(state.next))
      .then(({ items, next }) =>
        setState((known) => ({ items: [...known.items, ...items], next, isDone: next === undefined })),
      )
      .catch((error: ApiError) => setState((known) => ({ ...known, error })))
      .finally(() => (loading.current = false))
  }, [state.next, filter])
  // A page of a rare filter may have found nothing yet.
  useEffect(() => {
    if (state.items.length < 20) more()
  }, [state.next])
  return { ...state, more }
}
