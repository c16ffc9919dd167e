import { BeachError, isBeachError, type Clock } from '@cool-ai/beach-core'
import type { Watch } from '@cool-ai/beach-core/ports'

/** Some of a batch as bytes, and the index of the first item that is not among them; no index at the batch's end. */
export interface Piece {
  readonly bytes: Uint8Array
  readonly next?: number | undefined
}

/** How a stream is written. */
export interface StreamForm<Batch> {
  /** The bytes that open it. */
  readonly opening?: Uint8Array | undefined
  /** The bytes of a heartbeat. */
  readonly heartbeat: Uint8Array
  /** Encodes a batch from an index on, not too much of it at once. */
  readonly encode: (batch: Batch, from: number) => Piece
}

/** Where the bytes of a stream go. */
export interface Outlet {
  /** False when there is no room for more, until the stream is told that there is again. */
  write(bytes: Uint8Array): boolean
  /** Ends the stream. */
  close(): void
  /** Ends the stream; what was written need not arrive. */
  drop(reason: BeachError): void
}

/** What an outlet tells its stream. */
export interface OutletEvents {
  /** The outlet has room again. */
  drained(): void
  /** The outlet is no more; `isLost` when nothing of its reader arrives any more, so that it did not close it itself. */
  gone(isLost?: boolean): void
}

/** How a stream is written, and when its reader counts as too slow. */
export interface StreamWriterOptions<Batch> {
  readonly form: StreamForm<Batch>
  readonly heartbeats: Heartbeats
  /** Adds to a batch what only this reader may have; the same batch when there is nothing to add. */
  readonly prepare?: ((batch: Batch) => Batch | Promise<Batch>) | undefined
  /** Called once, when the stream is over, however it ended; `isLeft` when its reader has closed it before its end. */
  readonly onEnd: (isLeft: boolean) => void
}

/**
 * A source's frames on their way to one reader. A reader that stalls leaves the rest with the source; when the source
 * gives up, or the reader took nothing for two heartbeats, the stream ends: the reader may come back with its cursor.
 */
export class StreamWriter<Batch> implements HeartbeatTarget, OutletEvents {
  readonly #options: StreamWriterOptions<Batch>
  #source: Watch | undefined
  #outlet: Outlet | undefined
  #stopBeating = () => {}
  #isFull = false
  #isPreparing = false
  #rest: { readonly batch: Batch; readonly from: number } | undefined
  #silentBeats = 0
  #state: 'open' | 'closing' | 'ended' = 'open'
  #over: (() => void) | undefined

  constructor(options: StreamWriterOptions<Batch>) {
    this.#options = options
  }

  /** Begins to send. */
  open(outlet: Outlet, source: Watch): void {
    this.#outlet = outlet
    this.#source = source
    // Its reader has disconnected, or it ended, before it could begin.
    if (this.#state === 'ended') return source.stop()
    if (this.#state === 'closing') return outlet.close()
    this.#stopBeating = this.#options.heartbeats.add(this)
    const { opening } = this.#options.form
    if (opening === undefined || this.#write(opening)) source.resume()
  }

  /** Calls back once, when the stream is over. */
  onOver(over: () => void): void {
    if (this.#state === 'ended') over()
    else this.#over = over
  }

  frames(batch: Batch): boolean {
    const prepared = this.#options.prepare?.(batch) ?? batch
    if (!(prepared instanceof Promise)) return this.#send(prepared, 0)
    this.#isPreparing = true
    prepared.then(
      (ready) => {
        this.#isPreparing = false
        if (this.#state === 'open' && this.#send(ready, 0)) this.#source?.resume()
      },
      (error: unknown) => this.end(error),
    )
    return false
  }

  drained(): void {
    this.#isFull = false
    this.#silentBeats = 0
    const rest = this.#rest
    this.#rest = undefined
    if (this.#state !== 'open' || this.#isPreparing) return
    if (rest === undefined || this.#send(rest.batch, rest.from)) this.#source?.resume()
  }

  /** The source has no more for this stream. A reader that did not keep up is not waited for. */
  end(error?: unknown): void {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    this.#source?.stop()
    if (error === undefined) this.#outlet?.close()
    else
      this.#outlet?.drop(
        isBeachError(error) ? error : new BeachError('INTERNAL', 'The stream broke.', { cause: error }),
      )
  }

  gone(isLost = false): void {
    if (this.#state === 'ended') return
    const isLeft = this.#state === 'open' && !isLost
    this.#state = 'ended'
    this.#rest = undefined
    this.#source?.stop()
    this.#stopBeating()
    this.#over?.()
    this.#options.onEnd(isLeft)
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

  /** Sends as much of a batch as there is room for; true when there is room for more. */
  #send(batch: Batch, from: number): boolean {
    for (let place: number | undefined = from; place !== undefined;) {
      const { bytes, next }: Piece = this.#options.form.encode(batch, place)
      place = next
      if (this.#write(bytes)) continue
      if (place !== undefined) this.#rest = { batch, from: place }
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

/** A connection that needs heartbeats. */
export interface HeartbeatTarget {
  beat(): void
}

const slots = 16

/**
 * Heartbeats of any number of connections on one timer: each has its slot in the round, so that they are not all sent
 * at once, and an idle connection costs nothing.
 */
export class Heartbeats {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #round: readonly Set<HeartbeatTarget>[] = Array.from({ length: slots }, () => new Set<HeartbeatTarget>())
  #next = 0
  #count = 0
  #isRunning = false

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Sends heartbeats from now on, first after a round; the returned function ends it. */
  add(beating: HeartbeatTarget): () => void {
    // The slot that has just been passed comes last in the round.
    const slot = this.#round[(this.#next + slots - 1) % slots]
    slot?.add(beating)
    this.#count++
    if (!this.#isRunning) this.#wait()
    return () => {
      if (slot?.delete(beating) === true) this.#count--
    }
  }

  #wait(): void {
    this.#isRunning = true
    this.#clock.timer(this.#everyMs / slots, () => {
      const slot = this.#round[this.#next] ?? []
      this.#next = (this.#next + 1) % slots
      for (const beating of slot) beating.beat()
      if (this.#count > 0) this.#wait()
      else this.#isRunning = false
    })
  }
}
