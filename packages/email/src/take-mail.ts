import { networkOf } from '@cool-ai/beach-channel/http'
import {
  approvalRecord,
  dayMs,
  hourMs,
  isOutdated,
  questionSession,
  requestContext,
  waitsText,
  withChoice,
} from '@cool-ai/beach-channel/people'
import { BeachError, isBeachError, type Part, type Principal, type Sessions } from '@cool-ai/beach-core'
import { defined, ifFound } from '@cool-ai/beach-core/runtime'
import { domainOf } from './address.ts'
import { authenticity, type Authenticity, type MailArrival } from './authenticity.ts'
import type { TokenGrant } from './approval-token.ts'
import type { EmailContext } from './email-context.ts'
import { originatorOf } from './email-originator.ts'
import { messageKeyOf } from './mail-records.ts'
import type { MailSender } from './mail-sender.ts'
import { readMail, type ReadMail } from './read-mail.ts'
import { saidParts } from './own-words.ts'
import { takeApproval } from './take-approval.ts'
import { takeBounce } from './take-bounce.ts'
import { takeAttachments } from './take-attachments.ts'
import { threadOf, type MailThread } from './thread-of.ts'

/**
 * The outcome of a mail. Its sender need not send it again; an error means that it should, unless it says otherwise.
 */
export type TakenMail = { readonly status: 'taken' | 'duplicate'; readonly session?: string | undefined } | UntakenMail

interface UntakenMail {
  readonly status: 'ignored' | 'refused'
  readonly reason: string
  /** True when it may be taken later. */
  readonly isTemporary?: boolean
}

/** A mail as it arrived. */
export interface ArrivedMail extends MailArrival {
  readonly raw: Buffer
  readonly recipients?: readonly string[]
  /** The envelope's sender, empty for a bounce; undefined where it is not known. */
  readonly returnPath?: string
}

const conversationHours = 5

type WrittenMail = ReadMail & { readonly from: string }

interface Destination {
  readonly session: string
  readonly principal: Principal
  readonly isNew: boolean
}

/** Handles mails: finds out what each is, from whom, and to which session it belongs, and posts it there. */
export class MailIntake {
  readonly #context: EmailContext
  readonly #sender: MailSender
  readonly #sessions: Sessions

  constructor(context: EmailContext, sender: MailSender, sessions: Sessions) {
    this.#context = context
    this.#sender = sender
    this.#sessions = sessions
  }

  /** Resolves once the mail is in the log, or need not be. */
  async take(arrived: ArrivedMail): Promise<TakenMail> {
    const { records, ours, runtime } = this.#context
    const mail = await readMail(arrived.raw)
    const key = messageKeyOf(mail.messageId, mail.from ?? '')
    const before = await records.taken(key)
    if (before !== undefined) return { status: 'duplicate', session: before || undefined }
    const kind = mailKind(mail, ours, arrived.returnPath)
    if (kind === 'bounce') await takeBounce(mail, arrived.recipients ?? [], this.#context)
    const { from } = mail
    const taken: TakenMail =
      kind !== 'written'
        ? { status: 'ignored', reason: kind }
        : from === undefined
          ? { status: 'refused', reason: 'It must be from exactly one address.' }
          : await this.#takeWritten({ ...mail, from }, arrived)
    if (taken.status === 'ignored' || taken.status === 'refused') {
      runtime.logger.log('warn', `a mail was ${taken.status}`, { messageKey: key, reason: taken.reason })
    }
    // A mail may arrive by two ways, and be proven authentic only by one of them.
    if (taken.status !== 'refused') await records.markTaken(key, 'session' in taken ? taken.session : undefined)
    return taken
  }

  async #takeWritten(mail: WrittenMail, arrived: ArrivedMail): Promise<TakenMail> {
    const { records, runtime, ours, host, options } = this.#context
    const proof = await authenticity(arrived.raw, mail, arrived, { host, dns: options.dns })
    if (proof === 'undetermined') {
      throw new BeachError('UNREACHABLE', 'The sender of this mail cannot be verified now.')
    }
    const thread = await threadOf(mail, arrived.recipients ?? [], { ours, host, records })
    if (thread.approval !== undefined) return this.#takeApproval(mail, arrived, thread, proof)
    if (proof === 'forged') return { status: 'refused', reason: 'unauthenticated' }
    if (thread.disagrees) {
      return {
        status: 'refused',
        reason: 'It names more than one conversation. Write a new mail, or answer one of ours.',
      }
    }
    if (proof !== 'proven' && options.guests !== true) {
      const network = arrived.connection && networkOf(arrived.connection.ip)
      if (proof === 'unproven') await this.#sender.replyUnproven(mail.from, network)
      return { status: 'refused', reason: 'unauthenticated' }
    }
    const tooMany = await this.#tooMany(mail, arrived, proof)
    if (tooMany !== undefined) return tooMany
    if (proof === 'proven') await records.clearUndeliverable(mail.from)
    const destination = await this.#destination(mail, thread, proof)
    if ('status' in destination) return destination
    runtime.logger.log('debug', 'a mail goes into a session', { session: destination.session, proof })
    return this.#post(mail, thread, destination)
  }

