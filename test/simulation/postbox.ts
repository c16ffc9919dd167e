import { sleep, type Channel, type Clock, type Envelope } from '@cool-ai/beach-core'

/** Something that reached the other side. */
export interface Received {
  readonly to: string
  readonly key: string
  readonly envelope: Envelope
}

/** The other side of the channels that push: what really arrived there, whatever the sender was told. */
export class Postbox {
  readonly received: Received[] = []
  #calm = false

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#calm = true
  }

  /** A channel that fails before, after or instead of sending. One that dedupes takes the same key only once. */
  channel(transport: string, dedupes: boolean, clock: Clock, random: () => number): Channel {
    return {
      transport,
      deliveryClass: 'buffered',
      start: async () => {},
      push: { attempts: 1_000, firstDelayMs: 500, maxDelayMs: 20_000, timeoutMs: 10_000 },
      send: async (to, envelope, key) => {
        const chance = this.#calm ? 1 : random()
        if (chance < 0.1) throw new Error('no answer')
        if (chance < 0.2) return { status: 'failed', reason: 'busy' }
        if (chance < 0.23) return { status: 'refused', reason: 'no such address' }
        if (chance < 0.4) await sleep(clock, random() * 15_000)
        const known = this.received.some((entry) => entry.key === key && entry.to === to.id)
        if (!dedupes || !known) this.received.push({ to: to.id, key, envelope })
        if (chance < 0.5) throw new Error('the connection broke after it was sent')
        if (chance < 0.6) await sleep(clock, random() * 15_000)
        return { status: 'sent' }
      },
    }
  }
}
