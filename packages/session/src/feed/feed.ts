import type { Frame, Store } from '@cool-ai/beach-core'
import { toLogged, type LoggedEvent } from '@cool-ai/beach-core/log'
import { frameBatch } from '@cool-ai/beach-core/ports'
import { parsePartId } from '@cool-ai/beach-core/runtime'
import { framesOf } from './frames.ts'
import type { DeltaFrame, LiveFrame } from './live.ts'
import type { ListenerState } from './listener-state.ts'
import type { Viewer } from './viewer.ts'

/** Where a viewer joined: everything up to `position` is in the log, `open` is the text that is streaming right now. */
export interface Joined {
  readonly position: number
  readonly open: readonly Frame[]
}

/** What a feed needs to know to start: the log's head and the open turn. */
export interface FeedStart {
  readonly head: number
  readonly epoch: number
  readonly turnId?: string | undefined
  /** Steps of the open turn that are already committed. */
  readonly steps: number
  /** Where the session's state stands. */
  readonly listenerState: ListenerState
}

/** Text of the open step: its last piece, and all of it so far. */
interface OpenText {
  last: DeltaFrame
  text: string
}

/**
 * One session's frames for all viewers of this process: one tail of the log. Frames that arrive together go out
 * together, in one batch for all viewers, so that they can be encoded once. It keeps the text of the open step, so that
 * a viewer that joins in mid-text gets it from here, and asks the host only for what it missed itself.
 */
export class Feed {
  readonly #store: Store
  readonly #session: string
  readonly #viewers = new Set<Viewer>()
  readonly #open = new Map<string, OpenText>()
  readonly #end = new AbortController()
  readonly #listener: ListenerState
  #undelivered: Frame[] = []
  #waiting: { readonly seq: number; readonly resolve: () => void }[] = []
  #position: number
  #epoch: number
  #turnId: string | undefined
  #steps: number
  #gaps = 0
  /** Text has come before the event that begins its run: from another process it may be faster than the log. */
  #wasEarly = false
  /** Nothing has come yet: what another process said before it knew of this feed was not sent here. */
  #isNew = true

  constructor(store: Store, session: string, start: FeedStart) {
    this.#store = store
    this.#session = session
    this.#position = start.head
    this.#epoch = start.epoch
    this.#turnId = start.turnId
    this.#steps = start.steps
    this.#listener = start.listenerState
  }

