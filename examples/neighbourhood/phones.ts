import { BeachError } from '@cool-ai/beach-core'
import { whatsAppNumber, type Correspondent, type Neighbour } from './neighbour.ts'
import type { ReadMarks } from './read-marks.ts'
import type { PhoneApp, PhoneMessage, PhoneState } from './page/shapes.ts'
import type { TwilioStandIn } from './twilio-stand-in.ts'
import type { StoredMedia, WhatsAppReceived, WhatsAppStandIn } from './whatsapp-stand-in.ts'
import { shownReceived, shownWritten } from './whatsapp-messages.ts'

interface PhonesOptions {
  readonly whatsApp: WhatsAppStandIn
  readonly twilio: TwilioStandIn
  readonly neighbours: readonly Neighbour[]
  readonly agent: Correspondent
  readonly read: ReadMarks
}

/** The neighbours' phones, with what they send. */
export class Phones {
  readonly #options: PhonesOptions

  constructor(options: PhonesOptions) {
    this.#options = options
  }

  state(): PhoneState {
    const { neighbours, agent, twilio } = this.#options
    return {
      agent: agent.name,
      smsNumber: twilio.number,
      phones: neighbours.map((neighbour) => ({
        ...neighbour,
        whatsapp: this.#whatsApp(neighbour),
        sms: this.#sms(neighbour),
      })),
    }
  }

  /** How many messages nobody has looked at. */
  unread(): number {
    return this.state().phones.reduce(
      (sum, { whatsapp, sms }) => sum + [...whatsapp, ...sms].filter(({ isNew }) => isNew).length,
      0,
    )
  }

  markRead(neighbourId: string, app: PhoneApp): void {
    const neighbour = this.#neighbour(neighbourId)
    const messages = app === 'sms' ? this.#sms(neighbour) : this.#whatsApp(neighbour)
    this.#options.read.add(messages.filter(({ isNew }) => isNew).map(({ id }) => id))
  }

  /** Somebody types something; `replyTo` is the message that it is put below. */
  async write(neighbourId: string, app: PhoneApp, text: string, replyTo?: string): Promise<void> {
    const { whatsApp, twilio } = this.#options
    const neighbour = this.#neighbour(neighbourId)
    if (app === 'sms') {
      await taken(() => twilio.write(neighbour.phone, text))
      return
    }
    const before = replyTo === undefined ? undefined : this.#received(neighbour, replyTo)
    const options = before === undefined ? {} : { replyTo: before.id }
    await taken(() => whatsApp.text({ phone: whatsAppNumber(neighbour) }, text, options))
  }

  /** Somebody taps a button of a message, or a row of its list. */
  async tap(neighbourId: string, messageId: string, title: string): Promise<void> {
    const neighbour = this.#neighbour(neighbourId)
    const message = this.#received(neighbour, messageId)
    const { buttons = [], list } = shownReceived(message)
    if (![...buttons, ...(list?.rows.map((row) => row.title) ?? [])].includes(title)) {
      throw new BeachError('NOT_FOUND', `The message has no button '${title}'.`)
    }
    await taken(() => this.#options.whatsApp.tap({ phone: whatsAppNumber(neighbour) }, message, title))
  }

  /** A file that has come. */
  media(id: string): StoredMedia {
    const stored = this.#options.whatsApp.media.get(id)
    if (stored === undefined) throw new BeachError('NOT_FOUND', 'There is no such file.')
    return stored
  }

  #neighbour(neighbourId: string): Neighbour {
    const neighbour = this.#options.neighbours.find(({ id }) => id === neighbourId)
    if (neighbour === undefined) throw new BeachError('NOT_FOUND', 'Nobody of that name lives here.')
    return neighbour
  }

  #received(neighbour: Neighbour, messageId: string): WhatsAppReceived {
    const found = this.#options.whatsApp.of({ phone: whatsAppNumber(neighbour) }).find(({ id }) => id === messageId)
    if (found === undefined) throw new BeachError('NOT_FOUND', 'There is no such message.')
    return found
  }

  #whatsApp(neighbour: Neighbour): PhoneMessage[] {
    const { whatsApp, read } = this.#options
    const phone = whatsAppNumber(neighbour)
    const received = whatsApp.of({ phone })
    const written = whatsApp.written.filter(({ person }) => person.phone === phone)
    return [
      ...received.map((message) => ({ ...shownReceived(message), isNew: !read.has(message.id) })),
      ...written.map(shownWritten),
    ].toSorted((one, other) => one.at - other.at)
  }

  #sms({ phone }: Neighbour): PhoneMessage[] {
    const { twilio, read } = this.#options
    const received = twilio.of(phone).map(({ sid, body, at }) => ({ id: sid, at, isMine: false, text: body }))
    const written = twilio.written.filter(({ from }) => from === phone)
    const replies = written.flatMap(({ sid, reply, at }) =>
      reply === undefined ? [] : [{ id: `${sid}.reply`, at, isMine: false, text: reply }],
    )
    return [
      ...[...received, ...replies].map((message) => ({ ...message, isNew: !read.has(message.id) })),
      ...written.map(({ sid, text, at }) => ({ id: sid, at, isMine: true, isNew: false, text })),
    ].toSorted((one, other) => one.at - other.at)
  }
}

async function taken(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('UNREACHABLE', `The message was not taken: ${reason}`, { cause })
  }
}
