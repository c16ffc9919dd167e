import { sleep, type Frame, type Runtime } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { StreamingMarkdownRenderer, type AdapterPostableMessage } from 'chat'
import type { OpenPlace } from './chat-sender.ts'
import type { DraftPlace, Drafts } from './drafts.ts'
import { textPostables } from './postables.ts'

interface LiveAnswerOptions {
  readonly place: OpenPlace
  readonly runtime: Runtime
  readonly drafts: Drafts
  /** The shortest time between two edits. */
  readonly everyMs: number
  readonly writer: string
  readonly signal: AbortSignal
}

const statusTypes: ReadonlySet<string> = new Set(['ack', 'thinking'])
const maxStatusLength = 50
const never = new AbortController().signal

/** One answer while it is written: what is known of it, and the message that shows it. */
export class LiveAnswer {
  readonly #options: LiveAnswerOptions
  readonly #end = new AbortController()
  /** What the turn says, by the ids of its parts. */
  readonly #texts = new Map<string, string>()
  #turnId: string | undefined
  #messageId: string | undefined
  #isGrowing = false
  #isStale = false
  #writing: Promise<void> | undefined
  #notBefore = 0

  constructor(options: LiveAnswerOptions) {
    this.#options = options
    options.signal.addEventListener('abort', this.#abort, { once: true })
  }

  /** True once a message shows some of it. */
  get isShown(): boolean {
    return this.#messageId !== undefined
  }

  isFor({ place, turnId }: DraftPlace): boolean {
    return this.#options.place.key === place && this.#turnId === turnId
  }

  apply(frame: Frame): void {
    if (!('turnId' in frame) || frame.turnId === undefined) return
    if (this.#turnId === undefined) this.#status()
    this.#turnId = frame.turnId
    if (frame.kind === 'delta' && frame.partType === 'response' && frame.origin === undefined) {
      const before = this.#texts.get(frame.partId) ?? ''
      this.#texts.set(frame.partId, before.slice(0, frame.offset) + frame.text)
      this.#isGrowing = true
    } else if (frame.kind === 'part') this.#said(frame)
    else if (frame.kind === 'retract') this.#retracted(frame.partIds)
    else return
    if (this.#isGrowing) this.#show()
  }

  /** Ends it; resolves when nothing is being written any more. */
  async stop(): Promise<void> {
    this.#options.signal.removeEventListener('abort', this.#abort)
    this.#end.abort()
    await this.#writing
    const at = this.#at()
    if (at !== undefined && this.#isGrowing) await this.#options.drafts.release(at, this.#options.writer)
  }

  readonly #abort = (): void => this.#end.abort()

  #said({ partId, part }: Extract<Frame, { kind: 'part' }>): void {
    const { partType, origin } = part.metadata
    if (origin !== undefined || part.text === undefined) return
    if (partType === 'response') this.#texts.set(partId, part.text)
    else if (statusTypes.has(partType)) this.#status(part.text)
  }

  #retracted(partIds: readonly string[] | undefined): void {
    for (const partId of partIds ?? [...this.#texts.keys()]) this.#texts.delete(partId)
  }

  /** What the agent does just now, in the platform’s way; nothing depends on it. */
  #status(text?: string): void {
    const { workspace, thread, platform } = this.#options.place
    if (platform.isAskedToWait || this.#isGrowing || this.#end.signal.aborted) return
    const short = text === undefined || text.length <= maxStatusLength ? text : `${text.slice(0, maxStatusLength - 1)}…`
    void platform.call(workspace, (adapter) => adapter.startTyping(thread, short), this.#end.signal).catch(() => {})
  }

  #show(): void {
    this.#isStale = true
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  async #write(): Promise<void> {
    const { clock, logger } = this.#options.runtime
    const { signal } = this.#end
    try {
      while (this.#isStale && !signal.aborted) {
        await sleep(clock, Math.max(0, this.#notBefore - elapsed(clock)), signal)
        if (signal.aborted) return
        this.#isStale = false
        await this.#put()
        this.#notBefore = elapsed(clock) + this.#options.everyMs
      }
    } catch (error) {
      logger.log('warn', 'an answer is not shown while it is written', { error })
      this.#end.abort()
    }
  }

  /** Brings the message up to what is known. Where the platform wants a pause, the next edit has it all. */
  async #put(): Promise<void> {
    const { drafts, writer } = this.#options
    const { place, signal } = this.#options
    const at = this.#at()
    const message = this.#message()
    if (at === undefined || message === undefined || place.platform.isAskedToWait) return
    if (!(await drafts.hold(at, writer))) return this.#end.abort()
    const messageId = this.#messageId
    if (messageId === undefined) return this.#post(at, message)
    await place.platform.edit({ ...place, messageId }, message, signal)
  }

  async #post(at: DraftPlace, message: AdapterPostableMessage): Promise<void> {
    const { drafts, place, signal } = this.#options
    // Nothing stops it on its way: the message’s id must get into the store.
    const posted = await place.platform.post(place, message, never)
    if ('failure' in posted) {
      if (posted.failure.isUncertain === true) this.#end.abort()
      return
    }
    const id = (this.#messageId = posted.done)
    if (await drafts.put(at, id)) return
    this.#end.abort()
    await place.platform.call(place.workspace, (adapter) => adapter.deleteMessage(place.thread, id), signal)
  }

  /** The first message of the text; the rest of a long one comes when it is finished. */
  #message(): AdapterPostableMessage | undefined {
    const text = [...this.#texts.values()].filter((said) => said !== '').join('\n\n')
    const markdown = new StreamingMarkdownRenderer()
    markdown.push(text)
    return textPostables(this.#options.place.platform.adapter.name, markdown.render())[0]
  }

  #at(): DraftPlace | undefined {
    return this.#turnId === undefined ? undefined : { place: this.#options.place.key, turnId: this.#turnId }
  }
}
