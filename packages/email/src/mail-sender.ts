import {
  approvalRecord,
  dayMs,
  hourMs,
  type AskDigest,
  type Cap,
  type CapResult,
  type GatheredAsk,
} from '@cool-ai/beach-channel/people'
import type { Envelope, Originator, Principal, SendOutcome } from '@cool-ai/beach-core'
import type { ChoiceAction } from '@cool-ai/beach-core/registries'
import { defined } from '@cool-ai/beach-core/runtime'
import type { SendMailOptions } from 'nodemailer'
import { mailAddress, plusAddress } from './address.ts'
import { againBody, askedApprovals, digestBody, stillAskedBody, type MailedApproval } from './approval-mail.ts'
import { mintToken, tokenHash, type TokenGrant } from './approval-token.ts'
import { buttonToken } from './button-token.ts'
import { joined, plainBody, type MailBody } from './compose-answer.ts'
import type { MailFile } from './data-files.ts'
import type { EmailContext } from './email-context.ts'
import { detailsOf, type MailDetails } from './email-originator.ts'
import { mailDocument } from './mail-document.ts'
import { mailNameOf, messageIdOf, type MailPurpose } from './mail-id.ts'
import type { SentMail } from './mail-records.ts'
import { decisionLink, mailsOf, oneLine, pressLink, replySubject, subjectLine } from './mails-of.ts'

interface Outgoing {
  readonly purpose: MailPurpose
  /** The same for each attempt. */
  readonly key: string
  readonly to: SentMail
  readonly subject: string
  readonly body: MailBody
  readonly files?: readonly MailFile[]
  readonly thread: Pick<MailDetails, 'messageId' | 'references'>
  /** Where answers go, when not to the conversation. */
  readonly replyTo?: string
}

/** A sender whose mail is answered by a notice. */
export interface NoticeTo extends SentMail {
  readonly subject: string
  readonly messageId: string
  readonly references: readonly string[]
}

/** A mail of the application's own. */
export interface PlainMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
const maxReferences = 20
const maxNoticesByNetwork = 10

/** Writes mails: answers, requests for approvals, and notices about mails that came in. */
export class MailSender {
  readonly #context: EmailContext
  readonly #digest: () => AskDigest

  constructor(context: EmailContext, digest: () => AskDigest) {
    this.#context = context
    this.#digest = digest
  }

  /** Sends an envelope as one mail, or as one for each approval that it asks for and one for the rest. */
  async send(to: Originator, envelope: Envelope, key: string): Promise<SendOutcome> {
    const { records } = this.#context
    const address = mailAddress(to.address ?? '')
    if (address === undefined) return { status: 'refused', reason: 'It has no address that mail can be sent to.' }
    const unreachable = await records.undeliverable(address)
    if (unreachable !== undefined)
      return { status: 'refused', reason: `Mail to this address came back: ${unreachable}` }
    const { sessionId: session } = envelope.meta
    const admitted = await this.#digest().admit(address, to, envelope, key)
    if (admitted.parts.length === 0) return { status: 'sent', externalId: 'gathered with other requests' }
    const counted = await this.#counted(address, key)
    if (typeof counted === 'object') {
      // Requests need not wait until there is room: they are gathered.
      const rest = await this.#digest().admit(address, to, admitted, key, true)
      if (rest.parts.length === 0) return { status: 'sent', externalId: 'gathered with other requests' }
      return { status: 'failed', reason: `Too many mails: ${capText(counted.full)}.` }
    }
    const place: SentMail = { session, address, principal: to.principal }
    let last: SendOutcome = { status: 'sent' }
    for (const mail of await this.#mailsOf(to, admitted, key, place)) {
      last = await this.#deliver(mail)
      if (last.status !== 'sent') return last
    }
    return last
  }

