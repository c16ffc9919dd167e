import { SessionFiles } from '@cool-ai/example-kit/session-files'
import { basketSchema, emptyBasket, type Basket } from './basket.ts'
import type { BasketStore } from './basket-store.ts'

/** Baskets as one JSON file per session in a folder. */
export class FileBasketStore extends SessionFiles<Basket> implements BasketStore {
  constructor(folder: string) {
    super({ folder, noun: 'basket', empty: emptyBasket, parse: (json) => basketSchema.parse(json) })
  }
}
