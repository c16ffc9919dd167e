import type { Injection, TurnContext } from '@cool-ai/beach-core'

/** The result of a slot. */
export type SlotResult = Extract<Injection, { kind: 'slot' }>

/** The outcome of a manifest. */
export interface SettledManifest {
  readonly results: readonly SlotResult[]
  /** Slots that got no result in time. */
  readonly missing: readonly string[]
  readonly finalizedBy: 'complete' | 'deadline' | 'cancelled'
}

/** An open manifest, for the actor that has opened it. */
export class Manifest {
  readonly manifestId: string
  readonly #turn: TurnContext

  constructor(turn: TurnContext, manifestId: string) {
    this.#turn = turn
    this.manifestId = manifestId
  }

  /** The results as they come, in the order of the log, until the manifest has settled. */
  async *results(): AsyncGenerator<SlotResult> {
    for await (const injection of this.#injections()) if (injection.kind === 'slot') yield injection
  }

  /** Waits until all slots are filled, or the deadline has passed. */
  async settled(): Promise<SettledManifest> {
    const results: SlotResult[] = []
    for await (const injection of this.#injections()) {
      if (injection.kind === 'slot') results.push(injection)
      else return { results, missing: injection.missing, finalizedBy: injection.finalizedBy }
    }
    return { results, missing: [], finalizedBy: 'cancelled' }
  }

  async *#injections(): AsyncGenerator<Injection> {
    for (let seen = 0; ;) {
      const news = await this.#turn.injected(seen, { wait: true })
      if (news.length === 0) return
      seen += news.length
      for (const injection of news) {
        if (injection.manifestId !== this.manifestId) continue
        yield injection
        if (injection.kind === 'settled') return
      }
    }
  }
}