  async #mailsOf(to: Originator, envelope: Envelope, key: string, place: SentMail): Promise<Outgoing[]> {
    const { options, partTypes, limits, ours, names, tokens, runtime } = this.#context
    const thread = detailsOf(to)
    const token = (asked: MailedApproval) => this.#mint(this.#grantOf(asked, place))
    const { attachedBytes } = limits
    const still = await this.#stillAsked(thread, place)
    const footer = still && stillAskedBody(still.asked, still.token, decisionLink(options.publicUrl, still.token))
    const mailName = mailNameOf(names[0], key)
    const buttonLink = (number: number, action: ChoiceAction) => {
      const press = { mail: mailName, number, sent: place, action }
      return pressLink(options.publicUrl, buttonToken(tokens[0], press), number)
    }
    const mails = await mailsOf(to, envelope, { ...options, partTypes, attachedBytes, token, buttonLink, footer })
    return mails.map(({ asks, list, ...mail }): Outgoing => {
      const about = list === undefined ? place : { ...place, list, at: runtime.clock.now() }
      const decides = asks?.token ?? still?.token
      if (decides === undefined) return { ...mail, purpose: 'r', key, to: about, thread }
      const replyTo = plusAddress(ours, `a.${decides}`)
      if (asks !== undefined) {
        return { ...mail, purpose: 'a', key: `${key}:${asks.approvalId}`, to: place, thread, replyTo }
      }
      // An answer to it decides, or asks again: it belongs to the session that waits for the decision.
      const session = still?.session ?? place.session
      return { ...mail, purpose: 'a', key, to: { ...place, session }, thread, replyTo }
    })
  }

  /** The request that a person has asked about, while it waits for their decision, with a new token for it. */
  async #stillAsked({ asks }: MailDetails, { address }: SentMail) {
    const { records, options } = this.#context
    const grant = asks === undefined ? undefined : await records.grantOf(asks, address)
    if (grant === undefined) return undefined
    const { asked, decision } = await approvalRecord(options.sessions, { ...grant, transport: 'email' })
    if (asked === undefined || decision !== undefined) return undefined
    return { asked, session: grant.session, token: await this.#mint(grant) }
  }

  async sendDigest(asks: readonly GatheredAsk[], key: string): Promise<SendOutcome> {
    const [first] = asks
    const address = mailAddress(first?.to.address ?? '')
    if (first === undefined || address === undefined) return { status: 'refused', reason: 'There is no address.' }
    const { ours, options } = this.#context
    const placeOf = ({ meta, to }: GatheredAsk): SentMail => ({
      session: meta.sessionId,
      address,
      principal: to.principal,
    })
    const body = await digestBody(asks, async (ask) => {
      const part = await this.#digest().partOf(ask)
      const [asked] = part === undefined ? [] : askedApprovals([part])
      if (asked === undefined) return undefined
      const token = await this.#mint(this.#grantOf(asked, placeOf(ask)))
      return { asked, address: plusAddress(ours, `a.${token}`), link: decisionLink(options.publicUrl, token) }
    })
    const subject = `${asks.length} requests wait for your decision`
    return this.#deliver({ purpose: 'n', key, to: placeOf(first), subject, body, thread: {}, replyTo: ours })
  }

  async askAgain(to: NoticeTo, grant: TokenGrant): Promise<boolean> {
    const token = await this.#mint(grant)
    const { approvalId } = grant
    return this.#notify({
      purpose: 'a',
      key: `again:${approvalId}:${to.messageId}`,
      to,
      subject: replySubject(to, this.#context.options.name),
      body: joined([againBody(approvalId, token, decisionLink(this.#context.options.publicUrl, token))]),
      thread: to,
      replyTo: plusAddress(this.#context.ours, `a.${token}`),
    })
  }

  /** Tells a person something about their mail; only once for a `key`. */
  notice(to: NoticeTo, text: string, key = `notice:${to.address}:${to.messageId}`): Promise<boolean> {
    const subject = replySubject(to, this.#context.options.name)
    return this.#notify({ purpose: 'n', key, to, subject, body: joined([plainBody(text)]), thread: to })
  }

  async write(mail: PlainMail): Promise<SendOutcome> {
    const { ours, runtime } = this.#context
    const address = mailAddress(mail.to)
    if (address === undefined)
      return { status: 'refused', reason: `'${mail.to}' is not an address that mail can be sent to.` }
    const counted = await this.#counted(address, runtime.id('mail'))
    if (typeof counted === 'object') return { status: 'failed', reason: `Too many mails: ${capText(counted.full)}.` }
    return this.#plain({ ...mail, to: address }, ours)
  }

  /** Sends a mail of no conversation; an empty `returnPath` asks for no bounce. */
  #plain({ to: address, subject, text }: PlainMail, returnPath: string): Promise<SendOutcome> {
    const { ours, host, options, server, runtime } = this.#context
    return server.send({
      from: { name: oneLine(options.name), address: ours },
      to: { name: '', address },
      envelope: { from: returnPath, to: [address] },
      messageId: `<${runtime.id('mail')}@${host}>`,
      subject: subjectLine(subject),
      headers: automatic,
      text,
      html: mailDocument(options.name, plainBody(text).html),
      date: new Date(runtime.clock.now()),
    })
  }

  /**
   * Tells an address, once a day, that a mail in its name was not accepted. The notice contains nothing of that mail:
   * its sender may have meant it for the owner of that address. `network` is where the mail came from.
   */
  async replyUnproven(address: string, network: string | undefined): Promise<void> {
    const { caps, limits, runtime, records, ours, options } = this.#context
    if ((await records.undeliverable(address)) !== undefined) return
    const perNetwork = { what: `told by ${network ?? 'mailbox'}`, max: maxNoticesByNetwork, windowMs: dayMs }
    const counted = await caps.count(runtime.id('told'), [
      { what: `told ${address}`, max: 1, windowMs: dayMs },
      { what: 'told', max: limits.noticesPerDay, windowMs: dayMs },
      ...(network === undefined ? [] : [perNetwork]),
      this.#total(),
    ])
    if (counted !== 'new') return runtime.logger.log('info', 'a sender who is not authenticated was not told again', {})
    const text = [
      `A mail that says it is from this address came to ${oneLine(options.name)} (${ours}).`,
      'It could not be verified that it was sent from there, so it was neither read nor answered.',
      'If you have sent it: please send it by a mail service that proves its senders (DKIM or SPF, with DMARC), or ask the service that you use.',
      'If you have not: there is nothing to do. You get at most one such notice a day.',
    ].join('\n\n')
    await this.#plain({ to: address, subject: 'Your mail was not accepted', text }, '')
  }

  #counted(address: string, key: string): Promise<CapResult> {
    const { caps, limits } = this.#context
    return caps.count(key, [
      { what: `mails to ${address}`, max: limits.mailsPerHour, windowMs: hourMs },
      { what: `mails to ${address} in a day`, max: limits.mailsPerDay, windowMs: dayMs },
      this.#total(),
    ])
  }

  #total(): Cap {
    return { what: 'mails in all', max: this.#context.limits.totalPerHour, windowMs: hourMs }
  }

  /** A notice is sent once, and not at all when there have been too many; false when it could not be sent now. */
  async #notify(mail: Outgoing): Promise<boolean> {
    const { caps, limits, runtime } = this.#context
    const { address } = mail.to
    const perHour = { what: `notices to ${address}`, max: limits.noticesPerHour, windowMs: hourMs }
    const counted = await caps.count(mail.key, [perHour, this.#total()])
    if (typeof counted === 'object') {
      runtime.logger.log('warn', 'a notice was not sent: too many within the hour', {})
      return true
    }
    return (await this.#deliver(mail)).status !== 'failed'
  }

  async #deliver(mail: Outgoing): Promise<SendOutcome> {
    const { records, names, server } = this.#context
    const name = mailNameOf(names[0], mail.key)
    // Also under the name that an earlier secret gave it.
    for (const key of names) if (await records.wasSent(mailNameOf(key, mail.key))) return { status: 'sent' }
    await records.keepSentMail(name, sentMailOf(mail.to))
    const outcome = await server.send(await this.#written(mail, name))
    if (outcome.status === 'sent') await records.markSent(name)
    return outcome
  }

  async #written(mail: Outgoing, name: string): Promise<SendMailOptions> {
    const { purpose, to, subject, body, files = [], thread, replyTo } = mail
    const { ours, host, options } = this.#context
    const conversation = plusAddress(ours, `t.${name}`)
    const { messageId, references = [] } = thread
    const before = [...references, ...(messageId === undefined ? [] : [messageId])].filter(isMessageId)
    return {
      from: { name: oneLine(options.name), address: ours },
      to: { name: '', address: to.address },
      replyTo: { name: oneLine(options.name), address: replyTo ?? conversation },
      // The address of a bounce tells which mail it was.
      envelope: { from: conversation, to: [to.address] },
      messageId: messageIdOf({ purpose, session: to.session, mail: name }, host),
      ...(messageId !== undefined && isMessageId(messageId) && { inReplyTo: messageId }),
      ...(before.length > 0 && { references: before.slice(-maxReferences) }),
      subject: subjectLine(subject),
      headers: automatic,
      text: body.text,
      html: mailDocument(options.name, body.html),
      attachments: await Promise.all(files.map(attachmentOf)),
      date: new Date(this.#context.runtime.clock.now()),
    }
  }

  #grantOf({ request, action }: MailedApproval, { session, address, principal }: SentMail): TokenGrant {
    const { approvalId, expiresAt } = request
    const expiry = expiresAt === undefined ? undefined : { expiresAt: Date.parse(expiresAt) }
    const grantee = { tenant: this.#context.tenant, session, approver: address, principal: bare(principal) }
    return { ...grantee, approvalId, action, ...expiry }
  }

  /** A new token for each attempt: only its hash is kept, so an earlier one cannot be written again. */
  async #mint(grant: TokenGrant): Promise<string> {
    const { runtime, tokens, records } = this.#context
    const token = mintToken(tokens[0], grant, runtime.id('tok').slice('tok_'.length))
    await records.keepGrant(tokenHash(token), grant)
    return token
  }
}

function capText({ what, max, windowMs }: Cap): string {
  return `${max} ${what} within ${windowMs / hourMs} h is the limit`
}

async function attachmentOf({ filename, contentType, content }: MailFile) {
  return { filename: oneLine(filename), contentType, content: await content() }
}

function sentMailOf({ session, address, principal, list, at }: SentMail): SentMail {
  return defined({ session, address, principal: bare(principal), list, at })
}

function bare({ kind, id, tenant, scopes }: Principal): Principal {
  return defined({ kind, id, tenant, scopes })
}

function isMessageId(text: string): boolean {
  return /^<[^<>\s]{1,400}>$/.test(text)
}
