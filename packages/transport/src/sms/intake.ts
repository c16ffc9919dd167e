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
import type { Correspondents } from '../people/correspondents.ts'
import { decisionNotices, notices } from '../people/notices.ts'
import type { PersonLog } from '../people/person-log.ts'
import type { Ask, PersonEvent, PersonState } from '../people/person-state.ts'
import { newSessionWords, phoneLimits } from '../people/phone-options.ts'
import { takeFile } from '../people/take-file.ts'
import { codeIn, isCode } from './codes.ts'
import type { SmsMessage } from './form.ts'
import { keywordOf } from './keywords.ts'
import { smsLimits, type SmsChannelOptions } from './options.ts'
import type { SmsSender } from './sender.ts'
import type { TwilioApi } from './twilio-api.ts'

interface IntakeOptions {
  readonly runtime: Runtime
  readonly tenant: string
  readonly sessions: Sessions
  readonly people: PersonLog
  readonly correspondents: Correspondents
  readonly conversations: Conversations
  readonly twilio: TwilioApi
  readonly sender: SmsSender
  readonly channel: SmsChannelOptions
}

interface Incoming {
  readonly message: SmsMessage
  readonly writer: Writer
  readonly at: number
  readonly signal: AbortSignal
  /** What is on record of it, when an earlier attempt to deal with it broke off. */
  readonly before?: PersonState['came'][number]
}

/** What a code that somebody sent comes to. */
type CodeOutcome =
  | { readonly kind: 'decides' | 'unclear' | 'late'; readonly ask: Ask }
  | { readonly kind: 'wrong' | 'locked' | 'none' }

/** A message with six digits. */
interface CodeTry {
  readonly code: string
  /** It says yes or no. */
  readonly isClear: boolean
  /** It says nothing else. */
  readonly isTry: boolean
  /** Something waits to be decided. */
  readonly isWaiting: boolean
}

const mostReasks = 2
const codeNotices = {
  wrong: 'This code is not right. Nothing was done.',
  locked: 'Too many wrong codes: this can no longer be decided by SMS. Please decide it where you asked for it.',
  needed: 'To decide, reply YES or NO together with the six digits of the request.',
  late: 'That code has expired. Here is a new one.',
  unclear: 'I could not tell whether that is a yes or a no. Nothing was done.',
} as const

/** Deals with what people send: a word of the carriers, a decision with its code, or something said. */
export class SmsIntake {
  readonly #options: IntakeOptions

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  async take(message: SmsMessage, at: number, signal: AbortSignal): Promise<void> {
    const { people, correspondents, channel } = this.#options
    const known = { phone: message.from }
    if (channel.accepts?.(known) === false) return
    const person = await correspondents.find(known)
    const state = await people.load(person)
    const before = cameBefore(state, message.id)
    if (before?.done === true) return
    const writer = { person, principal: await this.#principalOf(person, message.from) }
    await this.#deal({ message, writer, at, signal, ...(before && { before }) }, state)
    await people.commit(person, () => [{ type: 'done', id: message.id }])
  }

  async #principalOf(person: string, phone: string): Promise<Principal> {
    const { channel, tenant } = this.#options
    return (await channel.principalOf?.({ phone })) ?? { kind: 'user', id: `sms:${person}`, tenant }
  }

