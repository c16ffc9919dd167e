import type { Runtime, Store } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { StoreCell } from './store-cell.ts'

const leaseMs = 15_000
const keptMs = 24 * 60 * 60 * 1_000

interface Draft {
  /** The process that writes it, and until when it may. */
  readonly writer?: string
  readonly until?: number
  readonly messageId?: string
  /** When it was first posted; without a message, nothing is known of that. */
  readonly triedAt?: number
  /** True once the answer took its place: nothing is written to it any more. */
  readonly isClosed?: boolean
  /** True when another message of the turn came after it in the thread. */
  readonly isBehind?: boolean
}

/** A turn in a thread. */
export interface DraftPlace {
  readonly place: string
  readonly turnId: string
}

/** What a finished answer finds: the message to replace, if there is one, or that another process still writes it. */
export type TakenDraft = 'busy' | (Pick<Draft, 'messageId' | 'triedAt'> & { readonly isBehind: boolean })

/**
 * The messages in which answers grow, known to all processes: the one that sends the finished answer puts it in the place
 * of the growing one.
 */
export class Drafts {
  readonly #cell: (at: DraftPlace) => StoreCell
  readonly #runtime: Runtime

  constructor(store: Store, runtime: Runtime, tenant: string) {
    this.#runtime = runtime
    this.#cell = ({ place, turnId }) => new StoreCell(store, runtime, { tenant, key: `draft:${place}:${turnId}` })
  }

  /** Lets a writer write for a while; false when another one does, or when the answer is there. */
  async hold(at: DraftPlace, writer: string): Promise<boolean> {
    const now = this.#runtime.clock.now()
    const held = await this.#change(at, (draft) => {
      const isFree = draft.writer === undefined || draft.writer === writer || (draft.until ?? 0) <= now
      if (!isFree || draft.isClosed === true) return undefined
      return { triedAt: now, ...draft, writer, until: now + leaseMs }
    })
    return held.isChanged
  }

  /** Tells which message it is; false when the answer is there already. */
  async put(at: DraftPlace, messageId: string): Promise<boolean> {
    return (await this.#change(at, (draft) => (draft.isClosed === true ? undefined : { ...draft, messageId })))
      .isChanged
  }

  /** The writer writes no more. */
  async release(at: DraftPlace, writer: string): Promise<void> {
    await this.#change(at, ({ writer: now, until: _, ...draft }) => (now === writer ? draft : undefined))
  }

  /** Something of the turn was sent after it: the finished answer comes behind that. */
  async leaveBehind(at: DraftPlace): Promise<void> {
    await this.#change(at, (draft) => (draft.isBehind === true ? undefined : { ...draft, isBehind: true }))
  }

  /** The message that the finished answer replaces; the same one whenever it is asked for again. */
  async close(at: DraftPlace): Promise<TakenDraft> {
    const now = this.#runtime.clock.now()
    const { before } = await this.#change(at, (draft) => {
      const isWritten = draft.writer !== undefined && (draft.until ?? 0) > now
      return isWritten || draft.isClosed === true ? undefined : { ...draft, isClosed: true }
    })
    if (before.isClosed !== true && before.writer !== undefined && (before.until ?? 0) > now) return 'busy'
    const { messageId, triedAt, isBehind = false } = before
    return defined({ messageId, triedAt, isBehind })
  }

  async #change(at: DraftPlace, decide: (draft: Draft) => Draft | undefined) {
    const changed = await this.#cell(at).change((value) => {
      const next = decide(value ?? {})
      return next === undefined ? 'keep' : { value: next, ttlMs: keptMs }
    })
    return { before: (changed.before ?? {}) as Draft, isChanged: changed.isChanged }
  }
}
