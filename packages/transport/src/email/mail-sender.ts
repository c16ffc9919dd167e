import type { Envelope, Originator, Principal, SendOutcome } from '@cool-ai/beach-core'
import type { SendMailOptions } from 'nodemailer'
import { mailAddress, plusAddress } from './address.ts'
import { againBody, type AskedApproval } from './approval-mail.ts'
import { mintToken, tokenHash, type TokenGrant } from './approval-token.ts'
import { joined, plainBody, type MailBody } from './compose-answer.ts'
import type { MailFile } from './data-files.ts'
import type { EmailWorld } from './email-world.ts'
import { detailsOf, type MailDetails } from './email-originator.ts'
import { mailNameOf, messageIdOf, type MailPurpose } from './mail-id.ts'
import type { SentMail } from './mail-records.ts'
import { decisionLink, mailsOf, oneLine, replySubject, subjectLine } from './mails-of.ts'

/** A mail on its way out. */
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

/** Somebody whose mail is answered by a notice. */
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
const mostReferences = 20

/** Writes mails: answers, requests for approvals, and notices about mails that came in. */
export class MailSender {
  readonly #world: EmailWorld

  constructor(world: EmailWorld) {
    this.#world = world
  }

  /** Sends an envelope as one mail, or as one for each approval that it asks for and one for the rest. */
  async send(to: Originator, envelope: Envelope, key: string): Promise<SendOutcome> {
    const { records, limits, caps } = this.#world
    const address = mailAddress(to.address ?? '')
    if (address === undefined) return { status: 'refused', reason: 'It has no address that mail can be sent to.' }
    const unreachable = await records.undeliverable(address)
    if (unreachable !== undefined)
      return { status: 'refused', reason: `Mail to this address came back: ${unreachable}` }
    const { sessionId: session } = envelope.meta
    if (!(await caps.allows(`mail ${session} ${address}`, key, limits.mailsPerHour))) {
      return { status: 'failed', reason: 'Too many mails were sent in this conversation within the hour.' }
    }
    const place: SentMail = { session, address, principal: to.principal }
    let last: SendOutcome = { status: 'sent' }
    for (const mail of await this.#mailsOf(to, envelope, key, place)) {
      last = await this.#deliver(mail)
      if (last.status !== 'sent') return last
    }
    return last
  }

