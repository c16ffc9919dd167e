import { useState } from 'preact/hooks'
import { Badge, Empty, Problem } from './bits.tsx'
import { clockTime, counted, shortId } from './format.ts'
import { TurnPages } from './turn-pages.tsx'
import type { Listener, Paged, Part, SessionDetail, TurnSpan } from './types.ts'
import { useData } from './use-data.ts'

const notSent = new Set(['drop', 'audit-only', 'inbound-only'])

/** What each originator got of a turn, side by side, and which row of the delivery table kept the rest back. */
export function ListenersView({ place, session }: { readonly place: string; readonly session: SessionDetail }) {
  return (
    <TurnPages place={place} session={session}>
      {(turns) => <Choice place={place} turns={turns} />}
    </TurnPages>
  )
}

function Choice({ place, turns }: { readonly place: string; readonly turns: readonly TurnSpan[] }) {
  const [chosen, setChosen] = useState<string>()
  const turn = turns.find(({ turnId }) => turnId === chosen) ?? turns.at(-1)
  if (turn === undefined) return null
  return (
    <>
      <label class="inline">
        Turn{' '}
        <select value={turn.turnId} onChange={(event) => setChosen(event.currentTarget.value)}>
          {turns.map((one) => (
            <option key={one.turnId} value={one.turnId}>
              {clockTime(one.startedAt)} · {one.turnState} · {shortId(one.turnId)}
            </option>
          ))}
        </select>
      </label>
      <Sides place={place} turn={turn} />
    </>
  )
}

function Sides({ place, turn }: { readonly place: string; readonly turn: TurnSpan }) {
  const { turnId, since, settledAt = 0 } = turn
  const path = `${place}/turns/${encodeURIComponent(turnId)}/listeners?since=${since}&settled=${settledAt}`
  const { value, error } = useData<Paged<Listener>>(path)
  if (value === undefined) return <Problem error={error} />
  if (value.items.length === 0) return <Empty>No originator is known in this session any more.</Empty>
  return (
    <div class="sides">
      {value.items.map((listener) => (
        <Side key={listener.originatorId} listener={listener} turn={turn} />
      ))}
    </div>
  )
}

function Side({ listener, turn }: { readonly listener: Listener; readonly turn: TurnSpan }) {
  const { originatorId, transport, deliveryClass, way, isRecipient, because, parts, envelope } = listener
  const deliveries = turn.rows.filter((row) => row.kind === 'delivery' && row.detail.originatorId === originatorId)
  const got = envelope ?? soFar(listener, turn)
  return (
    <section class="side">
      <h2 title={originatorId}>{transport}</h2>
      <p class="facts">
        <span class="mono">{originatorId}</span> · {deliveryClass} ·{' '}
        {way === 'push' ? 'answers are sent to it' : 'reads the stream'}
      </p>
      {!isRecipient && <p class="problem">{because}</p>}
      {deliveries.map((row) => (
        <p key={row.id} class="facts">
          Delivery <Badge state={row.outcome ?? 'waiting'} />{' '}
          {counted((row.detail.attempts as readonly unknown[]).length, 'attempt')}
        </p>
      ))}
      <h3>Parts of the turn</h3>
      <ul class="decisions">
        {parts.map((part) => (
          <li key={part.partId} class={notSent.has(part.decision) ? 'kept' : 'goes'}>
            <strong>{part.partType}</strong>: {part.decision}
            <br />
            <span class="muted">{part.because}</span> <span class="muted mono">({part.row})</span>
          </li>
        ))}
      </ul>
      {isRecipient && (
        <>
          <h3>{envelope === undefined ? 'What it has got so far' : 'What it gets'}</h3>
          {got.length === 0 ? (
            <p class="muted">Nothing.</p>
          ) : (
            got.map((part, index) => (
              <div class="got" key={index}>
                <span class="kind">{part.metadata.partType}</span>
                <div class="words">{part.text ?? JSON.stringify(part.data ?? part, null, 1).slice(0, 4_000)}</div>
              </div>
            ))
          )}
        </>
      )}
    </section>
  )
}

/** The parts of a turn in progress that were sent to an originator, or that its stream shows. */
function soFar({ originatorId, way, parts }: Listener, { rows }: TurnSpan): readonly Part[] {
  const carried = rows.filter(({ kind, detail }) => kind === 'delivery' && detail.originatorId === originatorId)
  const sent = new Set(carried.flatMap(({ detail: { partIds } }) => (Array.isArray(partIds) ? partIds : [])))
  const goes = parts.filter(({ partId, decision }) => (way === 'push' ? sent.has(partId) : !notSent.has(decision)))
  return goes.flatMap(({ partId }) => {
    const { part } = Object(rows.find(({ id }) => id === partId)?.detail) as { part?: Part }
    return part === undefined ? [] : [part]
  })
}