  async #deal(incoming: Incoming, state: PersonState): Promise<void> {
    const { message, writer, at } = incoming
    const keyword = keywordOf(message.text, message.optOut, state.stopped)
    if (keyword === 'stop' || keyword === 'start') {
      await this.#noted(incoming, () => [{ type: 'stopped', stopped: keyword === 'stop' }])
      return
    }
    if (keyword === 'help' || state.stopped || (await this.#isAnswer(incoming, state))) return
    if (newSessionWords.has(message.text.trim().toLowerCase())) {
      await this.#options.conversations.sessionFor(writer, { id: message.id, at }, true)
      return this.#say(incoming, notices.begun)
    }
    await this.#post(incoming)
  }

  /** Whether it was about a request that waits for a code; then it is dealt with. */
  async #isAnswer(incoming: Incoming, { asks }: PersonState): Promise<boolean> {
    const isWaiting = await Promise.all(asks.map((ask) => isPending(this.#options.sessions, ask)))
    const found = codeIn(incoming.message.text)
    if (found === undefined) {
      const isDecision = decisionIn(incoming.message.text) !== 'unclear'
      if (!isDecision || !isWaiting.includes(true)) return false
      await this.#noted(incoming)
      await this.#say(incoming, codeNotices.needed)
      return true
    }
    // What was decided elsewhere meanwhile is still told to whoever decides it here.
    const now = this.#options.runtime.clock.now()
    const open = asks.filter(({ until = 0 }, index) => isWaiting[index] === true || until > now)
    if (open.length === 0) return false
    const decision = decisionIn(found.words)
    const outcome = await this.#tried(incoming, open, {
      code: found.code,
      isClear: decision !== 'unclear',
      isTry: decision !== 'unclear' || found.words === '',
      isWaiting: isWaiting.includes(true),
    })
    // What was asked twice and is still not clear is said in the conversation instead.
    if (outcome.kind === 'none' || (outcome.kind === 'unclear' && outcome.ask.unclear >= mostReasks)) return false
    await this.#answer(incoming, outcome, decision)
    return true
  }

  async #answer(incoming: Incoming, outcome: CodeOutcome, decision: Decision | 'unclear'): Promise<void> {
    if (outcome.kind === 'decides' && decision !== 'unclear') return this.#decide(incoming, outcome.ask, decision)
    if (outcome.kind === 'late') return this.#askAgain(incoming, outcome.ask, codeNotices.late)
    if (outcome.kind === 'wrong' || outcome.kind === 'locked') return this.#say(incoming, codeNotices[outcome.kind])
    if (outcome.kind === 'unclear') return this.#askAgain(incoming, outcome.ask, codeNotices.unclear)
  }

