import {
  type Block,
  type Delivered,
  type FileReader,
  type GatheredAsk,
  isBegun,
  oneLine,
  type PersonState,
  sentAs,
  shortened,
  type Transmitted,
} from '@cool-ai/beach-channel/people'
import { sleep, type SendOutcome } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import type { ArtifactReference } from '@cool-ai/beach-protocol'
import type { PhoneContext } from '../people/phone-channel.ts'
import { noMarks, phoneText } from '../people/phone-markdown.ts'
import { PhoneSender, type Push, type Saying } from '../people/phone-sender.ts'
import { questionOf, templateContent, textContents, type AskBlock, type Content } from './contents.ts'
import type { GraphApi } from './graph-api.ts'
import { blobOf } from './media.ts'
import { whatsAppLimits, windowMs, type WhatsAppChannelOptions, type WhatsAppTemplate } from './options.ts'
import { decisionPayload } from './payload.ts'
import { askOfBlock, fileContent, linkedFile, sayingsOf } from './sayings.ts'

/** The content of a message: ready, or made when it is its turn. */
type LazyContent = Content | ((signal: AbortSignal) => Promise<Content | Stop>)
type WhatsAppText = Saying<LazyContent>
type Stop = { readonly stop: Exclude<Transmitted, { status: 'sent' }> }

const statusWithinMs = 10_000
const askAgainMs = 100

const closedReason =
  'The 24-hour window of WhatsApp is closed for this person, and there is no template for what was to be sent. ' +
  'Configure `templates`, or wait until they write, and redeliver.'

/** Sends envelopes and notices to people's WhatsApp. */
export class WhatsAppSender extends PhoneSender<LazyContent> {
  readonly #templates: NonNullable<WhatsAppChannelOptions['templates']>
  readonly #graph: GraphApi

  constructor(templates: WhatsAppChannelOptions['templates'], phone: PhoneContext, graph: GraphApi) {
    super(phone)
    this.#templates = templates ?? {}
    this.#graph = graph
  }

  async notice(push: Push, text: string, replyTo?: string): Promise<Delivered> {
    const context = replyTo === undefined ? {} : { context: { message_id: replyTo } }
    const sayings = textContents(text).map((content) => ({ content: { ...content, ...context } }))
    return this.deliver(push, 'n', sayings)
  }

  protected gathered(push: Push, text: string, { to, meta }: GatheredAsk): Promise<SendOutcome> {
    const session = meta.sessionId
    return this.say({ ...push, session }, [{ kind: 'text', text }], { to, session })
  }

  protected async say(push: Push, blocks: readonly Block[], reader: FileReader): Promise<SendOutcome> {
    if (blocks.length === 0) return { status: 'sent' }
    const state = await this.phone.people.load(push.person)
    // A push that was sent as a template is not sent again as text, though the person has written meanwhile.
    if (this.#isOpen(state) && !isBegun(state, push.key, 't')) {
      const texts = blocks.flatMap((block) => this.#sayings(block, reader))
      const outcome = await this.deliver(push, 'm', texts)
      if (outcome.status !== 'closed') return outcome
    }
    const sayings = await this.#templateSayings(blocks, reader)
    if (sayings === undefined) return { status: 'refused', reason: closedReason }
    const outcome = await this.deliver(push, 't', sayings)
    return outcome.status === 'closed' ? { status: 'refused', reason: outcome.reason } : outcome
  }

  protected async transmit({ person, known, signal }: Push, content: LazyContent, mark: string): Promise<Transmitted> {
    const made = typeof content === 'function' ? await content(signal) : content
    if (isStop(made)) return made.stop
    const full = await this.phone.gate.pass(person, mark)
    if (full !== undefined) return full
    const { phone, userId } = known
    const to = phone === undefined ? { recipient: userId } : { to: phone }
    const head = { recipient_type: 'individual', ...to, biz_opaque_callback_data: mark }
    return this.#graph.send({ ...head, ...made }, signal)
  }

  /** The Cloud API reports each sent message, with our mark: for a while that is waited for. */
  protected async sentBefore({ person, signal }: Push, _content: LazyContent, mark: string) {
    const { people, runtime } = this.phone
    const begun = elapsed(runtime.clock)
    for (;;) {
      const messageId = sentAs(await people.load(person), mark)
      const isOver = elapsed(runtime.clock) - begun >= statusWithinMs
      if (messageId !== undefined || isOver || signal.aborted) return messageId
      await sleep(runtime.clock, askAgainMs, signal)
    }
  }

  #isOpen({ lastCameAt }: PersonState): boolean {
    return lastCameAt !== undefined && Math.abs(this.phone.runtime.clock.now() - lastCameAt) < windowMs
  }

