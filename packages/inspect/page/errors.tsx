import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Empty, Moment, More, Problem } from './bits.tsx'
import { shortId } from './format.ts'
import { useData, usePages } from './use-data.ts'

interface Entry {
  readonly errorId: string
  readonly at: number
  readonly code: string
  readonly status: number
  readonly method?: string
  readonly route?: string
  readonly session?: string
  readonly turn?: string
  readonly trace?: string
  readonly process: string
  readonly causes?: readonly string[]
  readonly place?: string
}

/** The errors that callers were told of, newest first, and a way to the one of an id. */
export function ErrorsPage() {
  const { value, error, more } = usePages<Entry>('errors?limit=100', { everyMs: 5_000 })
  return (
    <div class="list">
      <h1>Errors</h1>
      <FindError />
      <Problem error={error} />
      {value?.length === 0 && <Empty>No caller was told of an error in the last week.</Empty>}
      {value !== undefined && value.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Errors">
          <table>
            <thead>
              <tr>
                <th>Time</th>
                <th>Code</th>
                <th>Status</th>
                <th>Request</th>
                <th>Session</th>
                <th>Id</th>
              </tr>
            </thead>
            <tbody>
              {value.map((entry) => (
                <tr key={entry.errorId} class={entry.status >= 500 ? 'act' : 'look'}>
                  <td>
                    <Moment at={entry.at} />
                  </td>
                  <td>{entry.code}</td>
                  <td>{entry.status}</td>
                  <td class="mono">{requestOf(entry)}</td>
                  <td class="mono">{entry.session !== undefined && <SessionLink session={entry.session} />}</td>
                  <td class="mono">
                    <a href={`#/errors/${entry.errorId}`}>{entry.errorId}</a>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More label="Earlier errors" more={more} />
    </div>
  )
}

/** One error, by the id in its answer. */
export function ErrorPage({ id }: { readonly id: string }) {
  const { value, error } = useData<Entry>(`errors/${encodeURIComponent(id)}`)
  return (
    <div class="list">
      <h1>
        Error <span class="mono">{id}</span>
      </h1>
      <p>
        <a href="#/errors">All errors</a>
      </p>
      <Problem error={error} />
      {value !== undefined && <ErrorFacts entry={value} />}
    </div>
  )
}

function ErrorFacts({ entry }: { readonly entry: Entry }) {
  const { at, code, status, session, trace, process, causes, place } = entry
  return (
    <dl class="pairs">
      <Fact name="Code">
        {code} ({status})
      </Fact>
      <Fact name="Time">{new Date(at).toISOString()}</Fact>
      <Fact name="Request">
        <span class="mono">{requestOf(entry)}</span>
      </Fact>
      {session !== undefined && (
        <Fact name="Session">
          <SessionLink session={session} />
        </Fact>
      )}
      {trace !== undefined && (
        <Fact name="Trace">
          <a class="mono" href={`#/traces/${trace}`}>
            {trace}
          </a>
        </Fact>
      )}
      {causes !== undefined && <Fact name="Thrown">{causes.join(', caused by ')}</Fact>}
      {place !== undefined && (
        <Fact name="At">
          <span class="mono">{place}</span>
        </Fact>
      )}
      <Fact name="Process">
        <span class="mono">{process}</span>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function FindError() {
  const [id, setId] = useState('')
  const go = (event: Event) => {
    event.preventDefault()
    if (id.trim() !== '') location.hash = `#/errors/${encodeURIComponent(id.trim())}`
  }
  return (
    <form class="find" role="search" onSubmit={go}>
      <label>
        Id of an error{' '}
        <input type="search" placeholder="err_…" value={id} onInput={(event) => setId(event.currentTarget.value)} />
      </label>
      <button type="submit">Find</button>
    </form>
  )
}

function SessionLink({ session }: { readonly session: string }) {
  return <a href={`#/sessions/${encodeURIComponent(session)}`}>{shortId(session)}</a>
}

function requestOf({ method, route }: Entry): string {
  return method === undefined ? 'not a request by HTTP' : `${method} ${route ?? '(no route)'}`
}
