import type { InContext } from '@cool-ai/beach-channel'
import { decisionFromWords } from '@cool-ai/beach-channel/people'
import {
  BeachError,
  isBeachError,
  type Decision,
  type Originator,
  type Part,
  type Principal,
} from '@cool-ai/beach-core'
import { othersPart } from '@cool-ai/beach-core/ports'
import { cameBefore, isPending, type Writer } from '../people/conversations.ts'
import type { Known } from '../people/correspondents.ts'
import { notices } from '../people/notices.ts'
import type { Ask, PersonState } from '../people/person-state.ts'
import { noFiles, PhoneIntake, type Incoming, type PhoneContext } from '../people/phone-intake.ts'
import { isNextWord } from '../people/phone-digest.ts'
import { newSessionWords, phoneLimits } from '../people/phone-options.ts'
import { takeFile } from '../people/take-file.ts'
import type { GraphApi } from './graph-api.ts'
import type { WhatsAppChannelOptions } from './options.ts'
import { approvalName, readPayload } from './payload.ts'
import { knownOf, type WhatsAppSender } from './sender.ts'
import type { ReceivedMessage, WhatsAppMedia, WhatsAppMessage } from './webhook-body.ts'

interface IntakeOptions extends PhoneContext {
  readonly graph: GraphApi
  readonly sender: WhatsAppSender
  readonly channel: InContext<WhatsAppChannelOptions>
}

type IncomingWhatsApp = Incoming<WhatsAppMessage>

const maxAgeMs = 8 * 24 * 60 * 60 * 1_000
const maxReasks = 2
const mediaTypes = ['image', 'document', 'audio', 'video', 'sticker'] as const
const ignored: ReadonlySet<string> = new Set(['reaction', 'system', 'ephemeral'])

