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
  isUndecided,
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
  // A decision that did not count is made again from where it was.
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({})
  const open = approvals.filter(
    (approval) =>
      isUndecided(approval) &&
      approval.mine === undefined &&
      (approval.forOperators || isOwn(approval.approvalId) === true),
  )
  const [first] = open
  useTitle(about.name, first !== undefined)
  if (first === undefined) return null
  const { approvalId } = first
  return (
    <ApprovalCard
      key={approvalId}
      approval={first}
      count={open.length}
      draft={drafts[approvalId] ?? noDraft}
      onDraft={(draft) => setDrafts((before) => ({ ...before, [approvalId]: draft }))}
    />
  )
}

/** What is said with the decision, until it is made. */
interface Draft {
  readonly reason: string
  readonly changed: ChangedArguments
  readonly allow?: Approving['allow'] | undefined
}

const noDraft: Draft = { reason: '', changed: {} }

interface ApprovalCardProps {
  readonly approval: OwnApproval
  readonly count: number
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
}

function ApprovalCard({ approval, count, draft, onDraft }: ApprovalCardProps) {
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
    problem,
  } = approval
  const { reason, changed, allow } = draft
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
          <EditedArguments
            editable={editable}
            changed={changed}
            onChange={(others) => onDraft({ ...draft, changed: others })}
          />
        )}
        {allowForSession && !forOperators && (
          <AllowOn amount={amount} allow={allow} onChange={(allowed) => onDraft({ ...draft, allow: allowed })} />
        )}
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
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
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
              onInput={({ currentTarget }) => onDraft({ ...draft, reason: currentTarget.value })}
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
