import { useEffect } from 'preact/hooks'
import { Empty, Problem } from './bits.tsx'
import type { TracedPlace } from './types.ts'
import { useData } from './use-data.ts'

/** The turns of a trace id; where there is one, the page goes on to it. */
export function TracePage({ traceId }: { readonly traceId: string }) {
  const { value, error } = useData<{ readonly items: readonly TracedPlace[] }>(`traces/${encodeURIComponent(traceId)}`)
  const only = value?.items.length === 1 ? value.items[0] : undefined
  useEffect(() => {
    if (only !== undefined) location.replace(hrefOf(only))
  }, [only])
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined || only !== undefined) return <p class="loading">Loading…</p>
  if (value.items.length === 0) return <Empty>No turn of this agent told of an error under this trace id.</Empty>
  return (
    <div class="fill">
      <h1>Turns of this trace</h1>
      <ul>
        {value.items.map((place) => (
          <li key={place.turnId}>
            <a href={hrefOf(place)}>{place.title || place.sessionId}</a> <span class="mono muted">{place.turnId}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function hrefOf({ sessionId, turnId, page = 0 }: TracedPlace): string {
  return `#/sessions/${encodeURIComponent(sessionId)}/timeline/${page}/${encodeURIComponent(turnId)}`
}
