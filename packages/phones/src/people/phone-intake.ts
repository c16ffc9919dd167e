import {
  approvalRecord,
  type Ask,
  decidedText,
  type Delivered,
  isOutdated,
  listFor,
  type PersonEvent,
  type PersonState,
  questionSession,
  requestContext,
  withChoice,
  waitsFor,
  waitsText,
} from '@cool-ai/beach-channel/people'
import {
  BeachError,
  isBeachError,
  type Decision,
  type Originator,
  type Part,
  type Principal,
} from '@cool-ai/beach-core'
import type { Decided } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { cameBefore, type Writer } from './conversations.ts'
import type { Known } from './correspondents.ts'
import type { PhoneContext } from './phone-channel.ts'
import type { PhoneChannelOptions } from './phone-options.ts'
import type { PhoneSender, Push } from './phone-sender.ts'

/** The reply to a decision that did not count; nothing when it did. */
const decisionNotices: Readonly<Record<Exclude<Decided, 'decided'>, string>> = {
  already: 'This has already been decided.',
  expired: 'This has expired; it counts as denied.',
  notFound: 'There is nothing for you to decide there any more.',
}

export const notices = {
  outdated: 'This has changed since it was sent. Nothing was done. Please say what you would like.',
  notAsked: 'This answer does not belong to a question that you were asked here. Nothing was done.',
  answerThere: 'To decide, tap a button of the question, or reply to that message with yes or no.',
  unclear:
    'I could not tell whether that is a yes or a no. Nothing was done. Please reply to the question with yes or no.',
  begun: 'Starting over. What can I do for you?',
  unreadable: 'I cannot read this kind of message. Please send text or a file.',
  noFiles: 'I cannot accept files here. Please send text.',
  tooLarge: 'This is too large. Please send something smaller.',
  fileRefused: 'I cannot accept this file.',
  fileGone: 'I could not fetch the file. Please send it again.',
} as const

/** Answers that were neither a yes nor a no, after which further ones are messages of the conversation. */
export const maxReasks = 2
const nextWords: ReadonlySet<string> = new Set(['next', 'more'])
const newSessionWords: ReadonlySet<string> = new Set(['/new', 'new conversation', 'start over'])

/** A message with all that is known about its sender. */
export interface Incoming<Message> {
  readonly message: Message
  readonly known: Known
  readonly writer: Writer
  readonly at: number
  readonly signal: AbortSignal
  /** The record of it, when an earlier attempt to handle it was interrupted. */
  readonly before?: PersonState['came'][number] | undefined
}

interface IncomingText {
  readonly from: Originator
  /** The session that it explicitly refers to, instead of its writer's current one. */
  readonly session?: string | undefined
  /** The originator as which its writer has joined that session; a second one would be answered as well. */
  readonly joinedAs?: string | undefined
  /** Our message that it replies to. */
  readonly repliesTo?: string | undefined
  /** True for a tap on a choice, which says nothing when that is not there any more. */
  readonly isTap?: boolean | undefined
  /** Its parts; none when it cannot be read, which its writer is told. */
  readonly parts: (session: string) => Promise<readonly Part[]>
}

/** Handling a message, the same on all channels to phones: who it is from, that it counts once, and the replies. */
export abstract class PhoneIntake<Message extends { readonly id: string }, Sender extends PhoneSender> {
  protected readonly phone: PhoneContext
  protected readonly sender: Sender
  readonly #options: Pick<PhoneChannelOptions, 'accepts' | 'principalOf'>

  constructor(options: Pick<PhoneChannelOptions, 'accepts' | 'principalOf'>, phone: PhoneContext, sender: Sender) {
    this.#options = options
    this.phone = phone
    this.sender = sender
  }

  /** How a person decides on this channel, in a sentence. */
  protected abstract readonly howToDecide: string

  /** What the message is, and its effect; it may be called again with the same one. */
  protected abstract deal(incoming: Incoming<Message>, state: PersonState): Promise<void>

