import { listOf, type OfferedList } from '@cool-ai/beach-channel/people'
import type { Envelope, Originator, PartTypeRegistry } from '@cool-ai/beach-core'
import { approvalBody, askedApprovals, type MailedApproval } from './approval-mail.ts'
import { artifactFiles, type ArtifactFilesOptions } from './artifact-files.ts'
import { composeAnswer, joined, plainBody, type ButtonLink, type MailBody } from './compose-answer.ts'
import { dataFiles, type MailFile } from './data-files.ts'
import { detailsOf, type MailDetails } from './email-originator.ts'
import type { DataFormat } from './options.ts'

/** A mail made from an envelope: its content, without its addresses. */
export interface ComposedMail {
  readonly subject: string
  readonly body: MailBody
  readonly files: readonly MailFile[]
  /** Of a mail that asks for an approval: which one, and the token of its answer. */
  readonly asks?: { readonly approvalId: string; readonly token: string }
  /** What can be chosen in it by a reply, or by its links. */
  readonly list?: OfferedList
}

export interface ComposeOptions extends Omit<ArtifactFilesOptions, 'maxBytes'> {
  readonly name: string
  readonly partTypes: PartTypeRegistry
  readonly data?: DataFormat | undefined
  readonly publicUrl?: string | undefined
  readonly attachedBytes: number
  /** What is said below the answer. */
  readonly footer?: MailBody | undefined
  readonly buttonLink?: ButtonLink | undefined
  /** A token by which the answer to a request counts. */
  readonly token: (asked: MailedApproval) => Promise<string>
}

const maxSubjectLength = 200

/** An envelope as mails: the answer, unless it is empty, and one for each approval that it asks for. */
export async function mailsOf(to: Originator, envelope: Envelope, options: ComposeOptions): Promise<ComposedMail[]> {
  const mails: ComposedMail[] = []
  for (const asked of askedApprovals(envelope.parts)) mails.push(await approvalMail(asked, options))
  const answer = await answerMail(to, envelope, options)
  return answer === undefined ? mails : [answer, ...mails]
}

async function answerMail(
  to: Originator,
  envelope: Envelope,
  options: ComposeOptions,
): Promise<ComposedMail | undefined> {
  const { attachedBytes, name, footer } = options
  const { parts, meta } = envelope
  const details = detailsOf(to)
  const format = details.data ?? options.data
  const ofType = (type: string) => parts.filter(({ metadata }) => metadata.partType === type)
  const data = format === undefined ? [] : dataFiles(ofType('domain-data'), format)
  const dataBytes = data.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const artifacts = await artifactFiles(ofType('artifact'), meta.sessionId, to.principal, {
    ...options,
    maxBytes: attachedBytes - dataBytes,
  })
  const files = [...(dataBytes <= attachedBytes ? data : []), ...artifacts.files]
  const said = composeAnswer(envelope, artifacts, options)
  if (said === undefined && files.length === 0) return undefined
  const below = footer === undefined ? [] : [footer]
  const body = joined([said ?? plainBody('The files are attached.'), ...below])
  const list = said !== undefined && said.choices.length > 0 && { list: listOf(meta.turnId, said.choices) }
  return { subject: replySubject(details, name), body, files, ...list }
}

async function approvalMail(asked: MailedApproval, { token: mint, publicUrl }: ComposeOptions): Promise<ComposedMail> {
  const { approvalId } = asked.request
  const token = await mint(asked)
  return {
    subject: subjectLine(`${asked.followUp?.kind === 'reminder' ? 'Reminder: approve' : 'Approve'}: ${asked.title}?`),
    body: joined([approvalBody(asked, token, decisionLink(publicUrl, token))]),
    files: [],
    asks: { approvalId, token },
  }
}

/** The page on which a request can be decided; undefined for an agent that has no such page. */
export function decisionLink(publicUrl: string | undefined, token: string): string | undefined {
  return publicUrl === undefined ? undefined : new URL(`/approvals/by-mail/${token}`, publicUrl).href
}

/** The page on which a button of a mail is confirmed; undefined for an agent that has no such page. */
export function pressLink(publicUrl: string | undefined, token: string, number: number): string | undefined {
  return publicUrl === undefined ? undefined : new URL(`/actions/by-mail/${token}/${number}`, publicUrl).href
}

/** The subject of an answer to a mail. */
export function replySubject({ subject = '' }: Pick<MailDetails, 'subject'>, name: string): string {
  const plain = oneLine(subject)
  if (plain === '') return subjectLine(`A message from ${name}`)
  return subjectLine(/^re:/i.test(plain) ? plain : `Re: ${plain}`)
}

/** A text as a subject can be. */
export function subjectLine(text: string): string {
  return oneLine(text).slice(0, maxSubjectLength)
}

/** One line, whatever the input. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()
}
