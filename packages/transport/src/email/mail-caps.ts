import { createHash } from 'node:crypto'
import type { Clock } from '@cool-ai/beach-core'
import type { MailRecords } from './mail-records.ts'

const hourMs = 60 * 60 * 1_000

/** Counts mails per hour, over restarts and processes, so that two programs that answer each other come to rest. */
export class MailCaps {
  readonly #records: MailRecords
  readonly #clock: Clock

  constructor(records: MailRecords, clock: Clock) {
    this.#records = records
    this.#clock = clock
  }

  /** Whether one more may be sent; the same mail counts once. */
  async allows(what: string, mail: string, most: number): Promise<boolean> {
    const start = `cap:${createHash('sha256').update(what).digest('hex').slice(0, 32)}:`
    const hour = `${start}${Math.floor(this.#clock.now() / hourMs)}`
    await this.#records.freePlaces(start, hour)
    return this.#records.takePlace(hour, mail, most)
  }
}
