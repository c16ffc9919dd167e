import type { Approving } from '@cool-ai/beach-client'
import type { UsedApproval, UsedBeach } from '@cool-ai/beach-client/react'
import { asName, currencySign, isUndecided, whatRuns, type ChangedArguments } from '@cool-ai/beach-client/view'
import { createElement as h, useId, useState, type ReactElement } from 'react'
import { EditedArguments } from './edited-arguments.ts'
import { useArmed } from './use-armed.ts'

/** What `<Approval>` shows, and how a decision is made. */
export interface ApprovalProps extends Pick<UsedBeach, 'approve' | 'deny'> {
  /** One of `approvals` of `useBeach()`. */
  readonly approval: UsedApproval
}

/**
 * A decision that is needed, or what became of it. All that would be done is shown, in full; an approval can be given only
 * after it has been there for a moment.
 */
export function Approval(props: ApprovalProps): ReactElement {
  const { mine, isOwn } = props.approval
  // A decision that did not count is made again from where it was.
  const [draft, onDraft] = useState<Draft>({ reason: '', changed: {} })
  const isOpen = isUndecided(props.approval) && mine === undefined && isOwn !== false
  return isOpen ? h(OpenApproval, { ...props, draft, onDraft }) : h(ApprovalRecord, props)
}

/** What is said with the decision, until it is made. */
interface Draft {
  readonly reason: string
  readonly changed: ChangedArguments
  readonly allow?: Approving['allow'] | undefined
}

interface OpenApprovalProps extends ApprovalProps {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
}

function OpenApproval({ approval, approve, deny, draft, onDraft }: OpenApprovalProps): ReactElement {
  const { approvalId, title, summary, details, args, asker, notice, editable, amount, forOperators, problem } = approval
  const { reason, changed, allow } = draft
  const armed = useArmed()
  const id = useId()
  const why = reason.trim() || undefined
  const isChanged = Object.keys(changed).length > 0
  // What does not count is said here, or in the record that stands here afterwards.
  const grant = () =>
    void approve(approvalId, { reason: why, args: isChanged ? changed : undefined, allow }).catch(idle)
  const refuse = () => void deny(approvalId, why).catch(idle)
  const first = amount === undefined ? {} : { upTo: Math.ceil(amount.value) }
  return h(
    'section',
    { className: 'beach-approval', 'aria-labelledby': id },
    h('p', { className: 'beach-minor' }, 'Your decision is needed'),
    h('h3', { id }, `${title}?`),
    summary !== undefined && h('p', null, summary),
    h('p', { className: 'beach-minor' }, `Asked by ${asName(asker)}.`),
    pairs(details),
    args.length > 0 && details.length > 0 && h('h4', null, 'Exactly this is run'),
    pairs(args),
    ...notice.map((line) => h('p', { key: line }, line)),
    !forOperators &&
      editable.length > 0 &&
      h(EditedArguments, { editable, changed, onChange: (others) => onDraft({ ...draft, changed: others }) }),
    !forOperators &&
      approval.allowForSession &&
      h(
        'label',
        { className: 'beach-choice' },
        h('input', {
          type: 'checkbox',
          checked: allow !== undefined,
          onChange: ({ currentTarget }) => onDraft({ ...draft, allow: currentTarget.checked ? first : undefined }),
        }),
        amount === undefined
          ? 'Allow this without asking again in this conversation'
          : `Allow this without asking again in this conversation, up to ${currencySign(amount.currency)}${first.upTo} in all`,
      ),
    !forOperators &&
      h(
        'label',
        { className: 'beach-choice' },
        'Reason',
        h('input', {
          value: reason,
          maxLength: 2_000,
          onChange: ({ currentTarget }) => onDraft({ ...draft, reason: currentTarget.value }),
        }),
      ),
    problem !== undefined && h('p', { role: 'alert' }, problem),
    h('p', { className: 'beach-minor' }, forOperators ? 'Only an operator can decide this.' : whatRuns(changed, allow)),
    h(
      'div',
      { className: 'beach-choices' },
      button('Deny', 'beach-button', !armed || forOperators, refuse),
      button('Approve', 'beach-button beach-primary', !armed || forOperators, grant),
    ),
  )
}

function ApprovalRecord({ approval }: ApprovalProps): ReactElement {
  const { title, details, args } = approval
  return h(
    'details',
    { className: 'beach-record' },
    h('summary', null, `${title}: ${became(approval)}`),
    pairs([...details, ...args]),
  )
}

function became({ outcome, mine, problem, isOwn }: UsedApproval): string {
  switch (outcome) {
    case 'granted':
      return mine === undefined ? 'approved elsewhere.' : 'you approved this.'
    case 'denied':
      return mine === undefined ? 'denied elsewhere.' : 'you denied this.'
    case 'expired':
      return 'not decided in time, so it was not done.'
    case 'void':
      return 'this can no longer be decided; it was not done.'
    default:
      if (problem !== undefined) return problem
      return isOwn === false ? 'waits for the decision of somebody else.' : 'your decision is being sent.'
  }
}

function pairs(given: readonly { readonly name: string; readonly value: string }[]): ReactElement | false {
  if (given.length === 0) return false
  return h(
    'dl',
    { className: 'beach-pairs' },
    ...given.map(({ name, value }, index) => h('div', { key: index }, h('dt', null, name), h('dd', null, value))),
  )
}

function button(words: string, className: string, disabled: boolean, onClick: () => void): ReactElement {
  return h('button', { type: 'button', className, disabled, onClick }, words)
}

const idle = () => {}
