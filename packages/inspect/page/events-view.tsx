import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, type ApiError } from './api.ts'
import { Json, Problem } from './bits.tsx'
import { clockTime, shortId } from './format.ts'
import { Icon } from './icon.tsx'
import type { Around, EventPage, RawEvent, SessionDetail } from './types.ts'
import { useData } from './use-data.ts'
import { VirtualList } from './virtual-list.tsx'

const pageSize = 100
const maxPages = 40
const rowHeight = 30

/** The raw log: a list that reads only what is seen, and a slider that steps through it with the fold around each event. */
export function EventsView({ place, session }: { readonly place: string; readonly session: SessionDetail }) {
  const [at, setAt] = useState(Math.max(0, session.events - 1))
  const { events, load, error } = useEvents(place)
  const last = Math.max(0, session.events - 1)
  useEffect(() => load(at, at), [at, session.events])
  const chosen = events.get(at)
  const step = (index: number) => setAt(Math.min(last, Math.max(0, index)))
  return (
    <div class="events">
      <div class="stepper">
        <button type="button" aria-label="Event before" disabled={at === 0} onClick={() => step(at - 1)}>
          <Icon name="back" />
        </button>
        <input
          type="range"
          min={0}
          max={last}
          value={at}
          aria-label="Place in the log"
          aria-valuetext={`Event ${at + 1} of ${session.events}`}
          onInput={(event) => step(Number(event.currentTarget.value))}
        />
        <button type="button" aria-label="Event after" disabled={at >= last} onClick={() => step(at + 1)}>
          <Icon name="next" />
        </button>
        <output>
          {at + 1} / {session.events}
        </output>
      </div>
      <Problem error={error} />
      <div class="columns">
        <VirtualList
          label="Events"
          count={session.events}
          rowHeight={rowHeight}
          shown={at}
          onSeen={load}
          row={(index) => (
            <Row event={events.get(index)} index={index} isChosen={index === at} onChoose={() => step(index)} />
          )}
        />
        <div class="event-detail" tabIndex={0} role="region" aria-label="The chosen event">
          {chosen !== undefined && <Fold place={place} seq={chosen.seq} />}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  readonly event: RawEvent | undefined
  readonly index: number
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function Row({ event, index, isChosen, onChoose }: RowProps) {
  return (
    <button type="button" class="erow" aria-pressed={isChosen} tabIndex={isChosen ? 0 : -1} onClick={onChoose}>
      <span class="muted mono eindex">{index + 1}</span>
      <span class="etype">{event?.event.type ?? '…'}</span>
      <span class="muted ewhat">{event === undefined ? '' : about(event.event)}</span>
      <span class="muted etime">{event === undefined ? '' : clockTime(event.event.at)}</span>
    </button>
  )
}

/** What tells an event from others of its type. */
function about(event: RawEvent['event']): string {
  const named = ['partType', 'name', 'kind', 'turnState', 'originatorId', 'decision', 'outcome', 'messageId', 'turnId']
  const name = named.find((one) => typeof event[one] === 'string')
  if (name === undefined) return ''
  const value = String(event[name])
  return name === 'messageId' || name === 'turnId' ? shortId(value) : value
}

function Fold({ place, seq }: { readonly place: string; readonly seq: number }) {
  const [pending, setPending] = useState(seq)
  // While the slider moves, only where it comes to rest is folded.
  useEffect(() => {
    const timer = setTimeout(() => setPending(seq), 120)
    return () => clearTimeout(timer)
  }, [seq])
  const { value, error } = useData<Around>(`${place}/events/${pending}`)
  if (value === undefined) return <Problem error={error} />
  const { event, changed, before, after } = value
  return (
    <>
      <h2>
        {event.type} <span class="muted mono">seq {value.seq}</span>
      </h2>
      <Json value={event} />
      <h3>{changed.length === 0 ? 'It changes nothing in the fold' : `Changes ${changed.join(', ')}`}</h3>
      {changed.map((ns) => (
        <div class="fold" key={ns}>
          <div>
            <h4>{ns} before</h4>
            <Json value={before[ns]} />
          </div>
          <div>
            <h4>{ns} after</h4>
            <Json value={after[ns]} />
          </div>
        </div>
      ))}
    </>
  )
}

/** Events by their place, read page by page as they are seen; pages that were seen long ago are forgotten. */
function useEvents(place: string) {
  const pages = useRef(new Map<number, readonly RawEvent[]>())
  const asked = useRef(new Set<number>())
  const [, setRound] = useState(0)
  const [error, setError] = useState<ApiError>()
  const load = useCallback(
    (first: number, last: number) => {
      for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
        const known = pages.current.get(page)
        const isWhole = known !== undefined && (known.length === pageSize || known[last % pageSize] !== undefined)
        if (isWhole || asked.current.has(page)) continue
        asked.current.add(page)
        read(place, page * pageSize)
          .then((items) => {
            pages.current.delete(page)
            pages.current.set(page, items)
            const [oldest] = pages.current.keys()
            if (pages.current.size > maxPages && oldest !== undefined) pages.current.delete(oldest)
            setRound((round) => round + 1)
          }, setError)
          .finally(() => asked.current.delete(page))
      }
    },
    [place],
  )
  const events = { get: (index: number) => pages.current.get(Math.floor(index / pageSize))?.[index % pageSize] }
  return { events, load, error }
}

/** A page; long events may make an answer shorter than a page. */
async function read(place: string, from: number): Promise<readonly RawEvent[]> {
  const items: RawEvent[] = []
  while (items.length < pageSize) {
    const page = await ask<EventPage>(`${place}/events?at=${from + items.length}&limit=${pageSize - items.length}`)
    items.push(...page.items)
    if (page.items.length === 0 || page.next === undefined) break
  }
  return items
}