  /** Handles a message, unless that was done before or its writer is not accepted here. */
  protected async takeFrom(message: Message, known: Known, at: number, signal: AbortSignal): Promise<void> {
    const { people, correspondents } = this.phone
    if (this.#options.accepts?.(known) === false) return
    const person = await correspondents.find(known)
    const state = await people.load(person)
    const before = cameBefore(state, message.id)
    if (before?.done === true) return
    const writer = { person, principal: await this.#principalOf(person, known) }
    await this.deal({ message, known, writer, at, signal, before }, state)
    await people.commit(person, () => [{ type: 'done', id: message.id }])
  }

  /** Records its arrival, and in the same write what else follows from it. */
  protected async noted(
    { writer, message, at }: Incoming<Message>,
    more: (state: PersonState) => readonly PersonEvent[] = () => [],
    decides?: boolean,
  ): Promise<void> {
    await this.phone.people.commit(writer.person, (state) => {
      const session = state.current?.session ?? ''
      const came = defined({ type: 'came' as const, id: message.id, session, at, decides })
      return [...(cameBefore(state, message.id) === undefined ? [came] : []), ...more(state)]
    })
  }

  /** Decides as the person who was asked; a late decision gets a reply that says so. */
  protected async decide(incoming: Incoming<Message>, ask: Ask, decision: Decision, replyTo?: string): Promise<void> {
    const { approvalId, principal, session } = ask
    const via = this.phone.transport
    const decided = await this.phone.sessions.decide(approvalId, { ...decision, via }, principal, session)
    // Handled again by another process: this very message may have decided.
    if (decided === 'decided' || (decided === 'already' && incoming.before?.decides === true)) return
    await this.say(incoming, decided === 'already' ? await this.lateText(ask) : decisionNotices[decided], replyTo)
  }

  /** The reply to a decision that comes too late: what was decided, where and when. */
  protected async lateText(ask: Ask): Promise<string> {
    const { decision } = await this.#recordOf(ask)
    return decision === undefined ? decisionNotices.already : `${decisionNotices.already} ${decidedText(decision)}`
  }

  /** Posts a question about a request to a session of its approver's own, with what they were asked. */
  protected async postQuestion(incoming: Incoming<Message>, ask: Ask, from: Originator, text: string): Promise<void> {
    const { asked } = await this.#recordOf(ask)
    const context = asked === undefined ? [] : [requestContext(asked)]
    const parts = async () => [{ text, metadata: { partType: 'message' } }, ...context]
    const session = questionSession(ask.approvalId, incoming.writer.principal)
    await this.post(incoming, { from, parts, session })
  }

  #recordOf({ approvalId, session }: Ask) {
    const { sessions, tenant, transport } = this.phone
    return approvalRecord(sessions, { approvalId, session, tenant, transport })
  }

  /** Whether the text asks for the next of the gathered requests, or for a new conversation; then that is done. */
  protected async isCommand(incoming: Incoming<Message>, text: string): Promise<boolean> {
    const { writer, message, at, signal } = incoming
    const word = text.trim().toLowerCase()
    if (newSessionWords.has(word)) {
      await this.phone.conversations.sessionFor(writer, { id: message.id, at }, { isFresh: true })
      await this.say(incoming, notices.begun)
      return true
    }
    const outcome = nextWords.has(word) ? await this.sender.askNext(writer.person, signal) : undefined
    if (outcome === undefined) return false
    await this.noted(incoming)
    this.check(outcome)
    return true
  }

  /** Posts the message to its session; its writer is told when it is refused for good. */
  protected async post(
    incoming: Incoming<Message>,
    { from, session: answered, joinedAs, repliesTo, isTap, parts: partsFor }: IncomingText,
  ): Promise<void> {
    const { conversations, transport, people, sessions, partTypes } = this.phone
    const { writer, message, at } = incoming
    const session = await conversations.sessionFor(writer, { id: message.id, at }, { elsewhere: answered })
    try {
      const said = await partsFor(session)
      if (said.length === 0) return await this.say(incoming, notices.unreadable)
      const dedupeKey = `${transport}:${message.id}`
      // The principal of its writer, whatever address it came from.
      const sender = { ...from, id: joinedAs ?? `${transport}:${writer.person}` }
      const list = async () => listFor(await people.load(writer.person), { session, repliesTo })
      const parts = await withChoice(said, list, { sessions, session, to: sender, partTypes, now: at })
      if (isTap === true && parts === said) return await this.say(incoming, notices.outdated)
      const inbound = { parts, from: sender, dedupeKey }
      await conversations.post(writer, session, inbound)
      await this.#sayThatItWaits(incoming, session)
    } catch (error) {
      const notice = refusalOf(error)
      if (notice === undefined) throw error
      await this.say(incoming, notice)
    }
  }

  /** Says, once for each request, that messages of its session wait until it is decided. */
  async #sayThatItWaits(incoming: Incoming<Message>, session: string): Promise<void> {
    const { asks } = await this.phone.people.load(incoming.writer.person)
    const ask = await waitsFor(this.phone.sessions, session, asks)
    if (ask === undefined) return
    const text = waitsText(this.howToDecide, 'To do something else first, say “start over”.')
    this.check(await this.sender.notice({ ...pushOf(incoming, 'notice'), key: `waits:${ask.approvalId}` }, text))
  }

  /** Tells the writer of a message something about it. */
  protected async say(incoming: Incoming<Message>, text: string, replyTo?: string): Promise<void> {
    this.check(await this.sender.notice(pushOf(incoming, 'notice'), text, replyTo))
  }

  /** A reply that could not be sent now is an error, so that the message is handled again; a refused one is not. */
  protected check(outcome: Delivered): void {
    if (outcome.status === 'failed')
      throw new BeachError('UNREACHABLE', outcome.reason ?? 'The service was not reached.')
    if (outcome.status === 'sent') return
    this.phone.runtime.logger.log('warn', 'a notice was refused', { reason: outcome.reason })
  }

  async #principalOf(person: string, known: Known): Promise<Principal> {
    const { transport, tenant } = this.phone
    return (await this.#options.principalOf?.(known)) ?? { kind: 'user', id: `${transport}:${person}`, tenant }
  }
}

/** Thrown for the parts of a message where files are not accepted. */
export function noFiles(): BeachError {
  return new BeachError('UNSUPPORTED_MEDIA_TYPE', notices.noFiles)
}

/** The reply to a message, under a key by which it is sent once. */
export function pushOf<Message extends { readonly id: string }>(incoming: Incoming<Message>, kind: string): Push {
  const { writer, known, message, signal } = incoming
  return { person: writer.person, known, key: `${kind}:${message.id}`, signal }
}

/** The reply to the sender about an error that a retry does not cure. */
function refusalOf(error: unknown): string | undefined {
  if (isOutdated(error)) return notices.outdated
  if (!isBeachError(error) || error.retryable) return undefined
  if (error.code === 'TOO_LARGE' || error.code === 'COMMIT_TOO_LARGE') return notices.tooLarge
  if (error.code === 'EXPIRED') return notices.fileGone
  if (error.message === notices.noFiles) return notices.noFiles
  return error.code === 'STORE_CLOSED' || error.code === 'LEASE_LOST' ? undefined : notices.fileRefused
}
