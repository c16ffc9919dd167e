import { useState } from 'preact/hooks'
import { act, type ApiError } from './api.ts'
import { Badge, Confirm, Problem, Tabs } from './bits.tsx'
import { Conversation } from './conversation.tsx'
import { EventsView } from './events-view.tsx'
import { cost, count, counted, when } from './format.ts'
import { Icon } from './icon.tsx'
import { ListenersView } from './listeners-view.tsx'
import { ReplayView } from './replay-view.tsx'
import { SessionEvaluation } from './session-evaluation.tsx'
import { StateView } from './state-view.tsx'
import { Timeline } from './timeline.tsx'
import type { Me, SessionDetail } from './types.ts'
import { useData } from './use-data.ts'

const tabs = ['Conversation', 'Timeline', 'Events', 'Listeners', 'State', 'Replay'] as const

type Tab = (typeof tabs)[number]

/** One session, by tabs. */
export function SessionPage({
  id,
  tab,
  rest,
  me,
}: {
  readonly id: string
  readonly tab: string | undefined
  /** What the address says after the tab. */
  readonly rest: readonly string[]
  readonly me: Me
}) {
  const place = `sessions/${encodeURIComponent(id)}`
  const { value: session, error, reload } = useData<SessionDetail>(place, 2_000)
  const names = me.mayAct ? tabs : tabs.filter((name) => name !== 'Replay')
  const chosen = names.find((name) => name.toLowerCase() === tab) ?? 'Conversation'
  if (session === undefined) return error === undefined ? <p class="loading">Loading…</p> : <Problem error={error} />
  return (
    <div class="fill">
      <header class="session-head">
        <a href="#/sessions" class="back">
          <Icon name="back" /> Sessions
        </a>
        <h1>{session.title || 'A session without words'}</h1>
        <p class="facts">
          <Badge state={session.state} /> <span class="mono">{id}</span> ·{' '}
          {session.owner ? `${session.owner.kind} ${session.owner.id}` : 'erased'} · opened {when(session.openedAt)} ·{' '}
          {counted(session.turns, 'turn')} · {counted(session.events, 'event')} · {count(session.tokens)} tokens
          {session.cost > 0 ? ` · cost ${cost(session.cost)}` : ''}
        </p>
        {me.mayAct && <Actions place={place} session={session} me={me} onDone={reload} />}
      </header>
      <Tabs
        label="Views of the session"
        names={names}
        chosen={chosen}
        href={(name) => `#/${place}/${name.toLowerCase()}`}
      />
      <div class="tab" role="tabpanel" aria-label={chosen} tabIndex={0}>
        {view(chosen, place, session, rest, me)}
      </div>
    </div>
  )
}

function view(tab: Tab, place: string, session: SessionDetail, rest: readonly string[], me: Me) {
  const [page, turnId] = rest
  switch (tab) {
    case 'Conversation':
      return <Conversation place={place} session={session} />
    case 'Timeline':
      return (
        <Timeline
          place={place}
          session={session}
          me={me}
          at={page === undefined ? undefined : { page: Number(page) || 0, turnId }}
        />
      )
    case 'Events':
      return <EventsView place={place} session={session} />
    case 'Listeners':
      return <ListenersView place={place} session={session} />
    case 'State':
      return <StateView place={place} session={session} />
    case 'Replay':
      return <ReplayView key={page ?? ''} place={place} me={me} from={page} />
  }
}

interface ActionsProps {
  readonly place: string
  readonly session: SessionDetail
  readonly me: Me
  readonly onDone: () => void
}

function Actions({ place, session, me, onDone }: ActionsProps) {
  const [error, setError] = useState<ApiError>()
  const [isMade, setMade] = useState(false)
  const run = (what: string) => {
    setError(undefined)
    act(`api/${place}/${what}`).then(onDone, setError)
  }
  return (
    <>
      <div class="actions">
        <a class="button" href={`#/${place}/replay`}>
          Replay
        </a>
        {session.view?.turn !== undefined && <Confirm label="Cancel the turn" onConfirm={() => run('cancel')} />}
        {me.mayAdmin && (
          <a class="button" href={`api/${place}/export`} download>
            Export
          </a>
        )}
        {me.mayAdmin && session.owner !== undefined && <Confirm label="Erase" onConfirm={() => run('erase')} />}
        <button type="button" aria-expanded={isMade} onClick={() => setMade(!isMade)}>
          Make an evaluation
        </button>
        <Problem error={error} />
      </div>
      {isMade && <SessionEvaluation place={place} onClose={() => setMade(false)} />}
    </>
  )
}
