import { sessionValues } from '@cool-ai/example-kit/session-values'
import { basketSchema, emptyBasket, type Basket } from './basket.ts'
import type { BasketStore } from './basket-store.ts'

type Place = Parameters<typeof sessionValues>

/** Baskets where the agent keeps its data. */
export function keptBaskets(data: Place[0], place: Place[1]): BasketStore {
  return sessionValues<Basket>(data, place, {
    folder: 'baskets',
    noun: 'basket',
    empty: emptyBasket,
    parse: (json) => basketSchema.parse(json),
  })
}
