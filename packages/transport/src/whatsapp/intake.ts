import {
  BeachError,
  isBeachError,
  type Decision,
  type Originator,
  type Part,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import { decisionIn } from '../email/decision-words.ts'
import { cameBefore, isPending, type Conversations, type Writer } from '../people/conversations.ts'
import type { Correspondents, Known } from '../people/correspondents.ts'
import { decisionNotices, notices } from '../people/notices.ts'
import type { PersonLog } from '../people/person-log.ts'
import type { Ask, PersonState } from '../people/person-state.ts'
import { newSessionWords, phoneLimits } from '../people/phone-options.ts'
import { takeFile } from '../people/take-file.ts'
import type { GraphApi } from './graph-api.ts'
import type { WhatsAppChannelOptions } from './options.ts'
import { approvalName, readPayload } from './payload.ts'
import type { WhatsAppSender } from './sender.ts'
import type { ReceivedMessage, WhatsAppMedia, WhatsAppMessage } from './webhook-body.ts'

interface IntakeOptions {
  readonly runtime: Runtime
  readonly tenant: string
  readonly sessions: Sessions
  readonly people: PersonLog
  readonly correspondents: Correspondents
  readonly conversations: Conversations
  readonly graph: GraphApi
  readonly sender: WhatsAppSender
  readonly channel: WhatsAppChannelOptions
}

/** A message with all that is known of its sender. */
interface Incoming {
  readonly message: WhatsAppMessage
  readonly known: Known
  readonly writer: Writer
  readonly at: number
  readonly signal: AbortSignal
  /** What is on record of it, when an earlier attempt to deal with it broke off. */
  readonly before?: PersonState['came'][number]
}

const oldestMs = 8 * 24 * 60 * 60 * 1_000
const mostReasks = 2
const mediaTypes = ['image', 'document', 'audio', 'video', 'sticker'] as const
const ignored: ReadonlySet<string> = new Set(['reaction', 'system', 'ephemeral'])

/** Deals with what people send: a decision, an answer that was chosen, or something said. */
export class WhatsAppIntake {
  readonly #options: IntakeOptions

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  async take({ message, from: known }: ReceivedMessage, signal: AbortSignal): Promise<void> {
    const { runtime, people, correspondents, channel } = this.#options
    if (channel.accepts?.(known) === false || ignored.has(message.type)) return
    const now = runtime.clock.now()
    const at = Math.min(Number(message.timestamp) * 1_000, now)
    // It is delivered for seven days; whatever is older was recorded and is played again.
    if (now - at > oldestMs)
      return runtime.logger.log('warn', 'an old WhatsApp message was left out', { id: message.id })
    const person = await correspondents.find(known)
    const before = cameBefore(await people.load(person), message.id)
    if (before?.done === true) return
    const writer = { person, principal: await this.#principalOf(person, known) }
    await this.#deal({ message, known, writer, at, signal, ...(before && { before }) })
    await people.commit(person, () => [{ type: 'done', id: message.id }])
  }

  async #principalOf(person: string, known: Known): Promise<Principal> {
    const { channel, tenant } = this.#options
    return (await channel.principalOf?.(known)) ?? { kind: 'user', id: `whatsapp:${person}`, tenant }
  }

  async #deal(incoming: Incoming): Promise<void> {
    const { message } = incoming
    const tapped =
      message.interactive?.button_reply?.id ?? message.interactive?.list_reply?.id ?? message.button?.payload
    if (tapped !== undefined) return this.#tapped(incoming, tapped)
    const text = message.type === 'text' ? message.text?.body : undefined
    if (text !== undefined && (await this.#isAnswer(incoming, text))) return
    if (text !== undefined && newSessionWords.has(text.trim().toLowerCase())) {
      await this.#options.conversations.sessionFor(incoming.writer, { id: message.id, at: incoming.at }, true)
      return this.#say(incoming, notices.begun)
    }
    await this.#post(incoming, (session) => this.#partsOf(incoming, session))
  }

  async #tapped(incoming: Incoming, tapped: string): Promise<void> {
    const payload = readPayload(tapped)
    if (payload === undefined) return this.#say(incoming, notices.unreadable)
    if ('say' in payload)
      return this.#post(incoming, async () => [{ text: payload.say, metadata: { partType: 'message' } }])
    const ask = askOfReply(await this.#options.people.load(incoming.writer.person), incoming.message)
    if (ask !== undefined && approvalName(ask.approvalId) === payload.approval) {
      return this.#decide(incoming, ask, { decision: payload.decision })
    }
    await this.#noted(incoming)
    await this.#say(incoming, notices.notAsked)
  }

  /** Whether what was typed was about a question that waits for a yes or no; then it is dealt with. */
  async #isAnswer(incoming: Incoming, text: string): Promise<boolean> {
    const { people, sessions } = this.#options
    const state = await people.load(incoming.writer.person)
    const asked = askOfReply(state, incoming.message)
    const worded = decisionIn(text)
    if (asked === undefined) {
      if (worded === 'unclear' && readPayload(text.trim()) === undefined) return false
      const open = await this.#open(state)
      if (open.length === 0) return false
      await this.#noted(incoming)
      await this.#say(incoming, notices.answerThere, open.at(-1)?.messageIds.at(-1))
      return true
    }
    if (worded !== 'unclear') {
      await this.#decide(incoming, asked, worded)
      return true
    }
    if (asked.unclear >= mostReasks || !(await isPending(sessions, asked))) return false
    await this.#noted(incoming, { unclear: asked })
    await this.#say(incoming, notices.unclear, incoming.message.context?.id)
    return true
  }

  async #open({ asks }: PersonState): Promise<Ask[]> {
    const now = this.#options.runtime.clock.now()
    const current = asks.filter(({ until, messageIds }) => messageIds.length > 0 && (until ?? Infinity) > now)
    const pending = await Promise.all(current.map((ask) => isPending(this.#options.sessions, ask)))
    return current.filter((_, index) => pending[index] === true)
  }

  async #decide(incoming: Incoming, ask: Ask, decision: Decision): Promise<void> {
    const { sessions } = this.#options
    const { approvalId, principal, session } = ask
    if (incoming.before === undefined) await this.#noted(incoming, { decides: await isPending(sessions, ask) })
    const decided = await sessions.decide(approvalId, decision, principal, session)
    // Taken up again by another process: it may be this very message that has decided.
    if (decided === 'decided' || (decided === 'already' && incoming.before?.decides === true)) return
    await this.#say(incoming, decisionNotices[decided], incoming.message.context?.id)
  }

  /** Puts on record that it came, which opens the window; and what it is, as far as that must be known later. */
  async #noted(
    { writer, message, at }: Incoming,
    { unclear, decides }: { readonly unclear?: Ask; readonly decides?: boolean } = {},
  ): Promise<void> {
    await this.#options.people.commit(writer.person, (state) => {
      if (cameBefore(state, message.id) !== undefined) return []
      const session = state.current?.session ?? ''
      const came = { type: 'came' as const, id: message.id, session, at, ...(decides !== undefined && { decides }) }
      return unclear === undefined ? [came] : [came, { type: 'unclear', approvalIds: [unclear.approvalId] }]
    })
  }

  async #post(incoming: Incoming, partsFor: (session: string) => Promise<readonly Part[] | undefined>): Promise<void> {
    const { conversations } = this.#options
    const { writer, message, at } = incoming
    const own = await conversations.sessionFor(writer, { id: message.id, at })
    const session = (await this.#repliedTo(incoming)) ?? own
    try {
      const parts = await partsFor(session)
      if (parts === undefined) return
      await conversations.post(writer, session, {
        parts,
        from: this.#originator(incoming),
        dedupeKey: `whatsapp:${message.id}`,
      })
    } catch (error) {
      const notice = refusalOf(error)
      if (notice === undefined) throw error
      await this.#say(incoming, notice)
    }
  }

  /** The session of the message that this one replies to, if its writer is at home there. */
  async #repliedTo({ writer, message }: Incoming): Promise<string | undefined> {
    const { people, sessions } = this.#options
    const repliesTo = message.context?.id
    if (repliesTo === undefined) return undefined
    const { progress } = await people.load(writer.person)
    const session = progress.find(({ sent }) => Object.values(sent).includes(repliesTo))?.session
    if (session === undefined) return undefined
    try {
      return (await sessions.view(session, writer.principal)).sessionId
    } catch (error) {
      if (isBeachError(error, 'NOT_FOUND')) return undefined
      throw error
    }
  }

  /** What was said, as parts; undefined when nothing of it can be read, which its sender is told. */
  async #partsOf(incoming: Incoming, session: string): Promise<readonly Part[] | undefined> {
    const { message } = incoming
    const text = message.text?.body ?? locationText(message)
    if (text !== undefined && text.trim() !== '') return [{ text, metadata: { partType: 'message' } }]
    for (const type of mediaTypes) {
      const media = message.type === type ? message[type] : undefined
      if (media !== undefined) return this.#mediaParts(incoming, session, type, media)
    }
    await this.#say(incoming, notices.unreadable)
    return undefined
  }

  async #mediaParts(
    incoming: Incoming,
    session: string,
    type: (typeof mediaTypes)[number],
    media: WhatsAppMedia,
  ): Promise<readonly Part[] | undefined> {
    const { channel, graph, tenant } = this.#options
    if (channel.artifacts === undefined) {
      await this.#say(incoming, notices.noFiles)
      return undefined
    }
    const { signal } = incoming
    const response = await graph.download(media.id, signal)
    const mimeType = media.mime_type?.split(';', 1)[0] ?? 'application/octet-stream'
    const about = { name: media.filename ?? `${type}.${extensionOf(mimeType)}`, mimeType, tenant, session }
    const most = channel.mostMediaBytes ?? phoneLimits.mostMediaBytes
    const file = await takeFile(channel.artifacts, response, about, { most, signal })
    const { caption = '' } = media
    return caption.trim() === '' ? [file] : [{ text: caption, metadata: { partType: 'message' } }, file]
  }

  #originator({ writer: { person, principal }, known }: Incoming): Originator {
    return { ...whatsAppOriginator({ ...known, principal }), id: `whatsapp:${person}` }
  }

  async #say({ known, writer: { person }, message, signal }: Incoming, text: string, replyTo?: string): Promise<void> {
    const { sender, runtime } = this.#options
    const outcome = await sender.notice({ known, person }, text, `notice:${message.id}`, signal, replyTo)
    if (outcome.status === 'failed') throw new BeachError('UNREACHABLE', outcome.reason ?? 'WhatsApp was not reached.')
    if (outcome.status !== 'sent') runtime.logger.log('warn', 'a notice was refused', { reason: outcome.reason })
  }
}

