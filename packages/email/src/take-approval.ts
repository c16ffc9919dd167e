import { agreedDecision, approvalRecord, decidedText, isQuestion } from '@cool-ai/beach-channel/people'
import type { Sessions } from '@cool-ai/beach-core'
import type { Decided } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { isTokenFor, type TokenGrant } from './approval-token.ts'
import type { Authenticity } from './authenticity.ts'
import type { EmailContext } from './email-context.ts'
import type { MailSender, NoticeTo } from './mail-sender.ts'
import type { ReadMail } from './read-mail.ts'
import type { MailThread } from './thread-of.ts'

/** The outcome of a mail that answers a request for an approval. */
export type ApprovalOutcome =
  | Decided
  | 'unclear'
  | 'question'
  | 'no-token'
  | 'invalid-token'
  | 'disagrees'
  | 'not-the-approver'
  | 'unauthenticated'

export interface AnsweringMail {
  readonly mail: ReadMail & { readonly from: string }
  readonly thread: MailThread
  readonly authenticity: Authenticity
}

const maxReminders = 2

const said: Readonly<Partial<Record<ApprovalOutcome, string>>> = {
  already: 'This approval has already been decided, or is no longer needed. Your answer changes nothing.',
  expired: 'This approval has expired, and counts as denied. Nothing was done.',
  notFound: 'There is no such approval, or it is not yours to decide. Nothing was done.',
  'no-token':
    'Your answer does not say which request it is for. Reply to the mail that asks, and leave its subject as it is.',
  unauthenticated:
    'Your answer was not counted: it could not be proven that the mail is from your address. Decide in another way.',
}

/**
 * Takes a decision by mail. It counts with a token of the request or its label, from the address that was asked, in a
 * mail that is proven to be from there; the words must be plain, and the same in the text and the HTML.
 */
export async function takeApproval(
  answer: AnsweringMail,
  context: EmailContext,
  sender: MailSender,
): Promise<{ readonly outcome: ApprovalOutcome; readonly isNotified: boolean; readonly session?: string }> {
  const { mail, thread } = answer
  const grant = thread.approval?.grant
  const checked = check(answer, context)
  const outcome = checked ?? (grant === undefined ? 'no-token' : await decide(mail, grant, context.options.sessions))
  const session = grant?.session ?? thread.answers?.session
  const to = noticeTo(answer)
  const about = defined({ outcome, session })
  context.runtime.logger.log(outcome === 'decided' ? 'info' : 'warn', 'an approval was answered by mail', {
    ...about,
    approvalId: grant?.approvalId ?? thread.approval?.label,
  })
  if (to === undefined || outcome === 'question') return { ...about, isNotified: true }
  if (outcome === 'unclear' && grant !== undefined) {
    const isLeft = await context.records.takePlace(`again:${grant.approvalId}`, mail.messageId, maxReminders)
    return { ...about, isNotified: !isLeft || (await sender.askAgain(to, grant)) }
  }
  const text = outcome === 'already' && grant !== undefined ? await lateText(grant, context) : said[outcome]
  return { ...about, isNotified: text === undefined || (await sender.notice(to, text)) }
}

/** The reply to an answer that comes too late: what was decided, where and when. */
async function lateText({ approvalId, session, tenant }: TokenGrant, { options }: EmailContext): Promise<string> {
  const place = { approvalId, session, tenant, transport: 'email' }
  const { decision } = await approvalRecord(options.sessions, place)
  const already = said.already ?? ''
  return decision === undefined ? already : `${already} ${decidedText(decision)}`
}

/** Why an answer does not count; undefined when it does. */
function check({ mail, thread, authenticity }: AnsweringMail, context: EmailContext): ApprovalOutcome | undefined {
  const { approval, disagrees } = thread
  const grant = approval?.grant
  const { tokens = [] } = approval ?? {}
  if (grant === undefined) return tokens.length === 0 ? 'no-token' : 'invalid-token'
  if (tokens.length > 0 && !tokens.some((token) => isTokenFor(context.tokens, token, grant))) return 'invalid-token'
  if (disagrees) return 'disagrees'
  if (mail.from !== grant.approver) return 'not-the-approver'
  if (authenticity !== 'proven') return 'unauthenticated'
  const { expiresAt } = grant
  return expiresAt !== undefined && expiresAt <= context.runtime.clock.now() ? 'expired' : undefined
}

async function decide(
  mail: ReadMail,
  { approvalId, principal, session, tenant }: TokenGrant,
  sessions: Sessions,
): Promise<ApprovalOutcome> {
  const decision = mail.isMarked ? 'unclear' : agreedDecision(mail.texts)
  if (decision === 'unclear') {
    // A late answer needs no clarification.
    const { turn } = await sessions.view(session, { kind: 'operator', id: 'email', tenant })
    if (turn?.pendingApprovals.includes(approvalId) !== true) return 'already'
    return mail.texts.some(({ text }) => isQuestion(text)) ? 'question' : 'unclear'
  }
  return sessions.decide(approvalId, { ...decision, via: 'smtp' }, principal, session)
}

/**
 * Who may get a notice: the person who was asked, and a person who answers a mail of ours from its recipient's address.
 */
function noticeTo({ mail, thread, authenticity }: AnsweringMail): NoticeTo | undefined {
  const { approval, answers } = thread
  const place = approval?.grant ?? answers
  const address = approval?.grant?.approver ?? answers?.address
  if (place === undefined || address !== mail.from || authenticity === 'forged' || authenticity === 'doubtful')
    return undefined
  const { messageId, references } = mail
  // The subject of an unproven mail may be another person's.
  const subject = authenticity === 'proven' ? mail.subject : ''
  return { session: place.session, principal: place.principal, address, subject, messageId, references }
}
