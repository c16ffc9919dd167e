import { oneLine, shortened, type AskDigest, type GatheredAsk } from '@cool-ai/beach-channel/people'
import {
  sleep,
  type Envelope,
  type Originator,
  type PartTypeRegistry,
  type Runtime,
  type SendOutcome,
} from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import type { ArtifactReference } from '@cool-ai/beach-protocol'
import { visibleText } from '@cool-ai/beach-protocol/visible-text'
import { blocksOf, type Block } from '../people/blocks.ts'
import type { Correspondents, Known } from '../people/correspondents.ts'
import { deliver, sentAs, type Transmission, type Transmitted } from '../people/deliver.ts'
import { textLink, type FileReader } from '../people/linked-file.ts'
import { askNext, digestText } from '../people/phone-digest.ts'
import type { PersonLog } from '../people/person-log.ts'
import type { SendGate } from '../people/send-gate.ts'
import type { AskPut, PersonState } from '../people/person-state.ts'
import { noMarks, phoneText } from '../people/phone-markdown.ts'
import { questionOf, templateContent, textContents, type AskBlock, type Content } from './contents.ts'
import type { GraphApi } from './graph-api.ts'
import { blobOf } from './media.ts'
import { whatsAppLimits, windowMs, type WhatsAppChannelOptions } from './options.ts'
import { decisionPayload } from './payload.ts'
import { fileContent, namedFile, sayingsOf } from './sayings.ts'

interface SenderOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly people: PersonLog
  readonly correspondents: Correspondents
  readonly graph: GraphApi
  readonly channel: Pick<WhatsAppChannelOptions, 'artifacts' | 'artifactLink' | 'templates'>
  readonly gate: SendGate
  readonly digest: () => AskDigest
}

/** What a message says: there already, or made when it is its turn. */
type WhatsAppText = {
  readonly ask?: AskPut
  readonly content: Content | ((signal: AbortSignal) => Promise<Content | Stop>)
}
type Stop = { readonly stop: Exclude<Transmitted, { status: 'sent' }> }

const statusWithinMs = 10_000
const askAgainMs = 100

const closedReason =
  'The 24-hour window of WhatsApp is closed for this person, and there is no template for what was to be sent. ' +
  'Configure `templates`, or wait until they write, and redeliver.'

/** Sends envelopes and notices to people's WhatsApp. */
export class WhatsAppSender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async send(to: Originator, envelope: Envelope, key: string, signal: AbortSignal): Promise<SendOutcome> {
    const known = knownOf(to)
    if (known === undefined) return { status: 'refused', reason: 'This originator has no WhatsApp address.' }
    const person = await this.#options.correspondents.find(known)
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
    const [first] = asks
    const known = first && knownOf(first.to)
    if (first === undefined || known === undefined) return { status: 'refused', reason: 'There is no address.' }
    const person = await this.#options.correspondents.find(known)
    const text = await digestText(asks, this.#options.digest())
    const part = { text, metadata: { partType: 'response' } }
    return this.#say(person, first.to, { role: 'agent', parts: [part], meta: first.meta }, key, signal)
  }

