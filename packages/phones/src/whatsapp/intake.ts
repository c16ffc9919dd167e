import {
  isPending,
  type Ask,
  decisionFromWords,
  extensionOf,
  isQuestion,
  type PersonState,
  questionSession,
  takeFile,
} from '@cool-ai/beach-channel/people'
import { BeachError, othersPart, type Decision, type Originator, type Part, type Principal } from '@cool-ai/beach-core'
import { defined, ifFound } from '@cool-ai/beach-core/runtime'
import { cameBefore, type Writer } from '../people/conversations.ts'
import type { Known } from '../people/correspondents.ts'
import type { PhoneContext } from '../people/phone-channel.ts'
import { maxReasks, noFiles, notices, PhoneIntake, type Incoming } from '../people/phone-intake.ts'
import type { GraphApi } from './graph-api.ts'
import type { WhatsAppChannelOptions } from './options.ts'
import { approvalName, readPayload } from './payload.ts'
import type { WhatsAppSender } from './sender.ts'
import type { ReceivedMessage, WhatsAppMedia, WhatsAppMessage } from './webhook-body.ts'

type IncomingWhatsApp = Incoming<WhatsAppMessage>

const maxAgeMs = 8 * 24 * 60 * 60 * 1_000
const mediaTypes = ['image', 'document', 'audio', 'video', 'sticker'] as const
const ignored: ReadonlySet<string> = new Set(['reaction', 'system', 'ephemeral'])

/** Handles what people send: a decision, an answer that was chosen, or a message. */
export class WhatsAppIntake extends PhoneIntake<WhatsAppMessage, WhatsAppSender> {
  protected readonly howToDecide = notices.answerThere
  readonly #graph: GraphApi

  constructor(options: WhatsAppChannelOptions, phone: PhoneContext, sender: WhatsAppSender, graph: GraphApi) {
    super(options, phone, sender)
    this.#graph = graph
  }

  async take({ message, from: known }: ReceivedMessage, signal: AbortSignal): Promise<void> {
    const { runtime } = this.phone
    if (ignored.has(message.type)) return
    const now = runtime.clock.now()
    const at = Math.min(Number(message.timestamp) * 1_000, now)
    // Messages are delivered for seven days; an older one was recorded and is replayed.
    if (now - at > maxAgeMs)
      return runtime.logger.log('warn', 'an old WhatsApp message was left out', { id: message.id })
    await this.takeFrom(message, known, at, signal)
  }

  protected async deal(incoming: IncomingWhatsApp): Promise<void> {
    const { message } = incoming
    const tapped =
      message.interactive?.button_reply?.id ?? message.interactive?.list_reply?.id ?? message.button?.payload
    if (tapped !== undefined) return this.#tapped(incoming, tapped)
    // Foreign content decides nothing and begins nothing.
    const text = message.type === 'text' && !isForwarded(message) ? message.text?.body : undefined
    if (text !== undefined && (await this.#isAnswer(incoming, text))) return
    if (text !== undefined && (await this.isCommand(incoming, text))) return
    await this.#post(incoming, (session) => this.#partsOf(incoming, session))
  }

  async #tapped(incoming: IncomingWhatsApp, tapped: string): Promise<void> {
    const payload = readPayload(tapped)
    if (payload === undefined) return this.say(incoming, notices.unreadable)
    const text = 'say' in payload ? payload.say : 'pick' in payload ? payload.pick : undefined
    if (text !== undefined) {
      const isTap = 'pick' in payload
      return this.#post(incoming, async () => [{ text, metadata: { partType: 'message' } }], isTap)
    }
    if (!('approval' in payload)) return
    const ask = askOfReply(await this.phone.people.load(incoming.writer.person), incoming.message)
    if (ask !== undefined && approvalName(ask.approvalId) === payload.approval) {
      return this.#decide(incoming, ask, { decision: payload.decision })
    }
    await this.noted(incoming)
    await this.say(incoming, notices.notAsked)
  }

  /** Whether the text was about a question that waits for a yes or no; then it is handled. */
  async #isAnswer(incoming: IncomingWhatsApp, text: string): Promise<boolean> {
    const { people, sessions } = this.phone
    const state = await people.load(incoming.writer.person)
    const asked = askOfReply(state, incoming.message)
    const worded = decisionFromWords(text)
    if (asked === undefined) {
      if (worded === 'unclear' && readPayload(text.trim()) === undefined)
        return this.#asksAboutLast(incoming, state, text)
      const open = await this.#open(state)
      if (open.length === 0) return false
      await this.noted(incoming)
      await this.say(incoming, notices.answerThere, open.at(-1)?.messageIds.at(-1))
      return true
    }
    if (worded !== 'unclear') {
      await this.#decide(incoming, asked, worded)
      return true
    }
    if (!(await isPending(sessions, asked))) return false
    if (isQuestion(text)) {
      await this.#ask(incoming, asked, text)
      return true
    }
    if (asked.unclear >= maxReasks) return false
    await this.noted(incoming, (now) => {
      const isNew = cameBefore(now, incoming.message.id) === undefined
      return isNew ? [{ type: 'unclear', approvalIds: [asked.approvalId] }] : []
    })
    await this.say(incoming, notices.unclear, incoming.message.context?.id)
    return true
  }

