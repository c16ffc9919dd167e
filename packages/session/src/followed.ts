import type { Frame, FrameSink, Watch } from '@cool-ai/beach-core'

/** Frames one by one, for somebody who fetches them at a pace of their own, until the signal aborts. */
export async function* followed(open: (sink: FrameSink) => Promise<Watch>, signal: AbortSignal): AsyncGenerator<Frame> {
  const inbox = new Inbox()
  const watch = await open(inbox)
  const stop = () => inbox.end()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for (;;) {
      watch.resume()
      const frames = inbox.take() ?? (await inbox.next())
      if (frames === undefined) return
      for (const frame of frames) {
        if (signal.aborted) return
        yield frame
      }
    }
  } finally {
    signal.removeEventListener('abort', stop)
    watch.stop()
  }
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
