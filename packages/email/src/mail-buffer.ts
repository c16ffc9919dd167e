import type { SmtpLoadMeter } from './smtp-load.ts'

/** A mail while it comes in: its bytes are held only as long as there is room for them. */
export class MailBuffer {
  readonly #meter: SmtpLoadMeter
  readonly #network: string
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #held = 0
  #size = 0
  /** Why it is not held: it is larger than a mail may be, or there is no room now. */
  dropped: 'large' | 'full' | undefined

  constructor(meter: SmtpLoadMeter, network: string, maxBytes: number) {
    this.#meter = meter
    this.#network = network
    this.#maxBytes = maxBytes
  }

  add(piece: Buffer): void {
    this.#size += piece.byteLength
    if (this.#size > this.#maxBytes) this.#drop('large')
    else if (this.dropped === undefined && !this.#meter.hasRoom(this.#network, piece.byteLength)) this.#drop('full')
    if (this.dropped !== undefined) return
    this.#meter.hold(this.#network, piece.byteLength)
    this.#held += piece.byteLength
    this.#pieces.push(piece)
  }

  whole(): Buffer {
    const raw = Buffer.concat(this.#pieces)
    this.#pieces = []
    return raw
  }

  /** Gives back what it takes up. */
  release(): void {
    this.#pieces = []
    this.#meter.release(this.#network, this.#held)
    this.#held = 0
  }

  #drop(why: 'large' | 'full'): void {
    this.dropped = why
    this.release()
  }
}
