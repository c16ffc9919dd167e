import { BeachError } from '@cool-ai/beach-core'
import { whatsAppNumber, type Correspondent, type LocalPerson } from './local-person.ts'
import type { ReadMarks } from './read-marks.ts'
import type { PhoneApp, PhoneMessage, PhoneState } from './page/shapes.ts'
import type { TwilioStandIn } from '@cool-ai/beach-testing/sms'
import type { StoredMedia, WhatsAppReceived, WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'
import { taken } from './taken.ts'
import { shownReceived, shownWritten } from './whatsapp-messages.ts'

interface PhonesOptions {
  readonly whatsApp: WhatsAppStandIn
  readonly twilio: TwilioStandIn
  readonly people: readonly LocalPerson[]
  readonly agent: Correspondent
  readonly read: ReadMarks
}

/** The people's phones, with what they send. */
export class Phones {
  readonly #options: PhonesOptions

  constructor(options: PhonesOptions) {
    this.#options = options
  }

  state(): PhoneState {
    const { people, agent, twilio } = this.#options
    return {
      agent: agent.name,
      smsNumber: twilio.number,
      phones: people.map((person) => ({
        ...person,
        whatsapp: this.#whatsApp(person),
        sms: this.#sms(person),
      })),
    }
  }

  /** How many messages are unread. */
  unread(): number {
    return this.state().phones.reduce(
      (sum, { whatsapp, sms }) => sum + [...whatsapp, ...sms].filter(({ isNew }) => isNew).length,
      0,
    )
  }

  markRead(personId: string, app: PhoneApp): void {
    const person = this.#person(personId)
    const messages = app === 'sms' ? this.#sms(person) : this.#whatsApp(person)
    this.#options.read.add(messages.filter(({ isNew }) => isNew).map(({ id }) => id))
  }

  /** A person sends a text; `replyTo` is the message that it answers. */
  async write(personId: string, app: PhoneApp, text: string, replyTo?: string): Promise<void> {
    const { whatsApp, twilio } = this.#options
    const person = this.#person(personId)
    if (app === 'sms') {
      await taken(() => twilio.write(person.phone, text))
      return
    }
    const before = replyTo === undefined ? undefined : this.#received(person, replyTo)
    const options = before === undefined ? {} : { replyTo: before.id }
    await taken(() => whatsApp.text({ phone: whatsAppNumber(person) }, text, options))
  }

  /** A person taps a button of a message, or a row of its list. */
  async tap(personId: string, messageId: string, title: string): Promise<void> {
    const person = this.#person(personId)
    const message = this.#received(person, messageId)
    const { buttons = [], list } = shownReceived(message)
    if (![...buttons, ...(list?.rows.map((row) => row.title) ?? [])].includes(title)) {
      throw new BeachError('NOT_FOUND', `The message has no button '${title}'.`)
    }
    await taken(() => this.#options.whatsApp.tap({ phone: whatsAppNumber(person) }, message, title))
  }

  /** A file that has come. */
  media(id: string): StoredMedia {
    const stored = this.#options.whatsApp.media.get(id)
    if (stored === undefined) throw new BeachError('NOT_FOUND', 'There is no such file.')
    return stored
  }

  #person(personId: string): LocalPerson {
    const person = this.#options.people.find(({ id }) => id === personId)
    if (person === undefined) throw new BeachError('NOT_FOUND', 'There is no person of that name here.')
    return person
  }

  #received(person: LocalPerson, messageId: string): WhatsAppReceived {
    const found = this.#options.whatsApp.of({ phone: whatsAppNumber(person) }).find(({ id }) => id === messageId)
    if (found === undefined) throw new BeachError('NOT_FOUND', 'There is no such message.')
    return found
  }

  #whatsApp(person: LocalPerson): PhoneMessage[] {
    const { whatsApp, read } = this.#options
    const phone = whatsAppNumber(person)
    const received = whatsApp.of({ phone })
    const written = whatsApp.written.filter((message) => message.person.phone === phone)
    return [
      ...received.map((message) => ({ ...shownReceived(message), isNew: !read.has(message.id) })),
      ...written.map(shownWritten),
    ].toSorted((one, other) => one.at - other.at)
  }

  #sms({ phone }: LocalPerson): PhoneMessage[] {
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
