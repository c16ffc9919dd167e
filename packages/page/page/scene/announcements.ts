import type { Connection } from '@cool-ai/beach-client'
import { type AnswerExchange, type Approval, asName, type Exchange, peerOf } from '@cool-ai/beach-client/view'

/** What is known to have been going on. */
export interface AnnouncedState {
  /** When listening began, in milliseconds since 1970; what was said before is the past. */
  readonly since: number
  readonly running: ReadonlySet<string>
  readonly over: ReadonlySet<string>
  readonly asked: ReadonlySet<string>
  readonly state: Connection['state']
}

interface AnnouncementInput {
  readonly exchanges: readonly Exchange[]
  readonly approvals: readonly Pick<Approval, 'approvalId' | 'title' | 'outcome'>[]
  readonly connection: Connection
}

const maxLength = 1_000

/** What is to be said aloud now: answers that have just become complete, decisions that are needed, a lost connection. */
export function announcementOf(
  scene: AnnouncementInput,
  announced: AnnouncedState,
): { readonly announcement?: string; readonly now: AnnouncedState } {
  const answers = scene.exchanges.filter((exchange) => exchange.kind === 'answer')
  const open = scene.approvals.filter(({ outcome }) => outcome === undefined)
  const isOver = ({ turn }: AnswerExchange) => turn?.settled === true
  const now: AnnouncedState = {
    since: announced.since,
    running: new Set(answers.filter((answer) => !isOver(answer)).map(({ key }) => key)),
    over: new Set(answers.filter(isOver).map(({ key }) => key)),
    asked: new Set(open.map(({ approvalId }) => approvalId)),
    // Trying to connect changes nothing for a user who waits.
    state: scene.connection.state === 'connecting' ? announced.state : scene.connection.state,
  }
  const words = [
    ...connectionWords(announced.state, now.state),
    ...answers
      .filter((answer) => isOver(answer) && !announced.over.has(answer.key) && isNew(answer, announced))
      .map(answerWords),
    ...open
      .filter(({ approvalId }) => !announced.asked.has(approvalId))
      .map(({ title }) => `Your decision is needed: ${title}?`),
  ]
  return { now, ...(words.length > 0 && { announcement: words.join(' ') }) }
}

/** Some answers are complete before they are seen to begin; by their time they are told from those of the past. */
function isNew({ key, parts }: AnswerExchange, announced: AnnouncedState): boolean {
  return announced.running.has(key) || (parts.at(-1)?.at ?? 0) >= announced.since
}

function answerWords({ parts, turn }: AnswerExchange): string {
  const own = parts.filter((part) => peerOf(part) === undefined)
  const said = own.findLast(({ partType }) => ['response', 'clarify', 'error'].includes(partType))?.text ?? 'Done.'
  return `${asName(turn?.actor ?? 'agent')}: ${spoken(said).slice(0, maxLength)}`
}

/** Markdown without its marks. */
function spoken(text: string): string {
  return text
    .replaceAll(/[*_`#|]+|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function connectionWords(before: Connection['state'], now: Connection['state']): string[] {
  const isLost = (state: Connection['state']) => state === 'waiting' || state === 'offline'
  if (before === 'open' && isLost(now)) return ['The connection is lost.']
  return isLost(before) && now === 'open' ? ['The connection is back.'] : []
}