  /** A question right after a request is about it, also when it is no reply to that message; then it is handled. */
  async #asksAboutLast(incoming: IncomingWhatsApp, state: PersonState, text: string): Promise<boolean> {
    if (incoming.message.context?.id !== undefined || !isQuestion(text)) return false
    const last = askedLast(state, incoming.writer.principal)
    if (last === undefined || !(await isPending(this.phone.sessions, last))) return false
    await this.#ask(incoming, last, text)
    return true
  }

  async #ask(incoming: IncomingWhatsApp, about: Ask, text: string): Promise<void> {
    const from = whatsAppOriginator({ ...incoming.known, principal: incoming.writer.principal })
    await this.postQuestion(incoming, about, from, text)
  }

  async #open({ asks }: PersonState): Promise<Ask[]> {
    const now = this.phone.runtime.clock.now()
    const current = asks.filter(({ until, messageIds }) => messageIds.length > 0 && (until ?? Infinity) > now)
    const pending = await Promise.all(current.map((ask) => isPending(this.phone.sessions, ask)))
    return current.filter((_, index) => pending[index] === true)
  }

  async #decide(incoming: IncomingWhatsApp, ask: Ask, decision: Decision): Promise<void> {
    if (incoming.before === undefined) {
      await this.noted(incoming, () => [], await isPending(this.phone.sessions, ask))
    }
    await this.decide(incoming, ask, decision, incoming.message.context?.id)
  }

  async #post(
    incoming: IncomingWhatsApp,
    parts: (session: string) => Promise<readonly Part[]>,
    isTap = false,
  ): Promise<void> {
    const { known, writer } = incoming
    const session = await this.#repliedTo(incoming)
    const from = whatsAppOriginator({ ...known, principal: writer.principal })
    const joinedAs = session === undefined ? undefined : await this.#joinedAs(session, writer)
    const repliesTo = incoming.message.context?.id ?? (isTap ? '' : undefined)
    await this.post(incoming, { from, parts, session, joinedAs, repliesTo, isTap })
  }

  /** The principal as which this person was joined to a session, by any number or id of theirs. */
  async #joinedAs(session: string, { person, principal }: Writer): Promise<string | undefined> {
    const { sessions, correspondents } = this.phone
    for (const originator of await sessions.originators(session, principal)) {
      const known = originator.transport === 'whatsapp' ? knownOf(originator) : undefined
      if (known !== undefined && (await correspondents.find(known)) === person) return originator.id
    }
    return undefined
  }

  /** The session of the message that this one replies to, or follows, if its writer belongs to it. */
  async #repliedTo({ writer, message, at, before }: IncomingWhatsApp): Promise<string | undefined> {
    const { people, sessions, conversations } = this.phone
    const repliesTo = message.context?.id
    const state = await people.load(writer.person)
    const session =
      before?.session ??
      (repliesTo === undefined
        ? conversations.lastElsewhere(writer, state, at)
        : state.progress.find(({ sent }) => Object.values(sent).includes(repliesTo))?.session)
    if (session === undefined) return undefined
    return (await ifFound(sessions.checkAccess(session, writer.principal))) && session
  }

  async #partsOf(incoming: IncomingWhatsApp, session: string): Promise<readonly Part[]> {
    const { message } = incoming
    const text = message.text?.body
    if (text !== undefined && text.trim() !== '') return [saidPart(message, text)]
    if (message.location !== undefined) return locationParts(message.location)
    for (const type of mediaTypes) {
      const media = message.type === type ? message[type] : undefined
      if (media !== undefined) return this.#mediaParts(incoming, session, type, media)
    }
    return []
  }

  async #mediaParts(
    { message, signal }: IncomingWhatsApp,
    session: string,
    type: (typeof mediaTypes)[number],
    media: WhatsAppMedia,
  ): Promise<readonly Part[]> {
    const { artifacts, tenant, maxMediaBytes: max } = this.phone
    if (artifacts === undefined) throw noFiles()
    const response = await this.#graph.download(media.id, signal)
    const mimeType = media.mime_type?.split(';', 1)[0] ?? 'application/octet-stream'
    const about = { name: media.filename ?? `${type}.${extensionOf(mimeType)}`, mimeType, tenant, session }
    const file = await takeFile(artifacts, response, about, { max, signal })
    const { caption = '' } = media
    return caption.trim() === '' ? [file] : [saidPart(message, caption), file]
  }
}

