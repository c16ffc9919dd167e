import type { Envelope, Originator, PartTypeRegistry, Runtime, SendOutcome } from '@cool-ai/beach-core'
import { approvalQuestion } from '@cool-ai/beach-protocol'
import { blocksOf, type Block } from '../people/blocks.ts'
import type { Correspondents } from '../people/correspondents.ts'
import { deliver, type Transmission, type Transmitted } from '../people/deliver.ts'
import { fileLink, textLink, type FileReader } from '../people/linked-file.ts'
import type { PersonLog } from '../people/person-log.ts'
import type { Ask, AskPut } from '../people/person-state.ts'
import { noMarks, phoneText } from '../people/phone-markdown.ts'
import { oneLine, shortened, splitText } from '../people/split-text.ts'
import { codeOf } from './codes.ts'
import { smsLimits, type SmsChannelOptions } from './options.ts'
import { fitSegments, plainShapes, segmentsOf } from './segments.ts'
import type { TwilioApi } from './twilio-api.ts'

interface SenderOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly people: PersonLog
  readonly correspondents: Correspondents
  readonly twilio: TwilioApi
  readonly channel: SmsChannelOptions
}

interface Saying {
  readonly text: string
  readonly ask?: AskPut
}

interface Push {
  readonly person: string
  readonly address: string
  readonly key: string
  readonly session?: string
  readonly signal: AbortSignal
}

type AskBlock = Extract<Block, { kind: 'ask' }>

const stoppedReason = 'They have answered STOP and want no messages. They can answer START.'
const elsewhere = 'This cannot be decided by SMS. Please decide it where you asked for it.'

/** Sends envelopes and notices as SMS. */
export class SmsSender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async send(to: Originator, envelope: Envelope, key: string, signal: AbortSignal): Promise<SendOutcome> {
    const { correspondents, people, partTypes } = this.#options
    const { address } = to
    if (address === undefined) return { status: 'refused', reason: 'This originator has no number.' }
    const person = await correspondents.find({ phone: address })
    if ((await people.load(person)).stopped) return { status: 'refused', reason: stoppedReason }
    const reader = { to, session: envelope.meta.sessionId }
    const push = { person, address, key, session: reader.session, signal }
    const blocks = blocksOf(envelope, partTypes)
    const sayings = [...(await this.#words(blocks, reader)), ...(await this.#asks(blocks, reader, person))]
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
    const put = { approvalId, session, principal, title, issue: ask.issue + 1, until: this.#until(undefined) }
    const text = `${why}\n${title}: ${this.#instruction(put, to.person)}`
    return this.#deliver({ ...to, key, signal }, [{ text: plainShapes(text), ask: put }])
  }

  async #deliver({ person, address, key, session, signal }: Push, sayings: readonly Saying[]): Promise<SendOutcome> {
    const { people, runtime, twilio } = this.#options
    const transmissions = sayings.map(({ text, ask }, index): Transmission => {
      const transmit = async (mark: string, triedAt: number | undefined): Promise<Transmitted> => {
        // What came of the last attempt is not known: Twilio has no keys for that, but it can be asked.
        const before =
          triedAt === undefined ? undefined : await this.#sentBefore(person, address, text, triedAt, signal)
        if (before !== undefined) return { status: 'sent', messageId: before }
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

  /** Everything but requests, as one message; a long one is shortened and linked where it can be, and otherwise split. */
  async #words(blocks: readonly Block[], reader: FileReader): Promise<Saying[]> {
    const lines: string[] = []
    const files: string[] = []
    for (const block of blocks) {
      if (block.kind === 'file') files.push(await this.#named(block.file, reader))
      else if (block.kind !== 'ask') lines.push(wordsOf(block))
    }
    const text = plainShapes(lines.join('\n\n'))
    const all = [text, ...files].filter((line) => line !== '').join('\n')
    const most = this.#options.channel.mostSegments ?? smsLimits.mostSegments
    if (segmentsOf(all).segments <= most) return pieces(all)
    const link = await textLink(this.#options.channel, lines.join('\n\n'), reader)
    if (link === undefined) return pieces(all)
    return [{ text: fitSegments(text, `... All of it: ${link}`, most) }, ...pieces(files.join('\n'))]
  }

  async #named(file: Extract<Block, { kind: 'file' }>['file'], reader: FileReader): Promise<string> {
    const name = plainShapes(shortened(oneLine(file.name ?? 'File'), 80))
    const link = await fileLink(this.#options.channel, file.artifactId, reader)
    return link === undefined ? `${name} (cannot be sent here)` : `${name}: ${link}`
  }

  async #asks(blocks: readonly Block[], reader: FileReader, person: string): Promise<Saying[]> {
    const asks = blocks.filter((block) => block.kind === 'ask')
    return (await Promise.all(asks.map((block) => this.#ask(block, reader, person)))).flat()
  }

  /** A request with its code, in as many messages as it takes: nobody decides on less than all of it. */
  async #ask(block: AskBlock, reader: FileReader, person: string): Promise<Saying[]> {
    const { request, notice, isAdmin } = block
    const question = plainShapes(approvalQuestion(request, notice))
    const isAllowed = !isAdmin && this.#options.channel.mayDecide?.(request) !== false
    const isShown = pieces(question).length <= smsLimits.questionMessages
    const link = isAllowed && !isShown ? await textLink(this.#options.channel, question, reader) : undefined
    const shown = isShown ? question : `${shortened(question, 600)}${link === undefined ? '' : `\nAll of it: ${link}`}`
    if (!isAllowed || (!isShown && link === undefined)) return pieces(`${shown}\n${elsewhere}`)
    const put = askOf(block, reader, this.#until(request.expiresAt))
    return pieces(`${shown}\n${this.#instruction(put, person)}`).map((piece) => ({ ...piece, ask: put }))
  }

  #instruction(put: AskPut, person: string): string {
    const code = codeOf(this.#options.channel.secret, { ...put, person })
    const minutes = Math.max(1, Math.round(((put.until ?? 0) - this.#options.runtime.clock.now()) / 60_000))
    return `Reply YES ${code} or NO ${code} within ${minutes} minutes.`
  }

  #until(expiresAt: string | undefined): number {
    const { channel, runtime } = this.#options
    const until = runtime.clock.now() + (channel.codeValidMs ?? smsLimits.codeValidMs)
    return expiresAt === undefined ? until : Math.min(until, Date.parse(expiresAt))
  }
}

function askOf({ request }: AskBlock, { to, session }: FileReader, until: number): AskPut {
  const { approvalId, toolName } = request
  return { approvalId, session, principal: to.principal, title: shortened(oneLine(toolName), 100), issue: 0, until }
}

function wordsOf(block: Exclude<Block, { kind: 'ask' | 'file' }>): string {
  const options = block.kind === 'choice' ? block.options.map((option) => `\n- ${oneLine(option)}`).join('') : ''
  return phoneText(block.text, noMarks) + options
}

function pieces(text: string): { readonly text: string }[] {
  return splitText(text, smsLimits.body - 100).map((piece) => ({ text: piece }))
}