  async #say(
    person: string,
    to: Originator,
    envelope: Envelope,
    key: string,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { people, partTypes } = this.#options
    const known = knownOf(to) ?? {}
    const blocks = blocksOf(envelope, partTypes)
    if (blocks.length === 0) return { status: 'sent' }
    const reader = { to, session: envelope.meta.sessionId }
    const push: Push = { known, person, key, session: reader.session, signal }
    if (this.#isOpen(await people.load(push.person))) {
      const outcome = await this.#deliver(
        push,
        'm',
        blocks.flatMap((block) => this.#sayings(block, reader)),
      )
      if (outcome.status !== 'closed') return outcome
    }
    const sayings = await this.#templates(blocks, reader)
    if (sayings === undefined) return { status: 'refused', reason: closedReason }
    const outcome = await this.#deliver(push, 't', sayings)
    return outcome.status === 'closed' ? { status: 'refused', reason: outcome.reason } : outcome
  }

  /** Says something that is of no session, such as that a button came too late. */
  async notice(to: { known: Known; person: string }, text: string, key: string, signal: AbortSignal, replyTo?: string) {
    const context = replyTo === undefined ? {} : { context: { message_id: replyTo } }
    const sayings = textContents(text).map((content) => ({ content: { ...content, ...context } }))
    return this.#deliver({ ...to, key, signal }, 'n', sayings)
  }

  #isOpen({ lastCameAt }: PersonState): boolean {
    return lastCameAt !== undefined && Math.abs(this.#options.runtime.clock.now() - lastCameAt) < windowMs
  }

  async #deliver(
    { known, person, key, session, signal }: Push,
    kind: string,
    sayings: readonly WhatsAppText[],
  ): ReturnType<typeof deliver> {
    const { people, runtime, graph, gate } = this.#options
    const refusal = gate.refusal(known.phone && `+${known.phone}`)
    if (refusal !== undefined) return { status: 'refused', reason: refusal }
    const transmissions = sayings.map(({ ask, content }, index): Transmission => {
      const transmit = async (mark: string, triedAt: number | undefined): Promise<Transmitted> => {
        const before = triedAt === undefined ? undefined : await this.#sentBefore(person, mark, signal)
        if (before !== undefined) return { status: 'sent', messageId: before }
        const made = typeof content === 'function' ? await content(signal) : content
        if (isStop(made)) return made.stop
        const full = await gate.pass(person, mark)
        if (full !== undefined) return full
        const { phone, userId } = known
        const to = phone === undefined ? { recipient: userId } : { to: phone }
        const head = { recipient_type: 'individual', ...to, biz_opaque_callback_data: mark }
        return graph.send({ ...head, ...made }, signal)
      }
      return { name: `${kind}${index}`, ...(ask && { ask }), transmit }
    })
    const place = { person, key, clock: runtime.clock, ...(session !== undefined && { session }) }
    return deliver(people, place, transmissions)
  }

  /**
   * What came of an attempt that broke off. The Cloud API has no keys by which it could tell, but it says of each message
   * that it was sent, with our mark: for a while that is waited for.
   */
  async #sentBefore(person: string, mark: string, signal: AbortSignal): Promise<string | undefined> {
    const { people, runtime } = this.#options
    const begun = elapsed(runtime.clock)
    for (;;) {
      const messageId = sentAs(await people.load(person), mark)
      const isOver = elapsed(runtime.clock) - begun >= statusWithinMs
      if (messageId !== undefined || isOver || signal.aborted) return messageId
      await sleep(runtime.clock, askAgainMs, signal)
    }
  }

  #sayings(block: Block, reader: FileReader): WhatsAppText[] {
    return sayingsOf(block).map((scriptedReply): WhatsAppText => {
      if ('file' in scriptedReply) return { content: (signal) => this.#file(scriptedReply.file, reader, signal) }
      const { content, ask } = scriptedReply
      return { content, ...(ask && { ask: askOf(ask, reader) }) }
    })
  }

  #file(file: ArtifactReference, reader: FileReader, signal: AbortSignal): Promise<Content | Stop> {
    const { graph, channel } = this.#options
    return fileContent<Stop>(file, reader, channel, async (stored) => {
      const id = await graph.upload(await blobOf(stored), stored.artifact.name, signal)
      if (typeof id === 'string') return { id }
      return id.status === 'failed' ? { stop: id } : 'refused'
    })
  }

  /** What can be said outside the window; undefined when something cannot be. */
  async #templates(blocks: readonly Block[], reader: FileReader): Promise<WhatsAppText[] | undefined> {
    const { notice, approval } = this.#options.channel.templates ?? {}
    const words = blocks.filter((block) => block.kind !== 'ask')
    const asks = blocks.filter((block) => block.kind === 'ask')
    const sayings: WhatsAppText[] = []
    if (words.length > 0) {
      if (notice === undefined) return undefined
      const lines = await Promise.all(words.map((block) => this.#words(block, reader)))
      const text = await this.#fitting(lines.join(' · '), reader)
      if (text === undefined) return undefined
      sayings.push({ content: templateContent(notice, text) })
    }
    for (const block of asks) {
      const scriptedReply = await this.#askTemplate(block, reader, approval ?? notice)
      if (scriptedReply === undefined) return undefined
      sayings.push(scriptedReply)
    }
    return sayings
  }

  async #askTemplate(
    block: AskBlock,
    reader: FileReader,
    template: NonNullable<WhatsAppChannelOptions['templates']>['notice'],
  ): Promise<WhatsAppText | undefined> {
    const { approvalId } = block.request
    const isButtons = template !== undefined && template === this.#options.channel.templates?.approval
    const hint = isButtons ? '' : ' · Reply to this message with yes or no.'
    const text = await this.#fitting(questionOf(block).split('\n').join(' · ') + hint, reader)
    if (template === undefined || text === undefined) return undefined
    const payloads = isButtons ? [decisionPayload('granted', approvalId), decisionPayload('denied', approvalId)] : []
    return { content: templateContent(template, text, payloads), ask: askOf(block, reader) }
  }

  async #words(block: Exclude<Block, AskBlock>, reader: FileReader): Promise<string> {
    if (block.kind === 'file') return namedFile(block.file, reader, this.#options.channel)
    const options = block.kind === 'choice' ? ` (${block.options.join(' / ')})` : ''
    return phoneText(block.text, noMarks) + options
  }

  /** The text, or its beginning with a link to all of it; undefined when there is no such link. */
  async #fitting(text: string, reader: FileReader): Promise<string | undefined> {
    const max = whatsAppLimits.templateParameter
    const line = oneLine(text)
    if (line.length <= max) return line
    const link = await textLink(this.#options.channel, text, reader)
    return link === undefined ? undefined : `${shortened(line, max - link.length - 10)} All of it: ${link}`
  }
}

interface Push {
  readonly known: Known
  readonly person: string
  readonly key: string
  readonly session?: string
  readonly signal: AbortSignal
}

/** How a person is reached, as their originator says. */
export function knownOf({ address, details }: Originator): Known | undefined {
  const { phone, userId } = details ?? {}
  const known = {
    ...(typeof userId === 'string' && { userId }),
    ...(typeof phone === 'string' && { phone }),
  }
  if (known.userId !== undefined || known.phone !== undefined) return known
  if (address === undefined || address === '') return undefined
  return /^\+?\d{5,20}$/.test(address) ? { phone: address.replace('+', '') } : { userId: address }
}

function askOf({ request }: AskBlock, { to, session }: FileReader): AskPut {
  const { approvalId, toolName, expiresAt } = request
  const until = expiresAt === undefined ? {} : { until: Date.parse(expiresAt) }
  const title = shortened(visibleText(toolName), 100)
  return { approvalId, session, principal: to.principal, title, issue: 0, ...until }
}

function isStop(made: Content | Stop): made is Stop {
  return 'stop' in made
}
