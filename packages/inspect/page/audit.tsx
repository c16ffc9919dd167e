import { useState } from 'preact/hooks'
import { ask } from './api.ts'
import { Moment, More, Problem } from './bits.tsx'
import { shortId } from './format.ts'
import { usePages } from './use-data.ts'

interface Entry {
  readonly id: string
  readonly at: number
  readonly by: string
  readonly kind: 'look' | 'act' | 'refused'
  readonly what: string
  readonly session?: string
  readonly detail?: string
}

interface Verified {
  readonly entries: number
  readonly problem?: { readonly n: number; readonly log: string; readonly seq?: number; readonly problem: string }
}

/** Who saw, decided, changed and erased, newest first. */
export function AuditPage() {
  const { value, error, more } = usePages<Entry>('audit?limit=100')
  const [verified, setVerified] = useState<string>()
  const verify = () => {
    ask<Verified>('audit/verify').then(
      (result) => setVerified(sentenceOf(result)),
      (failed: Error) => setVerified(failed.message),
    )
  }
  return (
    <div class="list">
      <h1>Audit</h1>
      <Problem error={error} />
      <p>
        <button type="button" onClick={verify}>
          Verify the record
        </button>{' '}
        <span role="status">{verified}</span>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Entries">
        <table>
          <thead>
            <tr>
              <th>Time</th>
              <th>Who</th>
              <th>Kind</th>
              <th>What</th>
              <th>Session</th>
              <th>Detail</th>
            </tr>
          </thead>
          <tbody>
            {value?.map(({ id, at, by, kind, what, session, detail }) => (
              <tr key={id} class={kind}>
                <td>
                  <Moment at={at} />
                </td>
                <td>{by}</td>
                <td>{kind}</td>
                <td>{what}</td>
                <td class="mono">
                  {session === undefined ? (
                    ''
                  ) : (
                    <a href={`#/sessions/${encodeURIComponent(session)}`}>{shortId(session)}</a>
                  )}
                </td>
                <td class="detail">{detail === undefined ? '' : detailWords(detail)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More label="Earlier entries" more={more} />
    </div>
  )
}

/** What an entry says besides, without the marks of JSON. */
function detailWords(detail: string): string {
  if (!detail.startsWith('{')) return detail
  try {
    return Object.entries(JSON.parse(detail) as object)
      .map(([name, value]) => `${name}: ${valueWords(value)}`)
      .join(' · ')
  } catch {
    return detail
  }
}

function valueWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueWords).join(', ') || 'none'
  return typeof value === 'object' && value !== null ? Object.values(value).map(valueWords).join(' ') : String(value)
}

function sentenceOf({ entries, problem }: Verified): string {
  if (problem === undefined) return `All ${entries} entries are as they were written.`
  const place = problem.seq === undefined ? problem.log : `${problem.log}, seq ${problem.seq}`
  return `Not as it was written, from entry ${problem.n} (${place}): ${problem.problem}.`
}
