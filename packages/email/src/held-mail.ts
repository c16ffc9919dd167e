import type { SmtpLoadMeter } from './smtp-load.ts'

/** A mail while it comes in: its bytes are held only as long as there is room for them. */
export class HeldMail {
  readonly #meter: SmtpLoadMeter
  readonly #network: string
  readonly #mostBytes: number
  #pieces: Buffer[] = []
  #held = 0
  #size = 0
  /** Why it is not held: it is larger than a mail may be, or there is no room now. */
  dropped: 'large' | 'full' | undefined

  constructor(meter: SmtpLoadMeter, network: string, mostBytes: number) {
    this.#meter = meter
    this.#network = network
    this.#mostBytes = mostBytes
  }

  add(piece: Buffer): void {
    this.#size += piece.byteLength
    if (this.#size > this.#mostBytes) this.#drop('large')
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
