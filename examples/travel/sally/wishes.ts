import type { BasketItem } from '../domain/basket-item.ts'
import type { flightOrders } from '../domain/flights.ts'
import type { SmallTalk } from '@cool-ai/example-kit/small-talk'
import type { PressedWish } from './pressed.ts'
import type { Topic } from './questions.ts'
import type { Search } from './said-so-far.ts'

/** What is to be other than it is in the basket. */
export type Change = Pick<Search, 'people' | 'nights' | 'date'>

/** What the traveller wants, as far as a script understands it. */
export type Wish =
  | { readonly kind: 'search'; readonly search: Search; readonly sortBy?: (typeof flightOrders)[number] | undefined }
  | {
      readonly kind: 'add'
      readonly items: readonly BasketItem[]
      readonly thenBook: boolean
      /** Items of the package in whose place these come: “no, the second one”. */
      readonly replaces?: readonly string[] | undefined
    }
  /** What is in the basket, for other people, nights or days. */
  | ({ readonly kind: 'change' } & Change)
  | { readonly kind: 'remove' }
  | { readonly kind: 'clear' }
  /** `again`: what was undone comes back. */
  | { readonly kind: 'undo'; readonly again: boolean }
  | { readonly kind: 'cancel-booking' }
  | { readonly kind: 'change-booking' }
  | { readonly kind: 'package' }
  | { readonly kind: 'which' }
  | { readonly kind: 'place'; readonly place: string }
  | { readonly kind: 'unknown-place'; readonly place: string; readonly search: Search }
  | { readonly kind: 'among'; readonly names: readonly string[]; readonly search: Search }
  | { readonly kind: 'no-day'; readonly words: string }
  | { readonly kind: 'question'; readonly topic: Topic; readonly text: string }
  | { readonly kind: 'talk'; readonly talk: SmallTalk }
  | PressedWish
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unclear' }
