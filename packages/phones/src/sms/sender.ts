import type { AskDigest, GatheredAsk } from '@cool-ai/beach-channel/people'
import type { Envelope, Originator, PartTypeRegistry, Runtime, SendOutcome } from '@cool-ai/beach-core'
import { secretKeys } from '@cool-ai/beach-core/tokens'
import { blocksOf } from '../people/blocks.ts'
import type { Correspondents } from '../people/correspondents.ts'
import { deliver, type Transmission, type Transmitted } from '../people/deliver.ts'
import { textLink } from '../people/linked-file.ts'
import { askNext, digestText } from '../people/phone-digest.ts'
import type { PersonLog } from '../people/person-log.ts'
import type { SendGate } from '../people/send-gate.ts'
import type { Ask } from '../people/person-state.ts'
import { codeOf } from './codes.ts'
import type { SmsSettings } from './options.ts'
import { codeUntil, instruction, pieces, sayingsOf, type SmsText, type SayingsContext } from './sayings.ts'
import { plainShapes } from './segments.ts'
import type { TwilioApi } from './twilio-api.ts'

interface SenderOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly people: PersonLog
  readonly correspondents: Correspondents
  readonly twilio: TwilioApi
  readonly channel: SmsSettings
  readonly gate: SendGate
  readonly digest: () => AskDigest
}

interface Push {
  readonly person: string
  readonly address: string
  readonly key: string
  readonly session?: string
  readonly signal: AbortSignal
}

const stoppedReason = 'They have answered STOP and want no messages. They can answer START.'

/** Sends envelopes and notices as SMS. */
export class SmsSender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async send(to: Originator, envelope: Envelope, key: string, signal: AbortSignal): Promise<SendOutcome> {
    const { correspondents, people } = this.#options
    const { address } = to
    if (address === undefined) return { status: 'refused', reason: 'This originator has no number.' }
    const person = await correspondents.find({ phone: address })
    if ((await people.load(person)).stopped) return { status: 'refused', reason: stoppedReason }
    const admitted = await this.#options.digest().admit(person, to, envelope, key)
    if (admitted.parts.length === 0) return { status: 'sent', externalId: 'gathered with other requests' }
    return this.#say(person, to, admitted, key, signal)
  }

  /** Puts the next of the requests that were gathered; undefined when there is none. */
  askNext(person: string, signal: AbortSignal): Promise<SendOutcome | undefined> {
    const say = (to: Originator, envelope: Envelope, key: string) => this.#say(person, to, envelope, key, signal)
    return askNext(person, this.#options.digest(), say)
  }

  /** One message about all requests that wait. */
  async sendDigest(asks: readonly GatheredAsk[], key: string, signal: AbortSignal): Promise<SendOutcome> {
    const address = asks[0]?.to.address
    if (address === undefined) return { status: 'refused', reason: 'This originator has no number.' }
    const person = await this.#options.correspondents.find({ phone: address })
    return this.notice({ person, address }, await digestText(asks, this.#options.digest()), key, signal)
  }

  async #say(
    person: string,
    to: Originator,
    envelope: Envelope,
    key: string,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { partTypes } = this.#options
    const { address = '' } = to
    const reader = { to, session: envelope.meta.sessionId }
    const push = { person, address, key, session: reader.session, signal }
    const linkTo = (text: string) => textLink(this.#options.channel, text, reader)
    const sayings = await sayingsOf(blocksOf(envelope, partTypes), reader, { ...this.#context(person), linkTo })
    return this.#deliver(push, sayings)
  }

  /** Says something that is of no session. */
  async notice(
    to: Pick<Push, 'person' | 'address'>,
    text: string,
    key: string,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    if ((await this.#options.people.load(to.person)).stopped) return { status: 'refused', reason: stoppedReason }
    return this.#deliver({ ...to, key, signal }, pieces(text))
  }

  /** Puts a request again, with a new code. */
  async askAgain(to: Pick<Push, 'person' | 'address'>, ask: Ask, why: string, key: string, signal: AbortSignal) {
    const { approvalId, session, principal, title } = ask
    const context = this.#context(to.person)
    const put = { approvalId, session, principal, title, issue: ask.issue + 1, until: codeUntil(context) }
    const text = `${why}\n${title}: ${instruction(put, context)}`
    return this.#deliver({ ...to, key, signal }, [{ text: plainShapes(text), ask: put }])
  }

  async #deliver({ person, address, key, session, signal }: Push, sayings: readonly SmsText[]): Promise<SendOutcome> {
    const { people, runtime, twilio, gate } = this.#options
    const refusal = gate.refusal(address)
    if (refusal !== undefined) return { status: 'refused', reason: refusal }
    const transmissions = sayings.map(({ text, ask }, index): Transmission => {
      const transmit = async (mark: string, triedAt: number | undefined): Promise<Transmitted> => {
        // What came of the last attempt is not known: Twilio has no keys for that, but it can be asked.
        const before =
          triedAt === undefined ? undefined : await this.#sentBefore(person, address, text, triedAt, signal)
        if (before !== undefined) return { status: 'sent', messageId: before }
        const full = await gate.pass(person, mark)
        if (full !== undefined) return full
        const outcome = await twilio.send(address, text, mark, signal)
        if (outcome.status !== 'stopped') return outcome
        await people.commit(person, () => [{ type: 'stopped', stopped: true }])
        return { status: 'refused', reason: stoppedReason }
      }
      return { name: `m${index}`, ...(ask && { ask }), transmit }
    })
    const place = { person, key, clock: runtime.clock, ...(session !== undefined && { session }) }
    const outcome = await deliver(people, place, transmissions)
    return outcome.status === 'closed' ? { status: 'refused', reason: outcome.reason } : outcome
  }

  async #sentBefore(person: string, to: string, body: string, since: number, signal: AbortSignal) {
    const { people, twilio } = this.#options
    const { progress } = await people.load(person)
    const known = new Set(progress.flatMap(({ sent }) => Object.values(sent)))
    return twilio.find({ to, body, since, known }, signal)
  }

  /** What messages to a person are made with: codes are for that person alone. */
  #context(person: string): Omit<SayingsContext, 'linkTo'> {
    const { channel, runtime } = this.#options
    const [key] = secretKeys(channel.secret)
    return { clock: runtime.clock, channel, codeOf: (put) => codeOf(key, { ...put, person }) }
  }
}