/** Deals with what people send: a decision, an answer that was chosen, or something said. */
export class WhatsAppIntake {
  readonly #options: IntakeOptions
  readonly #intake: PhoneIntake<WhatsAppMessage>

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#intake = new PhoneIntake({
      ...options,
      transport: 'whatsapp',
      deal: (incoming) => this.#deal(incoming),
      notice: ({ known, writer: { person }, signal }, text, key, replyTo) =>
        options.sender.notice({ known, person }, text, key, signal, replyTo),
    })
  }

  async take({ message, from: known }: ReceivedMessage, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options
    if (ignored.has(message.type)) return
    const now = runtime.clock.now()
    const at = Math.min(Number(message.timestamp) * 1_000, now)
    // It is delivered for seven days; whatever is older was recorded and is played again.
    if (now - at > maxAgeMs)
      return runtime.logger.log('warn', 'an old WhatsApp message was left out', { id: message.id })
    await this.#intake.take(message, known, at, signal)
  }

  async #deal(incoming: IncomingWhatsApp): Promise<void> {
    const { message } = incoming
    const tapped =
      message.interactive?.button_reply?.id ?? message.interactive?.list_reply?.id ?? message.button?.payload
    if (tapped !== undefined) return this.#tapped(incoming, tapped)
    // Foreign content decides nothing and begins nothing.
    const text = message.type === 'text' && !isForwarded(message) ? message.text?.body : undefined
    if (text !== undefined && (await this.#isAnswer(incoming, text))) return
    if (text !== undefined && isNextWord(text) && (await this.#isAskedNext(incoming))) return
    if (text !== undefined && newSessionWords.has(text.trim().toLowerCase())) return this.#intake.beginAnew(incoming)
    await this.#post(incoming, (session) => this.#partsOf(incoming, session))
  }

  /** Whether requests were gathered: then the next of them is put. */
  async #isAskedNext(incoming: IncomingWhatsApp): Promise<boolean> {
    const outcome = await this.#options.sender.askNext(incoming.writer.person, incoming.signal)
    if (outcome === undefined) return false
    await this.#intake.noted(incoming)
    this.#intake.check(outcome)
    return true
  }

  async #tapped(incoming: IncomingWhatsApp, tapped: string): Promise<void> {
    const payload = readPayload(tapped)
    if (payload === undefined) return this.#intake.say(incoming, notices.unreadable)
    if ('say' in payload)
      return this.#post(incoming, async () => [{ text: payload.say, metadata: { partType: 'message' } }])
    const ask = askOfReply(await this.#options.people.load(incoming.writer.person), incoming.message)
    if (ask !== undefined && approvalName(ask.approvalId) === payload.approval) {
      return this.#decide(incoming, ask, { decision: payload.decision })
    }
    await this.#intake.noted(incoming)
    await this.#intake.say(incoming, notices.notAsked)
  }

  /** Whether what was typed was about a question that waits for a yes or no; then it is dealt with. */
  async #isAnswer(incoming: IncomingWhatsApp, text: string): Promise<boolean> {
    const { people, sessions } = this.#options
    const state = await people.load(incoming.writer.person)
    const asked = askOfReply(state, incoming.message)
    const worded = decisionFromWords(text)
    if (asked === undefined) {
      if (worded === 'unclear' && readPayload(text.trim()) === undefined) return false
      const open = await this.#open(state)
      if (open.length === 0) return false
      await this.#intake.noted(incoming)
      await this.#intake.say(incoming, notices.answerThere, open.at(-1)?.messageIds.at(-1))
      return true
    }
    if (worded !== 'unclear') {
      await this.#decide(incoming, asked, worded)
      return true
    }
    if (asked.unclear >= maxReasks || !(await isPending(sessions, asked))) return false
    await this.#intake.noted(incoming, (now) => {
      const isNew = cameBefore(now, incoming.message.id) === undefined
      return isNew ? [{ type: 'unclear', approvalIds: [asked.approvalId] }] : []
    })
    await this.#intake.say(incoming, notices.unclear, incoming.message.context?.id)
    return true
  }

  async #open({ asks }: PersonState): Promise<Ask[]> {
    const now = this.#options.runtime.clock.now()
    const current = asks.filter(({ until, messageIds }) => messageIds.length > 0 && (until ?? Infinity) > now)
    const pending = await Promise.all(current.map((ask) => isPending(this.#options.sessions, ask)))
    return current.filter((_, index) => pending[index] === true)
  }

  async #decide(incoming: IncomingWhatsApp, ask: Ask, decision: Decision): Promise<void> {
    if (incoming.before === undefined) {
      await this.#intake.noted(incoming, () => [], await isPending(this.#options.sessions, ask))
    }
    await this.#intake.decide(incoming, ask, decision, incoming.message.context?.id)
  }

  async #post(incoming: IncomingWhatsApp, parts: (session: string) => Promise<readonly Part[]>): Promise<void> {
    const { known, writer } = incoming
    const session = await this.#repliedTo(incoming)
    const from = whatsAppOriginator({ ...known, principal: writer.principal })
    const replies = session === undefined ? {} : { session, ...(await this.#joinedAs(session, writer)) }
    await this.#intake.post(incoming, { from, parts, ...replies })
  }

  /** As whom this person was joined to a session, whatever number or id they were joined by. */
  async #joinedAs(session: string, { person, principal }: Writer): Promise<{ readonly joinedAs?: string }> {
    const { sessions, correspondents } = this.#options
    for (const originator of await sessions.originators(session, principal)) {
      const known = originator.transport === 'whatsapp' ? knownOf(originator) : undefined
      if (known !== undefined && (await correspondents.find(known)) === person) return { joinedAs: originator.id }
    }
    return {}
  }

  /** The session of the message that this one replies to, or follows, if its writer is at home there. */
  async #repliedTo({ writer, message, at, before }: IncomingWhatsApp): Promise<string | undefined> {
    const { people, sessions, conversations } = this.#options
    const repliesTo = message.context?.id
    const state = await people.load(writer.person)
    const session =
      before?.session ??
      (repliesTo === undefined
        ? conversations.lastElsewhere(writer, state, at)
        : state.progress.find(({ sent }) => Object.values(sent).includes(repliesTo))?.session)
    if (session === undefined) return undefined
    try {
      await sessions.checkAccess(session, writer.principal)
      return session
    } catch (error) {
      if (isBeachError(error, 'NOT_FOUND')) return undefined
      throw error
    }
  }

  /** What was said, as parts; none when nothing of it can be read. */
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
    const { channel, graph, tenant } = this.#options
    if (channel.artifacts === undefined) throw noFiles()
    const response = await graph.download(media.id, signal)
    const mimeType = media.mime_type?.split(';', 1)[0] ?? 'application/octet-stream'
    const about = { name: media.filename ?? `${type}.${extensionOf(mimeType)}`, mimeType, tenant, session }
    const max = channel.maxMediaBytes ?? channel.mostMediaBytes ?? phoneLimits.maxMediaBytes
    const file = await takeFile(channel.artifacts, response, about, { max, signal })
    const { caption = '' } = media
    return caption.trim() === '' ? [file] : [saidPart(message, caption), file]
  }
}

/** A WhatsApp user, to be joined to a session: by their number, or by the id that WhatsApp knows them by. */
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

function isForwarded({ context }: WhatsAppMessage): boolean {
  return context?.forwarded === true || context?.frequently_forwarded === true
}

/** Words of the sender, or those that they pass on. */
function saidPart(message: WhatsAppMessage, text: string): Part {
  return isForwarded(message) ? othersPart(text, 'forwarded') : { text, metadata: { partType: 'message' } }
}

/** A place that was sent; what it is called is not its sender's word. */
function locationParts({ latitude, longitude, name, address }: NonNullable<WhatsAppMessage['location']>): Part[] {
  const called = [name, address].filter((word) => word !== undefined && word.trim() !== '').join(', ')
  return [
    { text: `Location: ${latitude}, ${longitude}`, metadata: { partType: 'message' } },
    ...(called === '' ? [] : [othersPart(called, 'place')]),
  ]
}

function extensionOf(mimeType: string): string {
  return /\/([a-z0-9]{1,8})(?:$|[+.-])/.exec(mimeType)?.[1] ?? 'bin'
}
