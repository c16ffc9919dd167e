import {
  isPending,
  type Ask,
  decisionFromWords,
  extensionOf,
  isQuestion,
  type PersonState,
  takeFile,
} from '@cool-ai/beach-channel/people'
import { BeachError, type Decision, type Originator, type Part, type Principal } from '@cool-ai/beach-core'
import { isOver } from '@cool-ai/beach-core/runtime'
import { secretKeys } from '@cool-ai/beach-core/tokens'
import type { PhoneContext } from '../people/phone-channel.ts'
import { maxReasks, noFiles, PhoneIntake, pushOf, type Incoming } from '../people/phone-intake.ts'
import { codeIn, isCode } from './codes.ts'
import type { SmsMessage } from './form.ts'
import { keywordOf } from './keywords.ts'
import { smsLimits, type SmsSettings } from './options.ts'
import type { SmsSender } from './sender.ts'
import type { TwilioApi } from './twilio-api.ts'

export interface ReceivedSms {
  readonly message: SmsMessage
  readonly at: number
}

type IncomingSms = Incoming<SmsMessage>

type CodeOutcome =
  | { readonly kind: 'decides' | 'unclear' | 'late'; readonly ask: Ask }
  | { readonly kind: 'wrong' | 'locked' | 'none' }

interface CodeTry {
  readonly code: string
  readonly isClear: boolean
  /** It says nothing else. */
  readonly isTry: boolean
  readonly isWaiting: boolean
}

const codeNotices = {
  wrong: 'This code is wrong. Nothing was done.',
  locked:
    'Too many wrong codes: this can no longer be decided by SMS. Please decide it in the conversation where it came up.',
  needed: 'To decide, reply YES or NO together with the six digits of the request.',
  late: 'That code has expired. Here is a new one.',
  unclear: 'I could not tell whether that is a yes or a no. Nothing was done.',
} as const

/** Handles what people send: a keyword of the carriers, a decision with its code, or a message. */
export class SmsIntake extends PhoneIntake<SmsMessage, SmsSender> {
  protected readonly howToDecide = codeNotices.needed
  readonly #settings: SmsSettings
  readonly #twilio: TwilioApi

  constructor(settings: SmsSettings, phone: PhoneContext, sender: SmsSender, twilio: TwilioApi) {
    super(settings, phone, sender)
    this.#settings = settings
    this.#twilio = twilio
  }

  async take({ message, at }: ReceivedSms, signal: AbortSignal): Promise<void> {
    await this.takeFrom(message, { phone: message.from }, at, signal)
  }

  protected async deal(incoming: IncomingSms, state: PersonState): Promise<void> {
    const { message } = incoming
    const keyword = keywordOf(message.text, message.optOut, state.stopped)
    if (keyword === 'stop' || keyword === 'start') {
      await this.noted(incoming, () => [{ type: 'stopped', stopped: keyword === 'stop' }])
      return
    }
    if (keyword === 'help' || state.stopped || (await this.#isAnswer(incoming, state))) return
    if (await this.isCommand(incoming, message.text)) return
    const from = smsOriginator({ phone: message.from, principal: incoming.writer.principal })
    await this.post(incoming, { from, parts: (session) => this.#partsOf(incoming, session) })
  }

  /** Whether it was about a request that waits for a code; then it is handled. */
  async #isAnswer(incoming: IncomingSms, { asks }: PersonState): Promise<boolean> {
    const isWaiting = await Promise.all(asks.map((ask) => isPending(this.phone.sessions, ask)))
    const { text } = incoming.message
    const found = codeIn(text)
    const waiting = asks.findLast((_, index) => isWaiting[index])
    if (waiting !== undefined && isQuestion(text)) {
      const from = smsOriginator({ phone: incoming.message.from, principal: incoming.writer.principal })
      await this.postQuestion(incoming, waiting, from, found?.words ?? text)
      return true
    }
    if (found === undefined) {
      const isDecision = decisionFromWords(text) !== 'unclear'
      if (!isDecision || !isWaiting.includes(true)) return false
      await this.noted(incoming)
      await this.say(incoming, codeNotices.needed)
      return true
    }
    // A person who decides here is told of a decision that was made elsewhere meanwhile.
    const now = this.phone.runtime.clock.now()
    const open = asks.filter((ask, index) => isWaiting[index] === true || !this.#isLate(ask, now))
    if (open.length === 0) return false
    const decision = decisionFromWords(found.words)
    const outcome = await this.#tried(incoming, open, {
      code: found.code,
      isClear: decision !== 'unclear',
      isTry: decision !== 'unclear' || found.words === '',
      isWaiting: isWaiting.includes(true),
    })
    // After two unclear answers further ones are messages of the conversation.
    if (outcome.kind === 'none' || (outcome.kind === 'unclear' && outcome.ask.unclear >= maxReasks)) return false
    await this.#answer(incoming, outcome, decision)
    return true
  }

  async #answer(incoming: IncomingSms, outcome: CodeOutcome, decision: Decision | 'unclear'): Promise<void> {
    if (outcome.kind === 'decides' && decision !== 'unclear') return this.decide(incoming, outcome.ask, decision)
    if (outcome.kind === 'late') return this.#askAgain(incoming, outcome.ask, codeNotices.late)
    if (outcome.kind === 'wrong' || outcome.kind === 'locked') return this.say(incoming, codeNotices[outcome.kind])
    if (outcome.kind === 'unclear') return this.#askAgain(incoming, outcome.ask, codeNotices.unclear)
  }

  #isLate({ until = 0 }: Ask, now: number): boolean {
    const { codeValidMs = smsLimits.codeValidMs } = this.#settings
    return isOver({ since: until - codeValidMs, until }, now)
  }

