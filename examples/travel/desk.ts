import type { Originator, Principal, Sessions } from '@cool-ai/beach-core'
import type { Basket } from './domain/basket.ts'
import type { BasketStore } from './domain/basket-store.ts'

/** The staff of ExampleTravel who may approve bookings. */
export const deskPrincipal: Principal = { kind: 'user', id: 'booking-desk', tenant: 'default' }

const policy: Principal = { kind: 'operator', id: 'booking-desk', tenant: 'default' }
const ofPage: ReadonlySet<string> = new Set(['sse', 'websocket'])

/**
 * Who approves bookings besides the traveller, wherever they are written to. They join a conversation of the page once
 * something is about to be put into its basket, so that they are there before anything can be booked: for approvals
 * first, and for all of it once something is booked.
 */
export class Desk {
  readonly #reached: readonly Originator[]
  #sessions: Sessions | undefined

  constructor(reached: readonly Originator[]) {
    this.#reached = reached
  }

  start(sessions: Sessions): void {
    this.#sessions = sessions
  }

  /** Baskets that nothing is put into before the desk is there. */
  watched(baskets: BasketStore): BasketStore {
    return {
      load: (session, signal) => baskets.load(session, signal),
      update: async (session, change, signal) => {
        await this.#join(session, await baskets.load(session, signal))
        const basket = await baskets.update(session, change, signal)
        if (basket.bookings.length > 0) await this.#join(session, basket)
        return basket
      },
    }
  }

  /** Joining twice is joining once, so it needs not be remembered what was done before a crash. */
  async #join(session: string, { bookings }: Basket): Promise<void> {
    const sessions = this.#sessions
    if (sessions === undefined || this.#reached.length === 0) return
    const { originators } = await sessions.view(session, policy)
    // A traveller who writes by mail or phone is asked there.
    if (!originators.some(({ transport }) => ofPage.has(transport))) return
    const hears = bookings.length > 0 ? 'everything' : 'approvals'
    for (const originator of this.#reached) await sessions.join(session, originator, policy, { hears })
  }
}
