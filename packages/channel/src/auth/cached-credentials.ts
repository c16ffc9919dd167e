import type { Clock } from '@cool-ai/beach-core'
import { elapsed, raceAbort } from '@cool-ai/beach-core/runtime'
import type { OutgoingRequest, PeerCredentials, SentCredentials } from './peer-credentials.ts'

/** Credentials, and until when they can be sent. */
export interface LoadedCredentials {
  readonly sent: SentCredentials
  /** By `elapsed`, which no setting of the clock changes; for good when left out. */
  readonly until?: number
}

/** Credentials that are the same for many requests: loaded once for all that wait, kept until they end or are refused. */
export class CachedCredentials implements PeerCredentials {
  readonly #load: () => Promise<LoadedCredentials>
  readonly #clock: Clock
  #current: LoadedCredentials | undefined
  #pending: Promise<LoadedCredentials> | undefined

  constructor(load: () => Promise<LoadedCredentials>, clock: Clock) {
    this.#load = load
    this.#clock = clock
  }

  async forRequest(_request: OutgoingRequest, signal?: AbortSignal): Promise<SentCredentials> {
    signal?.throwIfAborted()
    const { sent, until = Infinity } = this.#current ?? {}
    if (sent !== undefined && elapsed(this.#clock) < until) return sent
    // Other callers may wait for the same credentials: one that gives up does not end the request.
    this.#pending ??= this.#renew()
    const loaded = await (signal === undefined ? this.#pending : raceAbort(this.#pending, signal))
    return loaded.sent
  }

  refused(sent: SentCredentials): void {
    // Another call may have been refused with the same credentials, and have new ones by now.
    if (this.#current?.sent === sent) this.#current = undefined
  }

  async #renew(): Promise<LoadedCredentials> {
    try {
      this.#current = await this.#load()
      return this.#current
    } finally {
      this.#pending = undefined
    }
  }
}
