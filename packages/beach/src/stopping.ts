import { isProbe } from '@cool-ai/beach-channel/http'
import { BeachError, sleep, type Channel, type Clock } from '@cool-ai/beach-core'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import type { SessionTurnManager } from '@cool-ai/beach-session'

export interface CloseOptions {
  /** How long turns and tools that run may take to end, before they are handed over to the next process; 0 when left out. */
  readonly graceMs?: number | undefined
}

/** The steps of stopping. */
interface Steps {
  /** Lets running work come to its end; `hurry` ends the grace period. */
  readonly drain: (hurry: AbortSignal) => Promise<void>
  readonly end: () => Promise<void>
}

/** Graceful shutdown of an agent: it takes no more requests, lets running work come to its end, and closes. */
export class Stopping {
  readonly #clock: Clock
  readonly #hurry = new AbortController()
  #closed: Promise<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Refuses a request, by throwing, once the agent stops: another process answers it, or the next one. */
  refuse({ pathname }: URL): void {
    if (this.#closed === undefined || isProbe(pathname)) return
    throw new BeachError('STOPPING', 'The agent is stopping. Try again: its next process answers.', {
      details: { close: true, retryAfter: 1 },
    })
  }

  /** Runs once, however often it is called; a later call without a grace period ends that of the first. */
  close(graceMs: number, steps: Steps): Promise<void> {
    if (graceMs <= 0) this.#hurry.abort()
    this.#closed ??= this.#close(graceMs, steps)
    return this.#closed
  }

  async #close(graceMs: number, { drain, end }: Steps): Promise<void> {
    const { signal } = this.#hurry
    if (graceMs > 0) {
      await Promise.race([drain(signal), sleep(this.#clock, graceMs, signal)])
      // Viewers get the last frames of a turn in the next tick; their streams end after that.
      await yieldToEventLoop()
    }
    await end()
  }
}

/** Lets turns, and what channels run outside of them, come to their end. */
export async function drainAll(
  sessions: SessionTurnManager,
  channels: readonly Channel[],
  graceMs: number,
  hurry: AbortSignal,
): Promise<void> {
  const outside = channels.map(async (channel) => channel.drain?.())
  await Promise.allSettled([sessions.drain(graceMs, hurry), ...outside])
}
