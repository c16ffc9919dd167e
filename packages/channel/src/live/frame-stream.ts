import { BeachError, isBeachError, type Frame } from '@cool-ai/beach-core'
import type { FrameSink, Watch } from '@cool-ai/beach-core/ports'
import type { HeartbeatTarget, Heartbeats } from './heartbeats.ts'

/** Some frames of a list as bytes, and the place of the first one that is not among them. */
export interface Piece {
  readonly bytes: Uint8Array
  readonly next: number
}

/** How a stream is written. */
export interface StreamForm {
  /** What opens it. */
  readonly opening: Uint8Array
  /** What keeps it alive. */
  readonly heartbeat: Uint8Array
  /** Frames of a list from a place on, not too many at once. */
  readonly encode: (frames: readonly Frame[], from: number) => Piece
}

/** Where the bytes of a stream go. */
export interface Outlet {
  /** False when there is no room for more, until the stream is told that there is again. */
  write(bytes: Uint8Array): boolean
  /** No more comes. */
  close(): void
  /** No more comes, and what was written need not arrive. */
  drop(reason: BeachError): void
}

export interface FrameStreamOptions {
  readonly form: StreamForm
  readonly heartbeats: Heartbeats
  /** Adds to frames what only this listener may have; the same list when there is nothing to add. */
  readonly prepare?: ((frames: readonly Frame[]) => readonly Frame[] | Promise<readonly Frame[]>) | undefined
  /** Called once, when the stream is over, however it ended. */
  readonly onEnd: () => void
}

/**
 * A session's frames on their way to one reader. A reader that stalls leaves its frames in the session's bounded queue,
 * and when that is full, or nothing was taken for two heartbeats, the stream ends: it may come back with its cursor.
 */
export class FrameStream implements FrameSink, HeartbeatTarget {
  readonly #options: FrameStreamOptions
  #watch: Watch | undefined
  #outlet: Outlet | undefined
  #stopBeating = () => {}
  #isFull = false
  #isPreparing = false
  #rest: { readonly frames: readonly Frame[]; readonly from: number } | undefined
  #silentBeats = 0
  #state: 'open' | 'closing' | 'ended' = 'open'

  constructor(options: FrameStreamOptions) {
    this.#options = options
  }

  /** Begins to send. */
  open(outlet: Outlet, watch: Watch): void {
    this.#outlet = outlet
    this.#watch = watch
    // Its reader has gone, or it ended, before it could begin.
    if (this.#state === 'ended') return watch.stop()
    if (this.#state === 'closing') return outlet.close()
    this.#stopBeating = this.#options.heartbeats.add(this)
    if (this.#write(this.#options.form.opening)) watch.resume()
  }

  frames(frames: readonly Frame[]): boolean {
    const prepared = this.#options.prepare?.(frames) ?? frames
    if (!(prepared instanceof Promise)) return this.#send(prepared, 0)
    this.#isPreparing = true
    prepared.then(
      (ready) => {
        this.#isPreparing = false
        if (this.#state === 'open' && this.#send(ready, 0)) this.#watch?.resume()
      },
      (error: unknown) => this.end(error),
    )
    return false
  }

  /** The outlet has room again. */
  drained(): void {
    this.#isFull = false
    this.#silentBeats = 0
    const rest = this.#rest
    this.#rest = undefined
    if (this.#state !== 'open' || this.#isPreparing) return
    if (rest === undefined || this.#send(rest.frames, rest.from)) this.#watch?.resume()
  }

  /** The session has no more for this stream. One that did not keep up is not waited for. */
  end(error?: unknown): void {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    this.#watch?.stop()
    if (error === undefined) this.#outlet?.close()
    else
      this.#outlet?.drop(
        isBeachError(error) ? error : new BeachError('INTERNAL', 'The stream broke.', { cause: error }),
      )
  }

  /** The outlet is no more. */
  gone(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#rest = undefined
    this.#watch?.stop()
    this.#stopBeating()
    this.#options.onEnd()
  }

  beat(): void {
    if (this.#state === 'open' && !this.#isFull) {
      this.#silentBeats = 0
      this.#write(this.#options.form.heartbeat)
    } else if (++this.#silentBeats >= 2) {
      // Nothing was taken for two heartbeats, not even the end: the client can reconnect.
      this.#state = 'closing'
      this.#outlet?.drop(new BeachError('SLOW_READER', 'This reader did not keep up.'))
    }
  }

  /** Sends as much of a list as there is room for; true when there is room for more. */
  #send(frames: readonly Frame[], from: number): boolean {
    for (let place = from; place < frames.length;) {
      const { bytes, next } = this.#options.form.encode(frames, place)
      place = next
      if (this.#write(bytes)) continue
      if (place < frames.length) this.#rest = { frames, from: place }
      return false
    }
    return true
  }

  #write(bytes: Uint8Array): boolean {
    const hasRoom = this.#outlet?.write(bytes) ?? false
    if (!hasRoom) this.#isFull = true
    return hasRoom
  }
}