  /** Follows until the last viewer has left; resolves then, or rejects when the store fails. */
  async run(): Promise<void> {
    try {
      const tail = this.#store.tail(this.#session, this.#position, this.#end.signal)
      if (this.#turnId !== undefined) this.#catchUp()
      for await (const items of tail) {
        for (const item of items) {
          if ('live' in item) this.#live(item.live as LiveFrame)
          else this.#logged(toLogged(item))
        }
        this.#isNew = false
      }
    } finally {
      this.#tell()
      this.#end.abort('ended')
      // Viewers see the end of their stream, connect again and resume.
      for (const viewer of this.#viewers) viewer.end()
      for (const { resolve } of this.#waiting.splice(0)) resolve()
    }
  }

  /** Resolves once everything up to a seq, which must be in the log, has come; or when the feed has ended. */
  async reached(seq: number): Promise<void> {
    if (this.#position >= seq || this.ended) return
    await new Promise<void>((resolve) => this.#waiting.push({ seq, resolve }))
  }

  get ended(): boolean {
    return this.#end.signal.aborted
  }

  join(viewer: Viewer): Joined {
    // Earlier frames are read from the log.
    this.#tell()
    this.#viewers.add(viewer)
    return { position: this.#position, open: [...this.#open.values()].map(wholeText) }
  }

  /** True when that was the last one: the feed has ended. */
  leave(viewer: Viewer): boolean {
    this.#viewers.delete(viewer)
    viewer.end()
    if (this.#viewers.size > 0) return false
    // A reason of our own avoids creating an error with its stack.
    this.#end.abort('ended')
    return true
  }

  #wake(): void {
    const [reached, waiting] = [this.#waiting.filter(({ seq }) => seq <= this.#position), this.#waiting]
    this.#waiting = waiting.filter(({ seq }) => seq > this.#position)
    for (const { resolve } of reached) resolve()
  }

  #push(frame: Frame): void {
    // All that is ready now arrives before the next tick, and goes out in one batch then.
    if (this.#undelivered.length === 0) process.nextTick(this.#tell)
    this.#undelivered.push(frame)
  }

  readonly #tell = (): void => {
    if (this.#undelivered.length === 0) return
    const batch = frameBatch(this.#undelivered)
    this.#undelivered = []
    for (const viewer of this.#viewers) viewer.push(batch)
  }

  /** Text is missing: the feed asks for it, and again from time to time, since requests and answers may be lost. */
  #gap(): void {
    if (this.#gaps++ % 50 === 0) this.#ask()
  }

  #catchUp(): void {
    this.#ask()
    this.#wasEarly = false
    this.#isNew = false
  }

  #ask(): void {
    this.#store.publish(this.#session, { kind: 'ask' } satisfies LiveFrame)
  }

  #logged(logged: LoggedEvent): void {
    this.#position = logged.seq
    if (this.#waiting.length > 0) this.#wake()
    const { event } = logged
    if (event.epoch !== undefined && event.epoch > this.#epoch) this.#epoch = event.epoch
    switch (event.type) {
      case 'turnStarted':
        this.#turnId = event.turnId
        this.#steps = 0
        if (this.#wasEarly || this.#isNew) this.#catchUp()
        break
      case 'turnResumed':
        this.#open.clear()
        if (this.#wasEarly || this.#isNew) this.#catchUp()
        break
      case 'stepCommitted': {
        this.#steps = event.step + 1
        // The step replaces the streamed text; text that did not become a part is retracted. That of the next step stays.
        const over = [...this.#open.keys()].filter((id) => (parsePartId(id)?.step ?? 0) <= event.step)
        for (const id of over) this.#open.delete(id)
        const partIds = over.filter((id) => !event.partIds.includes(id))
        if (partIds.length > 0) this.#push({ kind: 'retract', turnId: event.turnId, epoch: this.#epoch, partIds })
        break
      }
      case 'turnSettled':
        this.#turnId = undefined
        this.#open.clear()
        break
      default:
        break
    }
    for (const frame of framesOf(logged)) {
      const shown = frame.kind === 'state' ? this.#listener.whole(frame) : frame
      if (shown !== undefined) this.#push(shown)
    }
  }

  #live(frame: LiveFrame): void {
    if (frame.kind === 'ask' || frame.epoch < this.#epoch) return
    if (frame.turnId !== this.#turnId || frame.epoch > this.#epoch) {
      this.#wasEarly = true
      return
    }
    if (frame.kind === 'retract') {
      for (const id of frame.partIds) this.#open.delete(id)
      return this.#push({ kind: 'retract', turnId: frame.turnId, epoch: frame.epoch, partIds: frame.partIds })
    }
    const open = this.#open.get(frame.partId)
    // The open text belongs to an uncommitted step: a commit clears it.
    if (open === undefined && (parsePartId(frame.partId)?.step ?? 0) < this.#steps) return
    const before = open?.text ?? ''
    if (frame.offset > before.length) return this.#gap()
    this.#gaps = 0
    // Text that continues is only joined: comparing it would copy all of it for every delta.
    const continues = frame.offset === before.length
    const text = continues ? before + frame.text : before.slice(0, frame.offset) + frame.text
    if (open === undefined) this.#open.set(frame.partId, { last: frame, text })
    else {
      open.last = frame
      open.text = text
    }
    if (continues || !text.startsWith(before)) this.#push(frame)
    else if (text.length > before.length) {
      this.#push({ ...frame, offset: before.length, text: text.slice(before.length) })
    }
  }
}

function wholeText({ last, text }: OpenText): Frame {
  return { ...last, offset: 0, text }
}