  /** Compares a code with the open requests, and counts it in the same write: tries cannot be made side by side. */
  async #tried(
    incoming: Incoming,
    open: readonly Ask[],
    { code, isClear, isTry, isWaiting }: CodeTry,
  ): Promise<CodeOutcome> {
    const { channel, runtime } = this.#options
    const { person } = incoming.writer
    let outcome: CodeOutcome = { kind: 'none' }
    await this.#noted(
      incoming,
      ({ asks }) => {
        const current = asks.filter(({ approvalId }) => open.some((ask) => ask.approvalId === approvalId))
        const usable = current.filter(({ wrong }) => wrong < smsLimits.wrongCodes)
        const ask = usable.find((entry) => isCode(channel.secret, { ...entry, person }, code))
        if (ask !== undefined) {
          const isLate = (ask.until ?? Infinity) <= runtime.clock.now()
          outcome = { kind: isLate ? 'late' : isClear ? 'decides' : 'unclear', ask }
          return outcome.kind === 'unclear' ? [{ type: 'unclear', approvalIds: [ask.approvalId] }] : []
        }
        // Digits in a sentence are no try.
        if (!isTry) return []
        outcome = { kind: usable.length === 0 ? 'locked' : 'wrong' }
        return usable.length === 0 ? [] : [{ type: 'wrong', approvalIds: usable.map(({ approvalId }) => approvalId) }]
      },
      isClear && isWaiting,
    )
    return outcome
  }

  async #decide(incoming: Incoming, { approvalId, principal, session }: Ask, decision: Decision): Promise<void> {
    const decided = await this.#options.sessions.decide(approvalId, decision, principal, session)
    // Taken up again by another process: it may be this very message that has decided.
    if (decided === 'decided' || (decided === 'already' && incoming.before?.decides === true)) return
    await this.#say(incoming, decisionNotices[decided])
  }

  async #noted(
    { writer, message, at }: Incoming,
    more: (state: PersonState) => readonly PersonEvent[] = () => [],
    decides?: boolean,
  ): Promise<void> {
    await this.#options.people.commit(writer.person, (state) => {
      const session = state.current?.session ?? ''
      const came = { type: 'came' as const, id: message.id, session, at, ...(decides !== undefined && { decides }) }
      return [...(cameBefore(state, message.id) === undefined ? [came] : []), ...more(state)]
    })
  }

  async #post(incoming: Incoming): Promise<void> {
    const { conversations } = this.#options
    const { writer, message, at } = incoming
    const session = await conversations.sessionFor(writer, { id: message.id, at })
    try {
      const parts = await this.#partsOf(incoming, session)
      if (parts.length === 0) return await this.#say(incoming, notices.unreadable)
      const from = smsOriginator({ phone: message.from, principal: writer.principal })
      const own = { ...from, id: `sms:${writer.person}` }
      await conversations.post(writer, session, { parts, from: own, dedupeKey: `sms:${message.id}` })
    } catch (error) {
      const notice = refusalOf(error)
      if (notice === undefined) throw error
      await this.#say(incoming, notice)
    }
  }

  async #partsOf({ message, signal }: Incoming, session: string): Promise<Part[]> {
    const { channel, twilio, tenant } = this.#options
    const parts: Part[] = message.text.trim() === '' ? [] : [{ text: message.text, metadata: { partType: 'message' } }]
    if (channel.artifacts === undefined) {
      if (message.media.length > 0 && parts.length === 0)
        throw new BeachError('UNSUPPORTED_MEDIA_TYPE', notices.noFiles)
      return parts
    }
    const most = channel.mostMediaBytes ?? phoneLimits.mostMediaBytes
    for (const [index, { url, mimeType }] of message.media.entries()) {
      const response = await twilio.download(url, signal)
      const name = `media-${index + 1}.${/\/([a-z0-9]{1,8})(?:$|[;+.-])/.exec(mimeType)?.[1] ?? 'bin'}`
      parts.push(await takeFile(channel.artifacts, response, { name, mimeType, tenant, session }, { most, signal }))
    }
    return parts
  }

  async #say({ writer: { person }, message, signal }: Incoming, text: string): Promise<void> {
    const outcome = await this.#options.sender.notice(
      { person, address: message.from },
      text,
      `notice:${message.id}`,
      signal,
    )
    this.#check(outcome)
  }

  async #askAgain({ writer: { person }, message, signal }: Incoming, ask: Ask, why: string): Promise<void> {
    const to = { person, address: message.from }
    if (!(await isPending(this.#options.sessions, ask))) {
      return this.#check(await this.#options.sender.notice(to, decisionNotices.already, `notice:${message.id}`, signal))
    }
    this.#check(await this.#options.sender.askAgain(to, ask, why, `again:${message.id}`, signal))
  }

  #check({ status, reason }: { status: string; reason?: string }): void {
    if (status === 'failed') throw new BeachError('UNREACHABLE', reason ?? 'Twilio was not reached.')
    if (status !== 'sent') this.#options.runtime.logger.log('warn', 'a notice was refused', { reason })
  }
}

/** Somebody with a phone, to be joined to a session. */
export function smsOriginator({
  phone,
  principal,
}: {
  readonly phone: string
  readonly principal: Principal
}): Originator {
  if (!/^(?:\+\d{5,20}|\d{3,8}|[\w .-]{1,20})$/.test(phone)) {
    throw new BeachError('BAD_REQUEST', 'Give a phone number with its country code, such as +491700000000.')
  }
  return { id: `sms:${phone}`, transport: 'sms', deliveryClass: 'buffered', principal, address: phone }
}

/** What the sender is told of an error that trying again does not cure. */
function refusalOf(error: unknown): string | undefined {
  if (!isBeachError(error) || error.retryable) return undefined
  if (error.code === 'TOO_LARGE' || error.code === 'COMMIT_TOO_LARGE') return notices.tooLarge
  if (error.code === 'EXPIRED') return notices.fileGone
  if (error.message === notices.noFiles) return notices.noFiles
  return error.code === 'STORE_CLOSED' || error.code === 'LEASE_LOST' ? undefined : notices.fileRefused
}
