import { emptyBasket, type Basket } from './basket.ts'
import type { BasketStore } from './basket-store.ts'

/** Baskets that end with the process. */
export class MemoryBasketStore implements BasketStore {
  readonly #baskets = new Map<string, Basket>()

  async load(session: string, signal?: AbortSignal): Promise<Basket> {
    signal?.throwIfAborted()
    return this.#baskets.get(session) ?? emptyBasket
  }

  async update(session: string, change: (basket: Basket) => Basket, signal?: AbortSignal): Promise<Basket> {
    signal?.throwIfAborted()
    const basket = change(this.#baskets.get(session) ?? emptyBasket)
    this.#baskets.set(session, basket)
    return basket
  }
}
