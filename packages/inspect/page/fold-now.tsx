import { useRef } from 'preact/hooks'
import { Badge, Json, Problem } from './bits.tsx'
import { shortId, when } from './format.ts'
import type { Around } from './types.ts'
import { useData } from './use-data.ts'

interface Flow {
  readonly instanceId: string
  readonly intentId: string
  readonly state: string
  /** Why and when it ended, if it has. */
  readonly reason?: string
  readonly at?: number
}

/** The flows of a session, and the state of each slice, as its log is now. */
export function FoldNow({ place, head }: { readonly place: string; readonly head: number }) {
  const { value, error } = useData<Around>(`${place}/events/${head}`)
  // The one before stays until the next has come: what is unfolded stays so.
  const latest = useRef<Around | undefined>(undefined)
  latest.current = value ?? latest.current
  const slices = Object.entries(latest.current?.after ?? {})
  const flows = slices.flatMap(([, state]) => flowsOf(state))
  return (
    <>
      <Problem error={error} />
      {flows.length > 0 && (
        <>
          <h2>Flows</h2>
          <ul class="changes">
            {flows.map((flow) => (
              <li key={flow.instanceId}>
                <strong>{flow.intentId}</strong> <Badge state={flow.state} />{' '}
                <span class="mono muted" title={flow.instanceId}>
                  {shortId(flow.instanceId)}
                </span>{' '}
                {flow.reason === undefined ? 'open' : `ended: ${flow.reason}`}
                {flow.at === undefined ? '' : `, ${when(flow.at)}`}
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>Slices</h2>
      {slices.map(([ns, state]) => (
        <details key={ns}>
          <summary>{ns}</summary>
          <Json value={state} />
        </details>
      ))}
    </>
  )
}

interface Flows {
  readonly flows?: Readonly<Record<string, Omit<Flow, 'instanceId'>>>
  readonly ended?: readonly Flow[]
}

/** Instances that are open, and the last ones that have ended. */
function flowsOf(state: unknown): readonly Flow[] {
  const { flows, ended = [] } = Object(state) as Flows
  if (flows === undefined) return []
  const open = Object.entries(flows).map(([instanceId, { intentId, state: at }]) => ({
    instanceId,
    intentId,
    state: at,
  }))
  return [...open, ...ended.toReversed()]
}
