import { Badge, Empty, Problem } from './bits.tsx'
import { ago, duration, shortId } from './format.ts'
import { useData } from './use-data.ts'

interface Hosts {
  readonly now: number
  readonly processes: readonly {
    readonly id: string
    readonly host?: string
    readonly pid?: number
    readonly seenAt: number
  }[]
  readonly leases: readonly {
    readonly session: string
    readonly process?: string
    readonly until: number
    readonly title?: string
    readonly state?: string
  }[]
}

/** The processes that share the agent's store, and the sessions that each of them hosts now. */
export function ProcessesPage() {
  const { value, error } = useData<Hosts>('processes', 2_000)
  return (
    <div class="list">
      <h1>Processes</h1>
      <Problem error={error} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Processes">
        <table>
          <thead>
            <tr>
              <th>Process</th>
              <th>Host</th>
              <th>Process id</th>
              <th>Last seen</th>
              <th>Leases</th>
            </tr>
          </thead>
          <tbody>
            {value?.processes.map(({ id, host = '–', pid, seenAt }) => (
              <tr key={id}>
                <td class="mono" title={id}>
                  {shortId(id)}
                </td>
                <td>{host}</td>
                <td>{pid ?? '–'}</td>
                <td>{ago(seenAt, value.now)}</td>
                <td>{value.leases.filter(({ process }) => process === id).length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2>Leases</h2>
      {value?.leases.length === 0 ? (
        <Empty>No session is hosted right now: nothing runs.</Empty>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Leases">
          <table>
            <thead>
              <tr>
                <th>Session</th>
                <th>State</th>
                <th>Process</th>
                <th>Ends in</th>
              </tr>
            </thead>
            <tbody>
              {value?.leases.map(({ session, process = '–', until, title, state = '–' }) => (
                <tr key={session}>
                  <td>
                    <a href={`#/sessions/${encodeURIComponent(session)}/timeline`}>{title || shortId(session)}</a>
                  </td>
                  <td>
                    <Badge state={state} />
                  </td>
                  <td class="mono" title={process}>
                    {shortId(process)}
                  </td>
                  <td>{until > value.now ? duration(until - value.now) : 'over: another process may take it'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}
