import { shortened, type GatheredAsk } from '@cool-ai/beach-channel/people'
import type { Part } from '@cool-ai/beach-core'
import { approvalQuestion, askedApproval, expiryText, type AskedApproval } from '@cool-ai/beach-protocol'
import { joined, plainBody, type MailBody } from './compose-answer.ts'
import { linkButton } from './mail-document.ts'
import { escapeHtml } from './markdown-html.ts'

/** A request for an approval, as a mail asks for it. */
export interface MailedApproval extends AskedApproval {
  /** Hash of the call, so that the answer counts for exactly this one. */
  readonly action: string
}

/** The requests for approvals among an envelope's parts. */
export function askedApprovals(parts: readonly Part[]): MailedApproval[] {
  return parts.flatMap((part) => {
    const asked = askedApproval(part)
    if (asked === undefined) return []
    const { callHash } = part.metadata
    const { toolName, args } = asked.request
    return [{ ...asked, action: typeof callHash === 'string' ? callHash : JSON.stringify([toolName, args]) }]
  })
}

/** What the mail says: the call with its arguments, how to answer, and the line by which the answer is recognised. */
export function approvalBody(asked: AskedApproval, token: string, link: string | undefined, first?: string): MailBody {
  const how = `Reply to this mail with just "yes" or "no"; a no may give its reason.${expiryText(asked)}`
  const before = first === undefined ? [] : [plainBody(first)]
  return answerable([...before, requestBody(asked), plainBody(how)], asked.request.approvalId, token, link)
}

/** The request, in HTML with its title set off and each fact below its label. */
function requestBody(asked: AskedApproval): MailBody {
  const text = approvalQuestion(asked)
  const facts = new Map([...asked.details, ...asked.arguments].map((fact) => [`${fact.label}: ${fact.value}`, fact]))
  const html = text.split('\n').map((line) => {
    const fact = facts.get(line)
    if (fact === undefined) {
      const weight = line.endsWith(asked.title) ? ';font-size:17px;font-weight:600' : ''
      return `<p style="margin:0 0 12px${weight}">${escapeHtml(line)}</p>`
    }
    const label = `<span class="beach-minor" style="color:#565f6b">${escapeHtml(fact.label)}</span>`
    return `<p style="margin:0 0 12px">${label}<br>${escapeHtml(fact.value)}</p>`
  })
  return { text, html: html.join('') }
}

/** The reply to an unclear answer. */
export function againBody(approvalId: string, token: string, link: string | undefined): MailBody {
  const how = 'Reply to this mail with just "yes" or "no"; a no may give its reason. Nothing is done until then.'
  const paragraphs = ['It was not clear whether you approve.', how]
  return answerable(paragraphs.map(plainBody), approvalId, token, link)
}

/** Below the answer to a question about a request: how it is decided. */
export function stillAskedBody(asked: AskedApproval, token: string, link: string | undefined): MailBody {
  const text = `Your decision is still needed: ${asked.title}? Reply with just "yes" or "no", or ask again.`
  return answerable([plainBody(text)], asked.request.approvalId, token, link)
}

function answerable(
  bodies: readonly MailBody[],
  approvalId: string,
  token: string,
  link: string | undefined,
): MailBody {
  const mark = `[approval:${approvalId}] ${token}`
  const linkText = link === undefined ? [] : [`Or decide here: ${link}`]
  const linkHtml = link === undefined ? [] : [linkButton('Decide on a page', link)]
  const small = `<p class="beach-minor" style="margin:12px 0 0;color:#565f6b;font-size:13px">${escapeHtml(mark)}</p>`
  const texts = bodies.map(({ text }) => text)
  const html = bodies.map((body) => body.html)
  return { text: [...texts, ...linkText, mark].join('\n\n'), html: [...html, ...linkHtml, small].join('') }
}

interface ListedAsk {
  readonly asked: AskedApproval
  readonly link?: string | undefined
  readonly address: string
}

const maxListed = 25
const maxQuestionLength = 1_500

/** One mail about all pending requests: each with its call, and where it is decided. */
export async function digestBody(
  asks: readonly GatheredAsk[],
  listedOf: (ask: GatheredAsk) => Promise<ListedAsk | undefined>,
): Promise<MailBody> {
  const listed = asks.slice(0, maxListed)
  const items: MailBody[] = []
  for (const ask of listed) {
    const found = await listedOf(ask)
    if (found !== undefined) items.push(plainBody(itemOf(found, items.length + 1)))
  }
  const head = `${asks.length} requests wait for your decision. An answer to this mail decides nothing: decide each of them by itself.`
  const more = asks.length - listed.length
  const rest = more > 0 ? [plainBody(`And ${more} more, which are decided where they were asked.`)] : []
  return joined([plainBody(head), ...items, ...rest])
}

function itemOf({ asked, link, address }: ListedAsk, number: number): string {
  const question = approvalQuestion(asked)
  const until = expiryText(asked)
  if (link !== undefined) return `${number}. ${shortened(question, maxQuestionLength)}\nDecide here: ${link}${until}`
  // A decision is always on all of a request.
  if (question.length > maxQuestionLength) {
    return `${number}. ${asked.title}\nIt is decided where it was asked.${until}`
  }
  return `${number}. ${question}\nWrite just "yes" or "no" to ${address}.${until}`
}