  #sayings(block: Block, reader: FileReader): WhatsAppText[] {
    return sayingsOf(block).map((saying): WhatsAppText => {
      if ('file' in saying) return { content: (signal) => this.#file(saying.file, reader, signal) }
      return { content: saying.content, ask: saying.ask && askOfBlock(saying.ask, reader) }
    })
  }

  #file(file: ArtifactReference, reader: FileReader, signal: AbortSignal): Promise<Content | Stop> {
    return fileContent<Stop>(file, reader, this.phone, async (stored) => {
      const id = await this.#graph.upload(await blobOf(stored), stored.artifact.name, signal)
      if (typeof id === 'string') return { id }
      return id.status === 'failed' ? { stop: id } : 'refused'
    })
  }

  /** What can be sent outside the window; undefined when something cannot be. */
  async #templateSayings(blocks: readonly Block[], reader: FileReader): Promise<WhatsAppText[] | undefined> {
    const { notice, approval } = this.#templates
    const words = blocks.filter((block) => block.kind !== 'ask')
    const asks = blocks.filter((block) => block.kind === 'ask')
    const sayings: WhatsAppText[] = []
    if (words.length > 0) {
      if (notice === undefined) return undefined
      const lines = await Promise.all(words.map((block) => this.#words(block, reader)))
      const text = await this.#fitting(lines.join('\n'), reader)
      if (text === undefined) return undefined
      sayings.push({ content: templateContent(notice, text) })
    }
    for (const block of asks) {
      const saying = await this.#askTemplate(block, reader, approval ?? notice)
      if (saying === undefined) return undefined
      sayings.push(saying)
    }
    return sayings
  }

  async #askTemplate(block: AskBlock, reader: FileReader, template: WhatsAppTemplate | undefined) {
    const { approvalId } = block.asked.request
    const isButtons = template !== undefined && template === this.#templates.approval
    const hint = isButtons ? '' : ' · Reply to this message with yes or no.'
    const text = await this.#fitting(questionOf(block) + hint, reader)
    if (template === undefined || text === undefined) return undefined
    const payloads = isButtons ? [decisionPayload('granted', approvalId), decisionPayload('denied', approvalId)] : []
    return { content: templateContent(template, text, payloads), ask: askOfBlock(block, reader) }
  }

  async #words(block: Exclude<Block, AskBlock>, reader: FileReader): Promise<string> {
    if (block.kind === 'file') return linkedFile(block.file, reader, this.phone)
    const options = block.kind === 'choice' ? ` (${block.options.join(' / ')})` : ''
    return phoneText(block.text, noMarks) + options
  }

  /** The text, or its beginning with a link to all of it; undefined when there is no such link. */
  async #fitting(text: string, reader: FileReader): Promise<string | undefined> {
    const max = whatsAppLimits.templateParameter
    const line = oneLine(lineBreaksMarked(text))
    if (line.length <= max) return line
    const link = await this.phone.textLinks.link(text, reader)
    return link === undefined ? undefined : `${shortened(line, max - link.length - 10)} All of it: ${link}`
  }
}

/** A template's text has no line breaks: dots stand for them. Lines that only divide say nothing. */
function lineBreaksMarked(text: string): string {
  return text
    .split('\n')
    .filter((line) => /[^\s-]/.test(line))
    .map((line) => line.trim())
    .join(' · ')
    .replaceAll(': · ', ': ')
}

function isStop(made: Content | Stop): made is Stop {
  return 'stop' in made
}
