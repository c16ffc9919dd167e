import type { StreamPart } from '@cool-ai/beach-client'
import type { ShownApproval } from './chat.ts'
import { useApproval } from './context.ts'
import { Icon, type IconName } from './icon.tsx'
import { Pairs } from './pairs.tsx'
import { approvalIn } from './scene/approvals.ts'

/** That a decision was needed, and what became of it, wherever it was made. Nothing can be decided here. */
export function ApprovalRecord({ part }: { readonly part: StreamPart }) {
  const approval = useApproval(approvalIn(part)?.approvalId ?? '')
  if (approval === undefined) return null
  const { icon, words, kind } = stateOf(approval)
  return (
    <details class="part record">
      <summary>
        <span class={kind}>
          <Icon name={icon} />
        </span>
        <span>
          {approval.title}: {words}
        </span>
      </summary>
      <Pairs pairs={[...approval.details, ...approval.args]} />
    </details>
  )
}

interface RecordState {
  readonly icon: IconName
  readonly words: string
  readonly kind: string
}

function stateOf({ outcome, mine, problem }: ShownApproval): RecordState {
  const kind = outcome ?? ''
  switch (outcome) {
    case 'granted':
      return { kind, icon: 'check', words: mine === 'granted' ? 'you approved this.' : 'approved elsewhere.' }
    case 'denied':
      return { kind, icon: 'cross', words: mine === 'denied' ? 'you denied this.' : 'denied elsewhere.' }
    case 'expired':
      return { kind, icon: 'clock', words: 'not decided in time, so it was not done.' }
    case 'void':
      return { kind, icon: 'clock', words: 'this can no longer be decided; it was not done.' }
    default:
      if (problem !== undefined) return { kind: 'denied', icon: 'alert', words: problem }
      return {
        kind,
        icon: 'clock',
        words: mine === undefined ? 'waits for your decision.' : 'your decision is being sent.',
      }
  }
}
