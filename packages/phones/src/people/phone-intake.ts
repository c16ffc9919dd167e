import {
  BeachError,
  isBeachError,
  type Decision,
  type Originator,
  type Part,
  type Principal,
  type Runtime,
  type SendOutcome,
  type Sessions,
} from '@cool-ai/beach-core'
import { cameBefore, type Conversations, type Writer } from './conversations.ts'
import type { Correspondents, Known } from './correspondents.ts'
import { decisionNotices, notices } from './notices.ts'
import type { PersonLog } from './person-log.ts'
import type { Ask, PersonEvent, PersonState } from './person-state.ts'
import type { PhoneChannelOptions } from './phone-options.ts'

/** A message with all that is known of its sender. */
export interface Incoming<Message> {
  readonly message: Message
  readonly known: Known
  readonly writer: Writer
  readonly at: number
  readonly signal: AbortSignal
  /** What is on record of it, when an earlier attempt to deal with it broke off. */
  readonly before?: PersonState['came'][number]
}

/** What a channel's intake works with. */
export interface PhoneContext {
  readonly runtime: Runtime
  readonly tenant: string
  readonly sessions: Sessions
  readonly people: PersonLog
  readonly correspondents: Correspondents
  readonly conversations: Conversations
}

/** What became of a notice; `closed` is for channels on which not everything can be sent at any time. */
interface NoticeOutcome {
  readonly status: SendOutcome['status'] | 'closed'
  readonly reason?: string
}

interface PhoneIntakeOptions<Message> extends PhoneContext {
  readonly transport: string
  readonly channel: Pick<PhoneChannelOptions, 'accepts' | 'principalOf'>
  /** What the message is, and what it comes to; it may be given the same one again. */
  readonly deal: (incoming: Incoming<Message>, state: PersonState) => Promise<void>
  /** Says something of no session, under a key by which it is said once; `replyTo` names the message that it is about. */
  readonly notice: (incoming: Incoming<Message>, text: string, key: string, replyTo?: string) => Promise<NoticeOutcome>
}

/** Incoming text, on its way into a session. */
interface IncomingText {
  readonly from: Originator
  /** The session that it is meant for, in place of the one that its writer is in. */
  readonly session?: string
  /** The originator that its writer has joined that session as; a second one would be answered as well. */
  readonly joinedAs?: string
  /** Its parts; none when it cannot be read, which its writer is told. */
  readonly parts: (session: string) => Promise<readonly Part[]>
}

/** What taking in a message has in common on all channels to phones: who it is from, that it counts once, what they are told. */
export class PhoneIntake<Message extends { readonly id: string }> {
  readonly #options: PhoneIntakeOptions<Message>

  constructor(options: PhoneIntakeOptions<Message>) {
    this.#options = options
  }

  /** Deals with a message, unless that was done before or its writer is not wanted here. */
  async take(message: Message, known: Known, at: number, signal: AbortSignal): Promise<void> {
    const { people, correspondents, channel, deal } = this.#options
    if (channel.accepts?.(known) === false) return
    const person = await correspondents.find(known)
    const state = await people.load(person)
    const before = cameBefore(state, message.id)
    if (before?.done === true) return
    const writer = { person, principal: await this.#principalOf(person, known) }
    await deal({ message, known, writer, at, signal, ...(before && { before }) }, state)
    await people.commit(person, () => [{ type: 'done', id: message.id }])
  }

  /** Puts on record that it came, and in the same write what else follows from it. */
  async noted(
    { writer, message, at }: Incoming<Message>,
    more: (state: PersonState) => readonly PersonEvent[] = () => [],
    decides?: boolean,
  ): Promise<void> {
    await this.#options.people.commit(writer.person, (state) => {
      const session = state.current?.session ?? ''
      const came = { type: 'came' as const, id: message.id, session, at, ...(decides !== undefined && { decides }) }
      return [...(cameBefore(state, message.id) === undefined ? [came] : []), ...more(state)]
    })
  }

  /** Decides as the person who was asked; a late decision gets a reply that says so. */
  async decide(
    incoming: Incoming<Message>,
    { approvalId, principal, session }: Ask,
    decision: Decision,
    replyTo?: string,
  ): Promise<void> {
    const decided = await this.#options.sessions.decide(approvalId, decision, principal, session)
    // Taken up again by another process: it may be this very message that has decided.
    if (decided === 'decided' || (decided === 'already' && incoming.before?.decides === true)) return
    await this.say(incoming, decisionNotices[decided], replyTo)
  }

  /** Begins a new conversation, because its writer wants one. */
  async beginAnew(incoming: Incoming<Message>): Promise<void> {
    const { writer, message, at } = incoming
    await this.#options.conversations.sessionFor(writer, { id: message.id, at }, { isFresh: true })
    await this.say(incoming, notices.begun)
  }

  /** Brings what was said into the session that it is for; what is refused for good its writer is told. */
  async post(
    incoming: Incoming<Message>,
    { from, session: answered, joinedAs, parts: partsFor }: IncomingText,
  ): Promise<void> {
    const { conversations, transport } = this.#options
    const { writer, message, at } = incoming
    const elsewhere = answered === undefined ? {} : { elsewhere: answered }
    const session = await conversations.sessionFor(writer, { id: message.id, at }, elsewhere)
    try {
      const parts = await partsFor(session)
      if (parts.length === 0) return await this.say(incoming, notices.unreadable)
      const dedupeKey = `${transport}:${message.id}`
      // As whom it was said, whatever address it came from.
      const inbound = { parts, from: { ...from, id: joinedAs ?? `${transport}:${writer.person}` }, dedupeKey }
      await conversations.post(writer, session, inbound)
    } catch (error) {
      const notice = refusalOf(error)
      if (notice === undefined) throw error
      await this.say(incoming, notice)
    }
  }

  /** Tells the writer of a message something about it. */
  async say(incoming: Incoming<Message>, text: string, replyTo?: string): Promise<void> {
    this.check(await this.#options.notice(incoming, text, `notice:${incoming.message.id}`, replyTo))
  }

  /** What could not be sent now is an error, so that the message is dealt with again; what was refused is not. */
  check({ status, reason }: NoticeOutcome): void {
    if (status === 'failed') throw new BeachError('UNREACHABLE', reason ?? 'The other side was not reached.')
    if (status !== 'sent') this.#options.runtime.logger.log('warn', 'a notice was refused', { reason })
  }

  async #principalOf(person: string, known: Known): Promise<Principal> {
    const { channel, transport, tenant } = this.#options
    return (await channel.principalOf?.(known)) ?? { kind: 'user', id: `${transport}:${person}`, tenant }
  }
}

/** What the parts of a message throw where files are not taken. */
export function noFiles(): BeachError {
  return new BeachError('UNSUPPORTED_MEDIA_TYPE', notices.noFiles)
}

/** What the sender is told of an error that trying again does not cure. */
function refusalOf(error: unknown): string | undefined {
  if (!isBeachError(error) || error.retryable) return undefined
  if (error.code === 'TOO_LARGE' || error.code === 'COMMIT_TOO_LARGE') return notices.tooLarge
  if (error.code === 'EXPIRED') return notices.fileGone
  if (error.message === notices.noFiles) return notices.noFiles
  return error.code === 'STORE_CLOSED' || error.code === 'LEASE_LOST' ? undefined : notices.fileRefused
}
