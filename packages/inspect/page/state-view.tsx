import { sliceTitle } from '../src/turns/slice-title.ts'
import { Empty, Json, More, Problem } from './bits.tsx'
import { FoldNow } from './fold-now.tsx'
import { when } from './format.ts'
import type { RawEvent, SessionDetail } from './types.ts'
import { usePages } from './use-data.ts'

interface Transition {
  readonly coordinate: string
  readonly from?: string
  readonly to: string
}

/** Where the state machines stand, how they came there, and what is in progress. */
export function StateView({ place, session }: { readonly place: string; readonly session: SessionDetail }) {
  const types = 'stateChanged,stateTransitionRejected,sliceEvent'
  const { value, error, more } = usePages<RawEvent>(`${place}/events?types=${types}&limit=500`, {
    version: session.head,
  })
  const { coordinates = {}, originators = [], manifests = [], inFlight = [], allowances = [] } = session.view ?? {}
  return (
    <div class="state">
      <h2>Coordinates</h2>
      {Object.keys(coordinates).length === 0 ? (
        <Empty>This agent has no state machines.</Empty>
      ) : (
        <dl class="pairs">
          {Object.entries(coordinates).map(([name, state]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{state}</dd>
            </div>
          ))}
        </dl>
      )}
      <h2>Over time</h2>
      <Problem error={error} />
      {value?.length === 0 && more === undefined && <Empty>Nothing has moved yet.</Empty>}
      <ol class="changes">
        {value?.map(({ seq, event }) => (
          <li key={seq}>
            <time class="muted">{when(event.at)}</time>{' '}
            {event.type === 'stateChanged'
              ? (event.transitions as readonly Transition[])
                  .map(
                    ({ coordinate, from, to }) => `${coordinate}: ${from === undefined ? '' : `from ${from} `}to ${to}`,
                  )
                  .join(', ')
              : event.type === 'sliceEvent'
                ? sliceTitle(String(event.ns), String(event.name), event.payload)
                : `refused: ${String(event.reason)}`}
          </li>
        ))}
      </ol>
      <More label="Later changes" more={more} />
      <FoldNow place={place} head={session.head} />
      <h2>In progress</h2>
      <Json value={{ inFlight, manifests, allowances }} />
      <h2>Originators</h2>
      <Json value={originators} />
    </div>
  )
}
