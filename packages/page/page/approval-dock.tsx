import type { Approving } from '@cool-ai/beach-client'
import { useContext, useRef, useState } from 'preact/hooks'
import { AllowOn } from './allow-on.tsx'
import { useSurroundings, WaitingContext } from './context.ts'
import { EditedArguments } from './edited-arguments.tsx'
import { focusField } from './focus-field.ts'
import { Icon } from './icon.tsx'
import { Pairs } from './pairs.tsx'
import {
  asName,
  type ChangedArguments,
  type Decision,
  moment,
  type OwnApproval,
  until,
  whatRuns,
} from '@cool-ai/beach-client/view'
import { useArmed } from './use-armed.ts'
import { useNow } from './use-now.ts'
import { useSeen } from './use-seen.ts'
import { useTitle } from './use-title.ts'

/**
 * Decisions that are waited for, one at a time. They are made here only, outside of the conversation: whatever is said in
 * there, however it looks, decides nothing.
 */
export function ApprovalDock({ approvals }: { readonly approvals: readonly OwnApproval[] }) {
  const { about } = useSurroundings()
  const { isOwn } = useContext(WaitingContext)
  const open = approvals.filter(
    ({ approvalId, forOperators, outcome, mine, problem }) =>
      (outcome ?? mine ?? problem) === undefined && (forOperators || isOwn(approvalId) === true),
  )
  const [first] = open
  useTitle(about.name, first !== undefined)
  if (first === undefined) return null
  return <ApprovalCard key={first.approvalId} approval={first} count={open.length} />
}

function ApprovalCard({ approval, count }: { readonly approval: OwnApproval; readonly count: number }) {
  const { chat } = useSurroundings()
  const {
    approvalId,
    title,
    summary,
    details,
    args,
    asker,
    notice,
    editable,
    allowForSession,
    amount,
    expiresAt,
    forOperators,
  } = approval
  const [reason, setReason] = useState('')
  const [changed, setChanged] = useState<ChangedArguments>({})
  const [allow, setAllow] = useState<Approving['allow']>()
  const armed = useArmed()
  const what = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const isRead = useSeen(end)
  const decide = (decision: Decision) => {
    const others = Object.keys(changed).length === 0 ? undefined : changed
    void chat.decide(approvalId, decision, { reason: reason.trim() || undefined, args: others, allow })
    focusField()
  }
  return (
    <section class="approval" aria-labelledby={`approval-${approvalId}`}>
      <p class="top">
        <Icon name="lock" />
        Your decision is needed
        {count > 1 && <span class="count">1 of {count}</span>}
      </p>
      <div class="what" ref={what} tabIndex={0} role="region" aria-label="What would be done">
        <h2 id={`approval-${approvalId}`}>{title}?</h2>
        {summary !== undefined && <p>{summary}</p>}
        <p class="asked">
          Asked by {asName(asker)}. {expiresAt !== undefined && <Expiry at={expiresAt} />}
        </p>
        {details.length > 0 && <Pairs pairs={details} />}
        {args.length > 0 && (
          <div class="arguments">
            {details.length > 0 && <h3>Exactly this is run</h3>}
            <Pairs pairs={args} />
          </div>
        )}
        {notice.map((line) => (
          <p key={line}>{line}</p>
        ))}
        {editable.length > 0 && !forOperators && (
          <EditedArguments editable={editable} changed={changed} onChange={setChanged} />
        )}
        {allowForSession && !forOperators && <AllowOn amount={amount} allow={allow} onChange={setAllow} />}
        <div class="end" ref={end} />
      </div>
      {!isRead && (
        <button
          class="more"
          type="button"
          onClick={() => what.current?.scrollBy({ top: what.current.clientHeight * 0.8 })}
        >
          There is more below. Read to the end to approve.
        </button>
      )}
      <div class="choices">
        <p class="minor">{forOperators ? 'Only an operator can decide this.' : whatRuns(changed, allow)}</p>
        {!forOperators && (
          <details class="reason">
            <summary>Add a reason</summary>
            <input
              value={reason}
              maxLength={2_000}
              aria-label="Reason for your decision"
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          </details>
        )}
        <button class="button" type="button" disabled={!armed || forOperators} onClick={() => decide('denied')}>
          Deny
        </button>
        <button
          class="button primary"
          type="button"
          disabled={!armed || !isRead || forOperators}
          onClick={() => decide('granted')}
        >
          Approve
        </button>
      </div>
    </section>
  )
}

function Expiry({ at }: { readonly at: number }) {
  const now = useNow(1_000)
  return (
    <>
      Denied by itself {until(at, now)} (<time dateTime={new Date(at).toISOString()}>{moment(at, now)}</time>).
    </>
  )
}
