import type { Ask, Block, FileReader, Transmitted } from '@cool-ai/beach-channel/people'
import type { SendOutcome } from '@cool-ai/beach-core'
import { secretKeys } from '@cool-ai/beach-core/tokens'
import type { PhoneContext } from '../people/phone-channel.ts'
import { PhoneSender, stopped, type Push, type Saying } from '../people/phone-sender.ts'
import { codeOf } from './codes.ts'
import type { SmsSettings } from './options.ts'
import { codeUntil, instruction, pieces, sayingsOf, type SayingsContext } from './sayings.ts'
import { plainShapes } from './segments.ts'
import type { TwilioApi } from './twilio-api.ts'

/** Sends envelopes and notices as SMS. */
export class SmsSender extends PhoneSender<string> {
  readonly #settings: SmsSettings
  readonly #twilio: TwilioApi

  constructor(settings: SmsSettings, phone: PhoneContext, twilio: TwilioApi) {
    super(phone)
    this.#settings = settings
    this.#twilio = twilio
  }

  async notice(push: Push, text: string): Promise<SendOutcome> {
    if ((await this.phone.people.load(push.person)).stopped) return stopped
    return this.#send(push, pieces(text))
  }

  async askAgain(push: Push, ask: Ask, why: string): Promise<SendOutcome> {
    const { approvalId, session, principal, title } = ask
    const context = this.#context(push.person)
    const put = { approvalId, session, principal, title, issue: ask.issue + 1, until: codeUntil(context) }
    const text = `${why}\n${title}: ${instruction(put, context)}`
    return this.#send(push, [{ content: plainShapes(text), ask: put }])
  }

  protected async say(push: Push, blocks: readonly Block[], reader: FileReader): Promise<SendOutcome> {
    const linkTo = (text: string) => this.phone.textLinks.link(text, reader)
    return this.#send(push, await sayingsOf(blocks, reader, { ...this.#context(push.person), linkTo }))
  }

  protected gathered(push: Push, text: string): Promise<SendOutcome> {
    return this.notice(push, text)
  }

  /** Twilio has no idempotency keys, but its messages can be listed. */
  protected async sentBefore({ person, known, signal }: Push, body: string, _mark: string, since: number) {
    const { progress } = await this.phone.people.load(person)
    const others = new Set(progress.flatMap(({ sent }) => Object.values(sent)))
    return this.#twilio.find({ to: known.phone ?? '', body, since, known: others }, signal)
  }

  protected async transmit({ person, known, signal }: Push, text: string, mark: string): Promise<Transmitted> {
    const full = await this.phone.gate.pass(person, mark)
    if (full !== undefined) return full
    const outcome = await this.#twilio.send(known.phone ?? '', text, mark, signal)
    if (outcome.status !== 'stopped') return outcome
    await this.phone.people.commit(person, () => [{ type: 'stopped', stopped: true }])
    return stopped
  }

  async #send(push: Push, sayings: readonly Saying<string>[]): Promise<SendOutcome> {
    const outcome = await this.deliver(push, 'm', sayings)
    return outcome.status === 'closed' ? { status: 'refused', reason: outcome.reason } : outcome
  }

  /** What messages to a person are made with: codes are for that person alone. */
  #context(person: string): Omit<SayingsContext, 'linkTo'> {
    const [key] = secretKeys(this.#settings.secret)
    const { clock } = this.phone.runtime
    return { clock, channel: this.#settings, codeOf: (put) => codeOf(key, { ...put, person }) }
  }
}
