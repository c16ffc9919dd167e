import type { Part } from '@cool-ai/beach-core'
import { approvalNotice, approvalQuestion, approvalRequestSchema, type ApprovalRequest } from '@cool-ai/beach-protocol'
import { escapeHtml } from './markdown-html.ts'
import type { MailBody } from './compose-answer.ts'

/** A request for an approval, as a mail asks for it. */
export interface AskedApproval {
  readonly request: ApprovalRequest
  readonly notice?: string
  /** Hash of the call, so that the answer counts for exactly this one. */
  readonly action: string
}

/** The requests for approvals among an envelope's parts. */
export function askedApprovals(parts: readonly Part[]): AskedApproval[] {
  return parts.flatMap((part) => {
    if (part.metadata.partType !== 'approval-request') return []
    const request = approvalRequestSchema.safeParse(part.data).data
    if (request === undefined) return []
    const notice = approvalNotice(part)
    const { callHash } = part.metadata
    const action = typeof callHash === 'string' ? callHash : JSON.stringify([request.toolName, request.args])
    return [{ request, action, ...(notice !== undefined && { notice }) }]
  })
}

/** What the mail says: the call with its arguments, how to answer, and the line by which the answer is recognised. */
export function approvalBody(
  { request, notice }: AskedApproval,
  token: string,
  link: string | undefined,
  first?: string,
): MailBody {
  const question = approvalQuestion(request, notice)
  const until = request.expiresAt === undefined ? '' : ` It is denied by itself after ${request.expiresAt}.`
  const how = `Reply to this mail with just "yes" or "no"; a no may give its reason.${until}`
  return answerable([...(first === undefined ? [] : [first]), question, how], request.approvalId, token, link)
}

/** The reply to an unclear answer. */
export function againBody(approvalId: string, token: string, link: string | undefined): MailBody {
  const how = 'Reply to this mail with just "yes" or "no"; a no may give its reason. Nothing is done until then.'
  return answerable(['It was not clear whether you approve.', how], approvalId, token, link)
}

function answerable(
  paragraphs: readonly string[],
  approvalId: string,
  token: string,
  link: string | undefined,
): MailBody {
  const mark = `[approval:${approvalId}] ${token}`
  const html = paragraphs.map((text) => `<p style="margin:0 0 12px">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`)
  const linkText = link === undefined ? [] : [`Or decide here: ${link}`]
  const linkHtml =
    link === undefined
      ? []
      : [`<p style="margin:0 0 12px"><a style="color:#0b57d0" href="${escapeHtml(link)}">Decide on a page</a></p>`]
  const small = `<p style="margin:12px 0 0;color:#5f6368;font-size:13px">${escapeHtml(mark)}</p>`
  return { text: [...paragraphs, ...linkText, mark].join('\n\n'), html: [...html, ...linkHtml, small].join('') }
}
