import type { Frame } from '@cool-ai/beach-core'
import type { FrameSink, Watch } from '@cool-ai/beach-core/ports'
import { FlatIterator } from './flat-iterator.ts'

/** Frames one by one, for a consumer that fetches them at its own pace, until the signal aborts. */
export function followed(open: (sink: FrameSink) => Promise<Watch>, signal: AbortSignal): AsyncIterable<Frame> {
  const inbox = new Inbox()
  const stop = () => inbox.end()
  let watch: Watch | undefined
  const next = async () => {
    watch ??= await open(inbox)
    watch.resume()
    return inbox.take() ?? inbox.next()
  }
  signal.addEventListener('abort', stop, { once: true })
  return new FlatIterator(next, signal, () => {
    signal.removeEventListener('abort', stop)
    watch?.stop()
  })
}

/** Takes one list at a time. */
class Inbox implements FrameSink {
  #frames: readonly Frame[] | undefined
  #end: { readonly error?: unknown } | undefined
  #notify = () => {}

  frames(frames: readonly Frame[]): boolean {
    this.#frames = frames
    this.#notify()
    return false
  }

  end(error?: unknown): void {
    this.#end ??= { error }
    this.#notify()
  }

  take(): readonly Frame[] | undefined {
    const frames = this.#frames
    this.#frames = undefined
    return frames
  }

  /** Waits for the next ones; undefined at the end. */
  async next(): Promise<readonly Frame[] | undefined> {
    if (this.#end === undefined) await new Promise<void>((resolve) => (this.#notify = resolve))
    const frames = this.take()
    if (frames === undefined && this.#end?.error !== undefined) throw this.#end.error
    return frames
  }
}