  async #mailsOf(to: Originator, envelope: Envelope, key: string, place: SentMail): Promise<Outgoing[]> {
    const { options, partTypes, limits, ours } = this.#world
    const thread = detailsOf(to)
    const token = (asked: AskedApproval) => this.#mint(this.#grantOf(asked, place))
    const { attachedBytes } = limits
    const mails = await mailsOf(to, envelope, { ...options, partTypes, attachedBytes, token })
    return mails.map(({ asks, ...mail }): Outgoing => {
      if (asks === undefined) return { ...mail, purpose: 'r', key, to: place, thread }
      const replyTo = plusAddress(ours, `a.${asks.token}`)
      return { ...mail, purpose: 'a', key: `${key}:${asks.approvalId}`, to: place, thread, replyTo }
    })
  }

  /** Asks again for an approval whose answer was not clear. */
  async askAgain(to: NoticeTo, grant: TokenGrant): Promise<boolean> {
    const token = await this.#mint(grant)
    const { approvalId } = grant
    return this.#notify({
      purpose: 'a',
      key: `again:${approvalId}:${to.messageId}`,
      to,
      subject: `[approval:${approvalId}] Please answer yes or no`,
      body: joined([againBody(approvalId, token, decisionLink(this.#world.options.publicUrl, token))]),
      thread: to,
      replyTo: plusAddress(this.#world.ours, `a.${token}`),
    })
  }

  /** Tells somebody something about a mail of theirs. */
  notice(to: NoticeTo, text: string): Promise<boolean> {
    const subject = replySubject(to, this.#world.options.name)
    const key = `notice:${to.address}:${to.messageId}`
    return this.#notify({ purpose: 'n', key, to, subject, body: joined([plainBody(text)]), thread: to })
  }

  /** Sends something that is of no conversation, such as a code. */
  async write({ to, subject, text }: PlainMail): Promise<SendOutcome> {
    const { ours, host, options, server, runtime } = this.#world
    const address = mailAddress(to)
    if (address === undefined)
      return { status: 'refused', reason: `'${to}' is not an address that mail can be sent to.` }
    return server.send({
      from: { name: oneLine(options.name), address: ours },
      to: { name: '', address },
      envelope: { from: ours, to: [address] },
      messageId: `<${runtime.id('mail')}@${host}>`,
      subject: subjectLine(subject),
      headers: automatic,
      ...joined([plainBody(text)]),
      date: new Date(runtime.clock.now()),
    })
  }

  /** A notice is sent once, and not at all when there have been too many; false when it could not be sent now. */
  async #notify(mail: Outgoing): Promise<boolean> {
    const { caps, limits, runtime } = this.#world
    const { address } = mail.to
    if (!(await caps.allows(`notice ${address}`, mail.key, limits.noticesPerHour))) {
      runtime.logger.log('warn', 'a notice was not sent: too many within the hour', { address })
      return true
    }
    return (await this.#deliver(mail)).status !== 'failed'
  }

  async #deliver(mail: Outgoing): Promise<SendOutcome> {
    const { records, names, server } = this.#world
    const name = mailNameOf(names, mail.key)
    if (await records.wasSent(name)) return { status: 'sent' }
    await records.keepSentMail(name, sentMailOf(mail.to))
    const outcome = await server.send(await this.#written(mail, name))
    if (outcome.status === 'sent') await records.markSent(name)
    return outcome
  }

  async #written(mail: Outgoing, name: string): Promise<SendMailOptions> {
    const { purpose, to, subject, body, files = [], thread, replyTo } = mail
    const { ours, host, options } = this.#world
    const conversation = plusAddress(ours, `t.${name}`)
    const { messageId, references = [] } = thread
    const before = [...references, ...(messageId === undefined ? [] : [messageId])].filter(isMessageId)
    return {
      from: { name: oneLine(options.name), address: ours },
      to: { name: '', address: to.address },
      replyTo: { name: oneLine(options.name), address: replyTo ?? conversation },
      // What comes back says by its address which mail it was.
      envelope: { from: conversation, to: [to.address] },
      messageId: messageIdOf({ purpose, session: to.session, mail: name }, host),
      ...(messageId !== undefined && isMessageId(messageId) && { inReplyTo: messageId }),
      ...(before.length > 0 && { references: before.slice(-mostReferences) }),
      subject: subjectLine(subject),
      headers: automatic,
      text: body.text,
      html: body.html,
      attachments: await Promise.all(files.map(attachmentOf)),
      date: new Date(this.#world.runtime.clock.now()),
    }
  }

  #grantOf({ request, action }: AskedApproval, { session, address, principal }: SentMail): TokenGrant {
    const { approvalId, expiresAt } = request
    const expiry = expiresAt === undefined ? undefined : { expiresAt: Date.parse(expiresAt) }
    const grantee = { tenant: this.#world.tenant, session, approver: address, principal: bare(principal) }
    return { ...grantee, approvalId, action, ...expiry }
  }

  /** A new token for each attempt: only its hash is kept, so an earlier one cannot be written again. */
  async #mint(grant: TokenGrant): Promise<string> {
    const { runtime, tokens, records } = this.#world
    const token = mintToken(tokens, grant, runtime.id('tok').slice('tok_'.length))
    await records.keepGrant(tokenHash(token), grant)
    return token
  }
}

async function attachmentOf({ filename, contentType, content }: MailFile) {
  return { filename: oneLine(filename), contentType, content: await content() }
}

function sentMailOf({ session, address, principal }: SentMail): SentMail {
  return { session, address, principal: bare(principal) }
}

function bare({ kind, id, tenant, scopes }: Principal): Principal {
  return { kind, id, tenant, ...(scopes && { scopes }) }
}

function isMessageId(text: string): boolean {
  return /^<[^<>\s]{1,400}>$/.test(text)
}
