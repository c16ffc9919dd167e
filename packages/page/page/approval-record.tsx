import { visibleText, type StreamPart } from '@cool-ai/beach-client'
import { useContext } from 'preact/hooks'
import { useApproval, WaitingContext } from './context.ts'
import { Icon, type IconName } from './icon.tsx'
import { Pairs } from './pairs.tsx'
import { approvalIn, moment, type OwnApproval } from '@cool-ai/beach-client/view'

/** That a decision was needed, and what became of it, wherever it was made. Nothing can be decided here. */
export function ApprovalRecord({ part }: { readonly part: StreamPart }) {
  const approval = useApproval(approvalIn(part)?.approvalId ?? '')
  const { isOwn } = useContext(WaitingContext)
  if (approval === undefined) return null
  const { icon, words, kind } = stateOf(approval, isOwn(approval.approvalId))
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
      <Pairs pairs={[...approval.details, ...approval.args, ...changesOf(approval)]} />
    </details>
  )
}

/** What the approver has changed. */
function changesOf({ decided, editable }: OwnApproval): { readonly name: string; readonly value: string }[] {
  return Object.entries(decided?.args ?? {}).map(([name, value]) => {
    const label = editable.find((argument) => argument.name === name)?.label ?? name
    return { name: `${label}, changed to`, value: visibleText(String(value)) }
  })
}

const channelNames: Readonly<Record<string, string>> = {
  sse: 'on a page',
  websocket: 'on a page',
  agui: 'on a page',
  smtp: 'by mail',
  whatsapp: 'on WhatsApp',
  sms: 'by SMS',
  a2a: 'by another agent',
  mcp: 'in another assistant',
  'ai-sdk': 'on a page',
  chat: 'in a work chat',
  openai: 'in another application',
  webhook: 'by another system',
}

/** Where and when it was decided: "by mail, 14:02". */
function whereAndWhen({ decided }: OwnApproval): string {
  const { via = '', at } = decided ?? {}
  const where = via.startsWith('inbox:') ? 'in another agent’s inbox' : (channelNames[via] ?? 'elsewhere')
  return at === undefined ? where : `${where}, ${moment(at, Date.now())}`
}

interface RecordState {
  readonly icon: IconName
  readonly words: string
  readonly kind: string
}

function stateOf(approval: OwnApproval, isOwn: boolean | undefined): RecordState {
  const { outcome, mine, problem } = approval
  const there = whereAndWhen(approval)
  const kind = outcome ?? ''
  const withChanges = Object.keys(approval.decided?.args ?? {}).length > 0 ? ', with changes' : ''
  switch (outcome) {
    case 'granted':
      return {
        kind,
        icon: 'check',
        words: `${mine === 'granted' ? 'you approved this' : `approved ${there}`}${withChanges}.`,
      }
    case 'denied':
      return { kind, icon: 'cross', words: mine === 'denied' ? 'you denied this.' : `denied ${there}.` }
    case 'expired':
      return { kind, icon: 'clock', words: 'not decided in time, so it was not done.' }
    case 'void':
      return { kind, icon: 'clock', words: 'this can no longer be decided; it was not done.' }
    default:
      if (problem !== undefined) return { kind: 'denied', icon: 'alert', words: problem }
      return {
        kind,
        icon: 'clock',
        words: mine === undefined ? waitsFor(isOwn) : 'your decision is being sent.',
      }
  }
}

function waitsFor(isOwn: boolean | undefined): string {
  if (isOwn === undefined) return 'waits for a decision.'
  return isOwn ? 'waits for your decision.' : 'waits for the decision of somebody else.'
}
