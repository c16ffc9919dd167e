import { tagOf } from './address.ts'
import { isToken, tokenHash, type TokenGrant } from './approval-token.ts'
import { isMailName, ownMailId, type OwnMailId } from './mail-id.ts'
import { messageKeyOf, type MailRecords, type SentMail } from './mail-records.ts'
import { isDataFormat, type DataFormat } from './options.ts'
import type { ReadMail } from './read-mail.ts'

/** What a mail belongs to, by every reference in it to something of ours. */
export interface MailThread {
  /** True when its references name different conversations, or an approval of another one: then none counts. */
  readonly disagrees: boolean
  readonly answers?: SentMail | undefined
  readonly follows?: string | undefined
  /** The approval that it is about; `grant` only with a known token, or the label of a request to its sender. */
  readonly approval?: NamedApproval | undefined
  /** Words after the plus of our address that ask for data to be attached. */
  readonly asks: readonly DataFormat[]
}

interface NamedApproval {
  readonly label: string | undefined
  readonly tokens: readonly string[]
  readonly grant: TokenGrant | undefined
}

const label = /\[approval:([A-Za-z0-9_.:-]{1,200})\](?:[ \t]+([a-z2-9]{42}))?/g
const maxLabels = 20

interface Marks {
  readonly own: readonly OwnMailId[]
  readonly direct: readonly OwnMailId[]
  readonly foreign: readonly string[]
  readonly tags: readonly string[]
}

/** Finds the conversation that a mail belongs to; all references must agree. */
export async function threadOf(
  mail: ReadMail,
  recipients: readonly string[],
  { ours, host, records }: { readonly ours: string; readonly host: string; readonly records: MailRecords },
): Promise<MailThread> {
  const marks = marksOf(mail, recipients, ours, host)
  const names = [...marks.own.map((id) => id.mail), ...taggedMails(marks.tags)]
  const sent = await lookUp([...new Set(names)], (name) => records.sentMail(name))
  const isForeign = marks.own.some(({ mail: name, session }) => {
    const record = sent.get(name)
    return record !== undefined && record.session !== session
  })
  const from = mail.from ?? ''
  const before = await lookUp(marks.foreign, (id) => records.taken(messageKeyOf(id, from)))
  const approval = await approvalOf(mail, marks, records)
  const follows = [...before.values()].find((session) => session !== '')
  const all = [...sent.values()]
  const answers = all.findLast(({ address }) => address === from) ?? all.at(-1)
  const sessions = new Set([
    ...all.map(({ session }) => session),
    ...[...before.values()].filter((session) => session !== ''),
    ...(approval?.grant ? [approval.grant.session] : []),
  ])
  return {
    disagrees: isForeign || sessions.size > 1 || approval?.disagrees === true,
    answers,
    follows,
    approval,
    asks: marks.tags.filter(isDataFormat),
  }
}

function marksOf(mail: ReadMail, recipients: readonly string[], ours: string, host: string): Marks {
  const all = [...mail.references, ...mail.inReplyTo]
  const ownOf = (ids: readonly string[]) => ids.flatMap((id) => ownMailId(id, host) ?? [])
  return {
    own: ownOf(all),
    direct: ownOf(mail.inReplyTo),
    foreign: [...new Set(all.filter((id) => ownMailId(id, host) === undefined))].slice(-20),
    tags: [...new Set([...recipients, ...mail.recipients])].flatMap((address) => tagOf(ours, address) ?? []),
  }
}

function taggedMails(tags: readonly string[]): string[] {
  return tags.flatMap((tag) => (tag.startsWith('t.') && isMailName(tag.slice(2)) ? [tag.slice(2)] : []))
}

/**
 * The approval that a mail is an answer to. Tokens are in the address that it is sent to or in the text, quoted or not;
 * old ones further down in a conversation do not make an ordinary answer a decision.
 */
async function approvalOf(mail: ReadMail, { tags, direct }: Marks, records: MailRecords) {
  const addressed = tags.flatMap((tag) => (tag.startsWith('a.') ? [tag.slice(2)] : []))
  const isAsked = addressed.length > 0 || direct.some(({ purpose }) => purpose === 'a')
  const isOther = !isAsked && (direct.length > 0 || taggedMails(tags).length > 0)
  const subject = labelsIn(mail.subject)
  const body = labelsIn(mail.whole)
  if (isOther || (!isAsked && subject.length === 0 && body.length === 0)) return undefined
  const written = [...subject, ...body].flatMap(({ token }) => token ?? [])
  const tokens = [...new Set([...addressed, ...written])].slice(0, maxLabels)
  const grants = await Promise.all(
    tokens.map(async (token) => (isToken(token) ? records.grant(tokenHash(token)) : undefined)),
  )
  const known = grants.filter((grant) => grant !== undefined)
  // Labels in the text count only where no token does: a conversation quotes old ones.
  const labels = tokens.length > 0 ? subject : [...subject, ...body]
  const names = new Set([...known, ...labels].map(({ approvalId }) => approvalId))
  const [name] = names
  const isLabelled = tokens.length === 0 && name !== undefined && mail.from !== undefined
  return {
    tokens,
    disagrees: names.size > 1 || known.length < tokens.length,
    label: subject[0]?.approvalId ?? body[0]?.approvalId,
    grant: isLabelled ? await records.grantOf(name, mail.from) : known[0],
  }
}

function labelsIn(text: string): { readonly approvalId: string; readonly token: string | undefined }[] {
  return [...text.matchAll(label)].slice(0, maxLabels).map(([, approvalId = '', token]) => ({ approvalId, token }))
}

async function lookUp<Value>(
  names: readonly string[],
  find: (name: string) => Promise<Value | undefined>,
): Promise<Map<string, Value>> {
  const found = new Map<string, Value>()
  for (const name of names) {
    const value = await find(name)
    if (value !== undefined) found.set(name, value)
  }
  return found
}