  /** Why a mail is not accepted now: loops between automatic answers end, and no sender takes up everything. */
  async #tooMany(
    mail: WrittenMail,
    { connection }: ArrivedMail,
    proof: Authenticity,
  ): Promise<UntakenMail | undefined> {
    const { caps, limits } = this.#context
    const domain = domainOf(mail.from)
    const network = connection && networkOf(connection.ip)
    const counted = await caps.count(messageKeyOf(mail.messageId, mail.from), [
      { what: `mails from ${mail.from}`, max: limits.senderPerHour, windowMs: hourMs },
      { what: `mails from the domain ${domain}`, max: limits.domainPerHour, windowMs: hourMs },
      ...(proof === 'proven' || network === undefined
        ? []
        : [{ what: `guests by ${network}`, max: limits.senderPerHour, windowMs: hourMs }]),
    ])
    if (typeof counted !== 'object') return undefined
    const reason = 'Too many mails came from this address or its domain within the hour. Send it again later.'
    return { status: 'refused', reason, isTemporary: true }
  }

  async #takeApproval(
    mail: WrittenMail,
    arrived: ArrivedMail,
    thread: MailThread,
    proof: Authenticity,
  ): Promise<TakenMail> {
    const answer = { mail, thread, authenticity: proof }
    const { outcome, isNotified, session } = await takeApproval(answer, this.#context, this.#sender)
    // The mail comes again, and its sender is told then.
    if (!isNotified) throw new BeachError('UNREACHABLE', 'The answer to this mail could not be sent now.')
    const grant = thread.approval?.grant
    if (outcome === 'question' && grant !== undefined) {
      return (await this.#tooMany(mail, arrived, proof)) ?? this.#postQuestion(mail, thread, grant)
    }
    const refused = ['invalid-token', 'disagrees', 'not-the-approver', 'unauthenticated']
    if (refused.includes(outcome)) return { status: 'refused', reason: outcome }
    return { status: 'taken', session: outcome === 'decided' ? session : undefined }
  }

  /** A question about a request goes into a session of its approver's own; with it goes what they were asked. */
  async #postQuestion(mail: WrittenMail, thread: MailThread, grant: TokenGrant): Promise<TakenMail> {
    const { approvalId, principal, session, tenant } = grant
    const { asked } = await approvalRecord(this.#sessions, { approvalId, session, tenant, transport: 'email' })
    const destination = { session: questionSession(approvalId, principal), principal, isNew: true }
    // The mails of the request belong to another session: the answer does not name them.
    const own = { ...mail, references: [], inReplyTo: [] }
    const taken = await this.#post(own, thread, destination, { context: asked && requestContext(asked), grant })
    // An answer to the answer names this mail too, and is for the session that waits for the decision.
    return 'session' in taken ? { status: taken.status } : taken
  }

  /** The session that the mail goes into, and the principal of its writer there. */
  async #destination(
    mail: WrittenMail,
    { answers, follows }: MailThread,
    proof: Authenticity,
  ): Promise<Destination | UntakenMail> {
    if (answers?.address === mail.from) {
      const { session, principal } = answers
      // A guest has proven nothing before: a sender with the guest's mail and address is that guest.
      if (proof === 'proven' || principal.kind === 'anonymous') return { session, principal, isNew: false }
      return { status: 'refused', reason: 'unauthenticated' }
    }
    const principal = await this.#principal(mail.from, proof)
    if (principal === undefined) return { status: 'refused', reason: 'unauthenticated' }
    if (follows !== undefined && (await ifFound(this.#sessions.checkAccess(follows, principal)))) {
      return { session: follows, principal, isNew: false }
    }
    const { caps, tenant, limits } = this.#context
    const key = messageKeyOf(mail.messageId, mail.from)
    const max = limits.conversationsPerHour
    const begun = await caps.count(key, [
      { what: `conversations of ${mail.from}`, max, windowMs: hourMs },
      { what: `conversations of ${mail.from} in a day`, max: max * conversationHours, windowMs: dayMs },
    ])
    if (typeof begun === 'object') {
      const reason = 'Too many conversations were begun from this address. Go on with one of them, or write later.'
      return { status: 'refused', reason, isTemporary: true }
    }
    if (principal.tenant !== tenant) {
      throw new BeachError('INVALID_CONFIGURATION', `principalOf must give a principal of the tenant '${tenant}'.`)
    }
    return { session: await this.#sessions.open({ principal, key: `email:${key}` }), principal, isNew: true }
  }

  async #principal(from: string, proof: Authenticity): Promise<Principal | undefined> {
    const { options, tenant } = this.#context
    if (proof !== 'proven') {
      return options.guests !== true ? undefined : { kind: 'anonymous', id: `email:${from}`, tenant }
    }
    const known = await options.principalOf?.(from)
    return known ?? { kind: 'user', id: `email:${from}`, tenant }
  }

  async #post(
    mail: WrittenMail,
    thread: MailThread,
    { session, principal, isNew }: Destination,
    question?: { readonly context: Part | undefined; readonly grant: TokenGrant },
  ): Promise<TakenMail> {
    const { options, tenant, limits, partTypes, runtime } = this.#context
    const files = await takeAttachments(mail, { tenant, session }, { ...options, max: limits.attachments })
    const own = [...saidParts(mail, isNew, files.lines), ...files.parts]
    if (own.length === 0) return { status: 'refused', reason: 'It says nothing.' }
    const said = question?.context === undefined ? own : [...own, question.context]
    const details = defined({ ...detailsFor(mail, thread), asks: question?.grant.approvalId })
    // The answer to a guest may go to a person who has written nothing: it repeats no subject.
    const isGuest = principal.kind === 'anonymous'
    const from = originatorOf(mail.from, principal, isGuest ? { ...details, subject: '' } : details)
    const key = messageKeyOf(mail.messageId, mail.from)
    const { answers } = thread
    const isAnswer = answers?.session === session && answers.address === mail.from
    const place = { sessions: this.#sessions, session, to: from, partTypes, now: runtime.clock.now() }
    const parts = await withChoice(said, async () => (isAnswer ? answers.list : undefined), place)
    try {
      const message = { parts, from, dedupeKey: `email:${key}` }
      const opening = question === undefined ? undefined : {}
      const { duplicate } = await this.#sessions.post(session, message, principal, opening)
      if (duplicate) await files.discard()
      if (question === undefined) await this.#sayThatItWaits(mail, session, principal)
      return { status: duplicate ? 'duplicate' : 'taken', session }
    } catch (error) {
      await files.discard()
      // The same mail, with its files stored again.
      if (isBeachError(error, 'IDEMPOTENCY_MISMATCH')) return { status: 'duplicate', session }
      if (parts === said || !isOutdated(error)) throw error
      await this.#tell(mail, session, principal, outdated)
      return { status: 'taken' }
    }
  }

  /** Says, once for each request that its writer was asked by mail, that a mail waits until it is decided. */
  async #sayThatItWaits(mail: WrittenMail, session: string, principal: Principal): Promise<void> {
    const view = await ifFound(this.#sessions.view(session, principal))
    for (const approvalId of view?.turn?.pendingApprovals ?? []) {
      if ((await this.#context.records.grantOf(approvalId, mail.from)) === undefined) continue
      return this.#tell(mail, session, principal, waits, `waits:${approvalId}:${mail.from}`)
    }
  }

  async #tell(mail: WrittenMail, session: string, principal: Principal, text: string, key?: string): Promise<void> {
    const { from: address, subject, messageId, references } = mail
    const to = { session, address, principal, subject, messageId, references }
    if (await this.#sender.notice(to, text, key)) return
    // The mail comes again, and its sender is told then.
    throw new BeachError('UNREACHABLE', 'The answer to this mail could not be sent now.')
  }
}

const waits = waitsText(
  'Answer the mail that asks, with yes or no.',
  'To do something else first, write a new mail that is no answer.',
)

const outdated = 'This has changed since it was sent. Nothing was done. Please write what you would like.'

function detailsFor({ subject, messageId, references, inReplyTo }: ReadMail, { asks }: MailThread) {
  const before = references.length > 0 ? references : inReplyTo
  return defined({ subject, messageId, references: before.slice(-20), data: asks[0] })
}

/** The kind of a mail by its headers: written by a person, or one that must not be answered. */
type MailKind = 'written' | 'bounce' | 'auto-reply' | 'list' | 'loop'

const maxHops = 50
const automatic: ReadonlySet<string> = new Set(['bulk', 'junk', 'auto_reply', 'auto-reply'])
const unanswered = /^(?:no-?reply|do-?not-?reply|noreply|donotreply)[+@.-]/
const daemons = ['mailer-daemon@', 'postmaster@', 'mail-daemon@', 'bounce@', 'bounces@']

/** Finds the kind of a mail. `returnPath` is the envelope's sender, where it is known; an empty one is a bounce's. */
function mailKind(mail: ReadMail, ours: string, returnPath = mail.header('return-path')): MailKind {
  const contentType = mail.header('content-type')?.toLowerCase() ?? ''
  const path = returnPath?.trim().replaceAll(/^<|>$/g, '').trim()
  if (path === '' || contentType.startsWith('multipart/report') || mail.has('x-failed-recipients')) return 'bounce'
  if (daemons.some((daemon) => mail.from?.startsWith(daemon))) return 'bounce'
  if (mail.from === ours || mail.count('received') > maxHops) return 'loop'
  const precedence = mail.header('precedence')?.trim().toLowerCase() ?? ''
  if (mail.has('list-id') || mail.has('list-post') || mail.has('list-unsubscribe') || precedence === 'list')
    return 'list'
  const submitted = mail.header('auto-submitted')?.trim().toLowerCase() ?? 'no'
  const says = [
    'x-autoreply',
    'x-autorespond',
    'x-auto-reply',
    'x-autoresponder',
    'x-mail-autoreply',
    'x-loop',
    'feedback-id',
  ]
  // Such a sender wants no automatic answers, like ours.
  const suppressed = mail.header('x-auto-response-suppress')?.toLowerCase() ?? ''
  if (/\b(?:all|autoreply)\b/.test(suppressed) || unanswered.test(mail.from ?? '')) return 'auto-reply'
  const isAutomatic = !/^no\b/.test(submitted) || automatic.has(precedence) || says.some((name) => mail.has(name))
  return isAutomatic ? 'auto-reply' : 'written'
}