/** Somebody on WhatsApp, to be joined to a session: by their number, or by the id that WhatsApp knows them by. */
export function whatsAppOriginator({
  phone,
  userId,
  principal,
}: Known & { readonly principal: Principal }): Originator {
  const number = phone?.replace(/^\+/, '')
  const address = number ?? userId
  if (address === undefined || (number !== undefined && !/^\d{5,20}$/.test(number))) {
    throw new BeachError(
      'BAD_REQUEST',
      'Give a phone number with its country code, such as +491700000000, or a user id.',
    )
  }
  const details = { ...(number !== undefined && { phone: number }), ...(userId !== undefined && { userId }) }
  const id = `whatsapp:${address}`
  return { id, transport: 'whatsapp', deliveryClass: 'buffered', principal, address, details }
}

/** The request that a message replies to: one that was put to this person, by that very message. */
function askOfReply({ asks }: PersonState, { context }: WhatsAppMessage): Ask | undefined {
  const repliesTo = context?.id
  return repliesTo === undefined ? undefined : asks.find(({ messageIds }) => messageIds.includes(repliesTo))
}

/** What the sender is told of an error that trying again does not cure. */
function refusalOf(error: unknown): string | undefined {
  if (!isBeachError(error) || error.retryable) return undefined
  if (error.code === 'TOO_LARGE' || error.code === 'COMMIT_TOO_LARGE') return notices.tooLarge
  if (error.code === 'EXPIRED') return notices.fileGone
  return error.code === 'STORE_CLOSED' || error.code === 'LEASE_LOST' ? undefined : notices.fileRefused
}

function locationText({ location }: WhatsAppMessage): string | undefined {
  if (location === undefined) return undefined
  const { latitude, longitude, name, address } = location
  return ['Location:', name, address, `${latitude}, ${longitude}`].filter((word) => word !== undefined).join(' ')
}

function extensionOf(mimeType: string): string {
  return /\/([a-z0-9]{1,8})(?:$|[+.-])/.exec(mimeType)?.[1] ?? 'bin'
}
