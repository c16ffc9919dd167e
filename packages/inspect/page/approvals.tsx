import { askedApproval, type AskedApproval } from '@cool-ai/beach-protocol/approval-words'
import { useState } from 'preact/hooks'
import { act, type ApiError } from './api.ts'
import { Badge, Empty, Json, More, Problem } from './bits.tsx'
import { ago, shortId, when } from './format.ts'
import type { Me, Part } from './types.ts'
import { usePages } from './use-data.ts'

interface Pending {
  readonly approvalId: string
  readonly sessionId: string
  readonly requestedAt: number
  readonly expiresAt?: number
  readonly part: Part
}

/** Requests that wait for a decision, over all sessions. */
export function ApprovalsPage({ me }: { readonly me: Me }) {
  const { value, error, reload, more } = usePages<Pending>('approvals?limit=100', { everyMs: 3_000 })
  return (
    <div class="list">
      <h1>Approvals</h1>
      <Problem error={error} />
      {value?.length === 0 && <Empty>Nothing waits for your decision.</Empty>}
      {value?.map((pending) => (
        <Request key={pending.approvalId} pending={pending} me={me} onDone={reload} />
      ))}
      <More label="Later requests" more={more} />
    </div>
  )
}

function Request({ pending, me, onDone }: { readonly pending: Pending; readonly me: Me; readonly onDone: () => void }) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<ApiError>()
  const { approvalId, sessionId, requestedAt, expiresAt, part } = pending
  const { toolName, args } = Object(part.data) as { toolName?: string; args?: unknown }
  const asked = askedApproval(part)
  const title = asked?.title ?? toolName ?? 'A request'
  const decide = (decision: string) => {
    const given = reason === '' ? {} : { reason }
    act(`api/approvals/${encodeURIComponent(approvalId)}`, { decision, ...given }).then(onDone, setError)
  }
  return (
    <article class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="facts">
        {toolName !== undefined && (
          <>
            <span class="mono">{toolName}</span> ·{' '}
          </>
        )}
        asked {ago(requestedAt, Date.now())} in{' '}
        <a href={`#/sessions/${encodeURIComponent(sessionId)}/timeline`}>{shortId(sessionId)}</a>
        {expiresAt !== undefined && ` · expires ${when(expiresAt)}`}
      </p>
      {asked === undefined ? <Json value={args ?? part.data} /> : <Words asked={asked} />}
      {me.mayAct && (
        <div class="actions">
          <input
            placeholder="Reason"
            aria-label={`Reason for ${title}`}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
          <button type="button" class="primary" onClick={() => decide('granted')}>
            Approve
          </button>
          <button type="button" onClick={() => decide('denied')}>
            Deny
          </button>
        </div>
      )}
      <Problem error={error} />
    </article>
  )
}

/** What an approver reads in the other channels, in full. */
function Words({ asked }: { readonly asked: AskedApproval }) {
  const { summary, risk, details, notice } = asked
  return (
    <>
      {summary !== undefined && <p>{summary}</p>}
      {risk !== undefined && (
        <p>
          <Badge state={`${risk} risk`} />
        </p>
      )}
      <dl class="pairs">
        {[...details, ...asked.arguments].map(({ label, value }, index) => (
          <div key={index}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {notice.map((line) => (
        <p key={line} class="warn-text">
          {line}
        </p>
      ))}
    </>
  )
}
