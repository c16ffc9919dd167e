import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Badge, Empty, Problem } from './bits.tsx'
import { cost, counted, shortId, shortTime, when } from './format.ts'
import type { Summary } from './types.ts'
import { noFilter, useSessions, type SessionFilter } from './use-sessions.ts'
import { VirtualList } from './virtual-list.tsx'

const states = ['running', 'waiting', 'suspended', 'complete', 'clarifying', 'error', 'cancelled', 'idle', 'erased']
const rowHeight = 52

/** All sessions, last used first, with those that change while it is open. */
export function SessionList() {
  const [filter, setFilter] = useState<SessionFilter>(noFilter)
  const { items, error, more, isDone, isPaused, lookOn } = useSessions(filter)
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
  const field = (name: keyof SessionFilter) => (event: Event) => {
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
      {items.length === 0 && !isDone && !isPaused && error === undefined && (
        <p class="further" role="status">
          Looking…
        </p>
      )}
      {items.length === 0 && isDone ? (
        <Empty>
          {filter === noFilter
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
      {isPaused && (
        <p class="further" role="status">
          {counted(items.length, 'session')} so far.{' '}
          <button type="button" onClick={lookOn}>
            Look among earlier ones
          </button>
        </p>
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
