import { useEffect, useRef } from 'preact/hooks'
import { pathSteps } from '../src/turns/turn-span.ts'
import { Badge, Json } from './bits.tsx'
import { clockTime, cost, count, duration, offset, shortId } from './format.ts'
import { storyOf } from './row-story.ts'
import { TurnPages } from './turn-pages.tsx'
import type { Me, SessionDetail, SpanRow, TurnSpan } from './types.ts'

/** Turns as spans: the steps of the path, and what happened when. */
export function Timeline({
  place,
  session,
  me,
  at,
}: {
  readonly place: string
  readonly session: SessionDetail
  readonly me: Me
  /** The turn that a link leads to, and its page. */
  readonly at?: { readonly page: number; readonly turnId: string | undefined } | undefined
}) {
  return (
    <TurnPages place={place} session={session} first={at?.page}>
      {(turns) => (
        <div class="timeline">
          {turns.map((turn) => (
            <Span
              key={turn.turnId}
              turn={turn}
              isMeant={turn.turnId === at?.turnId}
              replay={me.mayAct ? `#/${place}/replay/${encodeURIComponent(turn.turnId)}` : undefined}
            />
          ))}
        </div>
      )}
    </TurnPages>
  )
}

interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cost?: number
  readonly ms?: number
  readonly firstTokenMs?: number
}

function usageOf(row: SpanRow): Usage {
  return Object(row.detail.usage) as Usage
}

const noDelivery =
  'Nothing was queued. Listeners who read the stream get parts from it, which leaves no delivery in the log.'
const missing: Readonly<Partial<Record<(typeof pathSteps)[number], string>>> = { deliver: noDelivery, send: noDelivery }

interface SpanProps {
  readonly turn: TurnSpan
  /** True for the turn that a link leads to. */
  readonly isMeant: boolean
  /** Where the turn is replayed, for viewers who may replay. */
  readonly replay: string | undefined
}

function Span({ turn, isMeant, replay }: SpanProps) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isMeant) place.current?.scrollIntoView({ block: 'start' })
  }, [isMeant])
  const start = turn.receivedAt
  const end = Math.max(turn.settledAt ?? 0, ...turn.rows.map((row) => row.endAt ?? row.at), turn.startedAt)
  const length = Math.max(1, end - start)
  const usages = turn.rows.map(usageOf)
  const tokens = usages.reduce((sum, { inputTokens = 0, outputTokens = 0 }) => sum + inputTokens + outputTokens, 0)
  const paid = usages.reduce((sum, usage) => sum + (usage.cost ?? 0), 0)
  return (
    <section
      class={isMeant ? 'span meant' : 'span'}
      aria-label={`Turn ${turn.turnId}`}
      aria-current={isMeant ? 'true' : undefined}
      ref={place}
    >
      <header>
        <Badge state={turn.turnState} /> <strong>{turn.actor}</strong>
        <span class="mono muted" title={turn.turnId}>
          {shortId(turn.turnId)}
        </span>
        <span>{clockTime(turn.startedAt)}</span>
        <span>{turn.settledAt === undefined ? 'running' : duration(turn.settledAt - start)}</span>
        {tokens > 0 && <span class="muted">{count(tokens)} tokens</span>}
        {paid > 0 && <span class="muted">cost {cost(paid)}</span>}
        {turn.processes.length > 0 && (
          <a href="#/processes" class="muted" title={turn.processes.join(', then ')}>
            run by {turn.processes.map(shortId).join(', then ')}
          </a>
        )}
        {turn.origins.length > 0 && (
          <span class="warn-text" title="What others than its users and its own tools have written">
            foreign content: {turn.origins.join(', ')}
          </span>
        )}
        {turn.resumed > 0 && <span class="warn-text">resumed {turn.resumed}×</span>}
        {replay !== undefined && <a href={replay}>Replay</a>}
      </header>
      <ol class="path" aria-label="Steps of the path">
        {pathSteps.map((step) => {
          const at = turn.steps[step]
          return (
            <li
              key={step}
              class={at === undefined ? 'missing' : 'reached'}
              title={at === undefined ? missing[step] : undefined}
            >
              <span>{step}</span> <span class="muted">{at === undefined ? '–' : offset(at - start)}</span>
            </li>
          )
        })}
      </ol>
      <div class="rows">
        {turn.rows.map((row) => (
          <Row key={row.id} row={row} start={start} length={length} />
        ))}
      </div>
    </section>
  )
}

