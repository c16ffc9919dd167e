import type { Basket } from './basket.ts'

/** Where the baskets of sessions are. */
export interface BasketStore {
  /** The session's basket; an empty one when it has none yet. */
  load(session: string, signal?: AbortSignal): Promise<Basket>
  /** Keeps what `change` makes of the basket, all of it or nothing; changes of one session come one after the other. */
  update(session: string, change: (basket: Basket) => Basket, signal?: AbortSignal): Promise<Basket>
}
