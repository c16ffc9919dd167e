import { Badge } from './bits.tsx'
import { clockTime, duration } from './format.ts'
import { TurnPages } from './turn-pages.tsx'
import type { Part, SessionDetail, SpanRow, TurnSpan } from './types.ts'

/** What was said, in order, with what the agent did in between. */
export function Conversation({ place, session }: { readonly place: string; readonly session: SessionDetail }) {
  return (
    <TurnPages place={place} session={session}>
      {(turns) => (
        <div class="talk">
          {turns.map((turn) => (
            <Talk key={turn.turnId} turn={turn} />
          ))}
        </div>
      )}
    </TurnPages>
  )
}

function Talk({ turn }: { readonly turn: TurnSpan }) {
  return (
    <div class="talk-turn" role="group" aria-label={`Turn at ${clockTime(turn.startedAt)}`}>
      {turn.messages.map((message) => (
        <div class="said user" key={message.messageId}>
          <p class="meta">
            {message.transport ?? message.originatorId} · {clockTime(message.at)}
          </p>
          {(message.parts as readonly Part[]).map((part, index) => (
            <PartView key={index} part={part} />
          ))}
        </div>
      ))}
      {turn.rows.map((row) => (
        <Said key={row.id} row={row} />
      ))}
      <p class="meta end">
        <Badge state={turn.turnState} />{' '}
        {turn.settledAt === undefined ? 'not settled' : `settled after ${duration(turn.settledAt - turn.receivedAt)}`}
        {turn.finalizedBy === 'cancelled' ? ' · cancelled' : ''}
      </p>
    </div>
  )
}

function Said({ row }: { readonly row: SpanRow }) {
  if (row.kind === 'part') {
    const { part } = row.detail as { part?: Part }
    return (
      <div class="said agent">
        <p class="meta">
          {row.title} · {clockTime(row.at)}
        </p>
        {part === undefined ? <p class="muted">(erased)</p> : <PartView part={part} />}
      </div>
    )
  }
  if (row.kind !== 'tool' && row.kind !== 'approval') return null
  return (
    <p class="did">
      {row.kind === 'tool' ? 'Tool' : ''} <strong>{row.title}</strong>{' '}
      {row.outcome !== undefined && <Badge state={row.outcome} />}
    </p>
  )
}

function PartView({ part }: { readonly part: Part }) {
  if (part.text !== undefined) return <p class="words">{part.text}</p>
  const text = JSON.stringify(part.data ?? part, null, 1)
  return (
    <details>
      <summary>{part.metadata?.partType ?? 'data'}</summary>
      <pre>{text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text}</pre>
    </details>
  )
}
