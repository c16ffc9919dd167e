import { useEffect, useState } from 'preact/hooks'
import { act } from './api.ts'
import { ApprovalsPage } from './approvals.tsx'
import { AuditPage } from './audit.tsx'
import { Icon } from './icon.tsx'
import { DeliveriesPage } from './deliveries.tsx'
import { ErrorPage, ErrorsPage } from './errors.tsx'
import { EvaluationPage, EvaluationsPage } from './evaluations.tsx'
import { MetricsPage } from './metrics.tsx'
import { ProcessesPage } from './processes.tsx'
import { SessionList } from './session-list.tsx'
import { SessionPage } from './session-page.tsx'
import { TracePage } from './trace-page.tsx'
import { SignIn } from './sign-in.tsx'
import type { Me } from './types.ts'
import { useData, useRoute } from './use-data.ts'
import { useShown } from './use-shown.ts'

const pages = {
  sessions: 'Sessions',
  approvals: 'Approvals',
  deliveries: 'Deliveries',
  errors: 'Errors',
  processes: 'Processes',
  metrics: 'Metrics',
  evaluations: 'Evaluations',
  audit: 'Audit',
} as const

type PageName = keyof typeof pages

export function App() {
  const me = useData<Me>('me')
  const route = useRoute()
  const [name = '', ...rest] = route.split('/').filter((piece) => piece !== '')
  const page = (Object.hasOwn(pages, name) ? name : 'sessions') as PageName
  useEffect(() => {
    const title = rest[0] === undefined ? pages[page] : decodeURIComponent(rest[0])
    document.title = me.value === undefined ? 'Inspector' : `${title} · ${me.value.agent.name} · Inspector`
  }, [route, me.value])
  if (me.error !== undefined) return <SignIn error={me.error} onDone={me.reload} />
  if (me.value === undefined) return <p class="loading">Loading…</p>
  return (
    <div class="frame">
      <Head me={me.value} page={page} onSignedOut={me.reload} />
      <main class={`page ${page}`}>
        {name === 'traces' && rest[0] !== undefined ? <TracePage traceId={rest[0]} /> : content(page, rest, me.value)}
      </main>
    </div>
  )
}

function content(page: PageName, rest: readonly string[], me: Me) {
  const [id, tab, ...more] = rest
  switch (page) {
    case 'approvals':
      return <ApprovalsPage me={me} />
    case 'deliveries':
      return <DeliveriesPage me={me} />
    case 'errors':
      return id === undefined ? <ErrorsPage /> : <ErrorPage key={id} id={decodeURIComponent(id)} />
    case 'processes':
      return <ProcessesPage />
    case 'metrics':
      return <MetricsPage />
    case 'evaluations':
      return id === undefined ? <EvaluationsPage /> : <EvaluationPage key={id} id={decodeURIComponent(id)} me={me} />
    case 'audit':
      return <AuditPage />
    case 'sessions':
      return id === undefined ? (
        <SessionList />
      ) : (
        <SessionPage key={id} id={decodeURIComponent(id)} tab={tab} rest={more} me={me} />
      )
  }
}

function Head({
  me,
  page,
  onSignedOut,
}: {
  readonly me: Me
  readonly page: PageName
  readonly onSignedOut: () => void
}) {
  const [scheme, setScheme] = useState(() => localStorage.getItem('beach-inspect-scheme') ?? 'auto')
  useEffect(() => {
    document.documentElement.dataset.scheme = scheme
    localStorage.setItem('beach-inspect-scheme', scheme)
  }, [scheme])
  const row = useShown<HTMLElement>(page)
  const next = scheme === 'auto' ? 'light' : scheme === 'light' ? 'dark' : 'auto'
  return (
    <header class="head">
      <div class="brand">
        <strong>{me.agent.name}</strong> <span class="muted">Inspector</span>
      </div>
      <nav aria-label="Pages" ref={row}>
        {Object.entries(pages).map(([name, label]) => (
          <a key={name} href={`#/${name}`} aria-current={name === page ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div class="who">
        <span class="muted" title="Everything that you look at and do is on record under this name.">
          {me.operator}
          {me.mayAct ? '' : ' (looks only)'}
        </span>
        <button
          type="button"
          class="quiet"
          onClick={() => setScheme(next)}
          aria-label={`Colours: ${scheme}. Change to ${next}.`}
        >
          <Icon name={scheme === 'dark' ? 'dark' : scheme === 'light' ? 'light' : 'auto'} />
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() =>
            void act<{ next?: string } | undefined>('session', undefined, 'DELETE').then((answer) =>
              answer?.next === undefined ? onSignedOut() : location.assign(answer.next),
            )
          }
        >
          Sign out
        </button>
      </div>
    </header>
  )
}