/** A WhatsApp user, to be joined to a session: by their number, or by the id that WhatsApp knows them by. */
export function whatsAppOriginator(who: Known & { readonly principal: Principal }): Originator {
  const { phone, userId, principal } = who
  const number = phone?.replace(/^\+/, '')
  const address = number ?? userId
  if (address === undefined || (number !== undefined && !/^\d{5,20}$/.test(number))) {
    throw new BeachError(
      'BAD_REQUEST',
      'Give a phone number with its country code, such as +491700000000, or a user id.',
    )
  }
  const details = defined({ phone: number, userId })
  const id = `whatsapp:${address}`
  return { id, transport: 'whatsapp', deliveryClass: 'buffered', principal, address, details }
}

/** How a person is reached, as their originator says. */
export function knownOf({ address, details }: Originator): Known | undefined {
  const { phone, userId } = details ?? {}
  const known = {
    userId: typeof userId === 'string' ? userId : undefined,
    phone: typeof phone === 'string' ? phone : undefined,
  }
  if (known.userId !== undefined || known.phone !== undefined) return known
  if (address === undefined || address === '') return undefined
  return /^\+?\d{5,20}$/.test(address) ? { phone: address.replace('+', '') } : { userId: address }
}

/** The request that a message replies to: one that this very message put to this person. */
function askOfReply({ asks }: PersonState, { context }: WhatsAppMessage): Ask | undefined {
  const repliesTo = context?.id
  return repliesTo === undefined ? undefined : asks.find(({ messageIds }) => messageIds.includes(repliesTo))
}

/** The request that the last message to them was about: the request itself, or the answer to a question about it. */
function askedLast({ asks, progress }: PersonState, principal: Principal): Ask | undefined {
  const last = progress.findLast(({ session }) => session !== undefined)
  return asks.find(({ approvalId }) => {
    return last?.trying?.approvalId === approvalId || last?.session === questionSession(approvalId, principal)
  })
}

function isForwarded({ context }: WhatsAppMessage): boolean {
  return context?.forwarded === true || context?.frequently_forwarded === true
}

/** Text of the sender, or text that they pass on. */
function saidPart(message: WhatsAppMessage, text: string): Part {
  return isForwarded(message) ? othersPart(text, 'forwarded') : { text, metadata: { partType: 'message' } }
}

/** A location that was sent; its name is not the sender's word. */
function locationParts({ latitude, longitude, name, address }: NonNullable<WhatsAppMessage['location']>): Part[] {
  const called = [name, address].filter((word) => word !== undefined && word.trim() !== '').join(', ')
  return [
    { text: `Location: ${latitude}, ${longitude}`, metadata: { partType: 'message' } },
    ...(called === '' ? [] : [othersPart(called, 'place')]),
  ]
}
