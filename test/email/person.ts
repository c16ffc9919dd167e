import { answerTo, deliver, written, type Delivered, type Letter } from '@cool-ai/beach-testing/mail'
import { agent, type EmailProcess, type EmailTestContext } from './email-context.ts'

/** How a mail is signed and sent, when not as its sender's program does it. */
export interface Sending extends Partial<Letter> {
  /** The domain whose key signs it; false for none. */
  readonly signedBy?: string | false
  /** The sender that the server is told. */
  readonly envelopeFrom?: string
  /** Replaces the mail before it is signed. */
  readonly change?: (raw: string) => string
}

/** A person with a mail program. */
export class Person {
  readonly address: string
  readonly #context: EmailTestContext
  #count = 0

  constructor(setup: EmailTestContext, address: string) {
    this.#context = setup
    this.address = address
  }

  inbox(): readonly Delivered[] {
    return this.#context.office.inbox(this.address)
  }

  /** What has come, as one text. */
  got(): string {
    return this.inbox()
      .map(({ email }) => `${email.subject}\n${email.text}`)
      .join('\n----\n')
  }

  async raw(sending: Sending): Promise<string> {
    const {
      signedBy = this.address.split('@')[1],
      change = (text: string) => text,
      envelopeFrom: _,
      ...letter
    } = sending
    const messageId = `<${this.address.split('@')[0]}.${++this.#count}@mail.example>`
    const raw = change(await written({ from: this.address, to: agent, messageId, ...letter }))
    return signedBy === false || signedBy === undefined ? raw : this.#context.domains.sign(raw, signedBy)
  }

  /** Sends a mail; rejects with the answer of the server when it is not taken. */
  async write({ channel }: EmailProcess, sending: Sending): Promise<string> {
    const raw = await this.raw(sending)
    await this.post(channel.smtpPort() ?? 0, raw, sending)
    return raw
  }

  async post(port: number, raw: string, { envelopeFrom, to = agent }: Sending = {}): Promise<void> {
    await deliver(port, raw, { from: envelopeFrom ?? this.address, to: [to] })
  }

  /** Answers a mail, as programs do: to its Reply-To, with what it says quoted below. */
  async answer(process: EmailProcess, mail: Delivered, text: string, more: Sending = {}): Promise<string> {
    return this.write(process, { ...answerTo(mail, text), ...more })
  }
}