function Row({ row, start, length }: { readonly row: SpanRow; readonly start: number; readonly length: number }) {
  const left = Math.min(99, Math.max(0, ((row.at - start) / length) * 100))
  const width = Math.max(0.6, Math.min(100 - left, (((row.endAt ?? row.at) - row.at) / length) * 100))
  return (
    <details class={`trow ${row.kind}`}>
      <summary>
        <span class="kind">{row.kind}</span>
        <span class="ttitle">{row.title}</span>
        <span class="lane" aria-hidden="true">
          <span class="bar" style={{ left: `${left}%`, width: `${width}%` }} />
        </span>
        <span class="took muted">
          {row.endAt === undefined ? offset(row.at - start) : duration(row.endAt - row.at)}
        </span>
        <span class="outcome">
          {row.outcome !== undefined && row.outcome !== 'committed' && <Badge state={row.outcome} />}
        </span>
      </summary>
      {row.kind === 'model' ? <ModelCall row={row} /> : <RowDetail row={row} />}
    </details>
  )
}

/** What a row says in sentences, with its data folded below, or its data where that says it all. */
function RowDetail({ row }: { readonly row: SpanRow }) {
  const lines = storyOf(row)
  if (lines.length === 0) return <Json value={row.detail} />
  return (
    <>
      <ul class="story">
        {lines.map(({ at, text }, index) => (
          <li key={index}>
            {at !== undefined && <span class="muted">{clockTime(at)}</span>} {text}
          </li>
        ))}
      </ul>
      <details>
        <summary>Data</summary>
        <Json value={row.detail} />
      </details>
    </>
  )
}

interface ModelMessage {
  readonly role: string
  readonly content: unknown
}

/** A call of a model: what it cost, what it was asked, and what it answered. */
function ModelCall({ row }: { readonly row: SpanRow }) {
  const { inputTokens = 0, outputTokens = 0, cost: paid, ms, firstTokenMs } = usageOf(row)
  const { prompt, answer, usage: _, ...others } = row.detail
  const {
    messages = [],
    from = 0,
    isCut = false,
  } = Object(prompt) as { messages?: readonly ModelMessage[]; from?: number; isCut?: boolean }
  const { content } = Object(answer) as { content?: unknown }
  return (
    <div class="call">
      <p class="facts">
        {count(inputTokens)} tokens in · {count(outputTokens)} out{paid === undefined ? '' : ` · cost ${cost(paid)}`}
        {ms === undefined ? '' : ` · took ${duration(ms)}`}
        {firstTokenMs === undefined ? '' : ` · first token after ${duration(firstTokenMs)}`}
      </p>
      {messages.length > 0 && (
        <h2 class="minor">
          Prompt{from > 0 ? `, after the ${from} messages of the call before` : ''}
          {isCut ? ' (shortened)' : ''}
        </h2>
      )}
      {messages.map((message, index) => (
        <div class="got" key={index}>
          <span class="kind">{message.role}</span>
          <Content value={message.content} />
        </div>
      ))}
      {answer !== undefined && <h2 class="minor">Answer</h2>}
      {answer !== undefined && (
        <div class="got">
          <Content value={content ?? answer} />
        </div>
      )}
      <Json value={others} />
    </div>
  )
}

function Content({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <div class="words">{value}</div>
  if (!Array.isArray(value)) return <Json value={value} />
  const pieces = value as readonly { readonly type?: string; readonly text?: string }[]
  return (
    <>
      {pieces.map((piece, index) =>
        piece.text === undefined ? (
          <Json key={index} value={piece} />
        ) : (
          <div key={index} class="words">
            {piece.text}
          </div>
        ),
      )}
    </>
  )
}
