import {
  createLogger,
  PartTypeRegistry,
  simulatedRuntime,
  TurnStateRegistry,
  type Frame,
  type Originator,
} from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { llmActor, type LlmActorConfig, type Model } from '@cool-ai/beach-llm'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { WatchedClock } from './watched-clock.ts'

const alice = { kind: 'user', id: 'alice', tenant: 't' } as const
const viewer: Originator = { id: 'v', transport: 'sse', deliveryClass: 'streaming', principal: alice }

/** A conversation with an actor that this model plays, on simulated time, with every log line kept. */
export class Conversation {
  readonly clock = new WatchedClock()
  readonly logLines: string[] = []
  readonly partTypes = PartTypeRegistry.canonical()
  readonly turnStates = TurnStateRegistry.canonical()
  readonly #store: MemoryStore
  readonly #sessions: SessionTurnManager
  #session: string | undefined

  constructor(model: Model, config: Partial<LlmActorConfig> = {}) {
    const logger = createLogger({ level: 'debug', clock: this.clock, write: (line) => this.logLines.push(line) })
    const runtime = simulatedRuntime({ clock: this.clock, logger })
    const context = { runtime, partTypes: this.partTypes, turnStates: this.turnStates }
    const sally = llmActor({ name: 'sally', prompt: 'You are Sally.', model, ...context, ...config })
    this.#store = new MemoryStore({ runtime })
    this.#sessions = new SessionTurnManager({ store: this.#store, ...context, actors: { sally }, entry: 'sally' })
    this.#sessions.start()
  }

  /** Says something and listens to the turn that answers. */
  async say(text = 'Flights to Corfu, please.'): Promise<Turn> {
    this.#session ??= await this.#sessions.open({ principal: alice })
    const session = this.#session
    const message = { parts: [{ text, metadata: { partType: 'message' } }], from: viewer }
    const { seq } = await this.#sessions.post(session, message, alice)
    return new Turn(this.#sessions.follow(session, viewer, String(seq), new AbortController().signal))
  }

  async cancel(): Promise<void> {
    await this.#sessions.cancel(this.#session ?? '', undefined, alice)
  }

  async events(): Promise<SessionEvent[]> {
    return (await this.#store.read(this.#session ?? '', 0)).map((event) => event.data as SessionEvent)
  }

  /** What was noted for the log, of one kind. */
  async notes(kind: string): Promise<unknown[]> {
    const events = await this.events()
    return events.flatMap((event) => (event.type === 'actorNoted' && event.kind === kind ? [event.payload?.value] : []))
  }
}

/** One turn as a listener follows it. */
export class Turn {
  readonly frames: Frame[] = []
  #watchers: (() => void)[] = []
  #failure: unknown

  constructor(frames: AsyncIterable<Frame>) {
    void this.#read(frames)
  }

  /** The first frame that is so, once it has come. */
  async until(isIt: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(isIt)
      if (found !== undefined) return found
      if (this.#failure !== undefined) throw this.#failure
      await new Promise<void>((resolve) => this.#watchers.push(resolve))
    }
  }

  /** Resolves when this much text of the open step is shown. */
  async shows(text: string): Promise<void> {
    await this.until(() => this.texts().some((shown) => shown.includes(text)))
  }

  async settled(): Promise<Extract<Frame, { kind: 'settled' }>> {
    return (await this.until(({ kind }) => kind === 'settled')) as Extract<Frame, { kind: 'settled' }>
  }

  /** What a viewer has before its eyes now. */
  texts(): string[] {
    const stream = new EnvelopeStream()
    for (const frame of this.frames) stream.apply(frame)
    return stream.parts.map((part) => `${part.partType}: ${part.text}`)
  }

  async #read(frames: AsyncIterable<Frame>): Promise<void> {
    try {
      for await (const frame of frames) {
        this.frames.push(frame)
        this.#notify()
        if (frame.kind === 'settled') return
      }
      this.#failure = new Error('The stream ended before the turn did.')
    } catch (error) {
      this.#failure = error
    }
    this.#notify()
  }

  #notify(): void {
    const watchers = this.#watchers
    this.#watchers = []
    for (const watcher of watchers) watcher()
  }
}