  /** Compares a code with the open requests, and counts it in the same write: attempts cannot be made in parallel. */
  async #tried(
    incoming: IncomingSms,
    open: readonly Ask[],
    { code, isClear, isTry, isWaiting }: CodeTry,
  ): Promise<CodeOutcome> {
    const { person } = incoming.writer
    const keys = secretKeys(this.#settings.secret)
    let outcome: CodeOutcome = { kind: 'none' }
    await this.noted(
      incoming,
      ({ asks }) => {
        const current = asks.filter(({ approvalId }) => open.some((ask) => ask.approvalId === approvalId))
        const usable = current.filter(({ wrong }) => wrong < smsLimits.wrongCodes)
        const ask = usable.find((entry) => isCode(keys, { ...entry, person }, code))
        if (ask !== undefined) {
          const isLate = ask.until !== undefined && this.#isLate(ask, this.phone.runtime.clock.now())
          outcome = { kind: isLate ? 'late' : isClear ? 'decides' : 'unclear', ask }
          return outcome.kind === 'unclear' ? [{ type: 'unclear', approvalIds: [ask.approvalId] }] : []
        }
        // Digits in a sentence are no attempt.
        if (!isTry) return []
        outcome = { kind: usable.length === 0 ? 'locked' : 'wrong' }
        return usable.length === 0 ? [] : [{ type: 'wrong', approvalIds: usable.map(({ approvalId }) => approvalId) }]
      },
      isClear && isWaiting,
    )
    return outcome
  }

  async #partsOf({ message, signal }: IncomingSms, session: string): Promise<Part[]> {
    const { artifacts, tenant, maxMediaBytes: max } = this.phone
    const parts: Part[] = message.text.trim() === '' ? [] : [{ text: message.text, metadata: { partType: 'message' } }]
    if (artifacts === undefined) {
      if (message.media.length > 0 && parts.length === 0) throw noFiles()
      return parts
    }
    for (const [index, { url, mimeType }] of message.media.entries()) {
      const response = await this.#twilio.download(url, signal)
      const name = `media-${index + 1}.${extensionOf(mimeType)}`
      parts.push(await takeFile(artifacts, response, { name, mimeType, tenant, session }, { max, signal }))
    }
    return parts
  }

  async #askAgain(incoming: IncomingSms, ask: Ask, why: string): Promise<void> {
    if (!(await isPending(this.phone.sessions, ask))) return this.say(incoming, await this.lateText(ask))
    this.check(await this.sender.askAgain(pushOf(incoming, 'again'), ask, why))
  }
}

/** A person with a phone, to be joined to a session. */
export function smsOriginator(who: { readonly phone: string; readonly principal: Principal }): Originator {
  const { phone, principal } = who
  if (!/^(?:\+\d{5,20}|\d{3,8}|[\w .-]{1,20})$/.test(phone)) {
    throw new BeachError('BAD_REQUEST', 'Give a phone number with its country code, such as +491700000000.')
  }
  return { id: `sms:${phone}`, transport: 'sms', deliveryClass: 'buffered', principal, address: phone }
}
