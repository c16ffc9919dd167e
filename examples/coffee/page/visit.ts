import { AgentError, connect, joinSession, openSession, type Conversation } from '@cool-ai/beach-client'
import {
  browserActions,
  createFlowClient,
  sessionTransport,
  type FlowClient,
  type OptimisticTables,
} from '@intentflow/core/client'

/** What the page has of the shop right now. */
export type VisitState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly conversation: Conversation; readonly flows: FlowClient }
  | { readonly kind: 'fault'; readonly message: string }

const key = 'coffee.session'

/** What looks done before the shop has answered. */
const optimistic: OptimisticTables = {
  'order.place': {
    review: {
      CONFIRM: { to: 'placing', context: { problem: null } },
      SELECT_PAYMENT: {
        to: 'review',
        context: (_, { paymentId }) => ({ selectedPaymentId: paymentId, problem: null }),
      },
      SET_TIP: { to: 'review', context: (_, { tip }) => ({ tip }) },
    },
    declined: {
      MODIFY: { to: 'review' },
      SELECT_PAYMENT: {
        to: 'review',
        context: (_, { paymentId }) => ({ selectedPaymentId: paymentId, problem: null }),
      },
    },
  },
  'menu.browse': { browsing: { FILTER: { to: 'browsing', context: (_, payload) => payload } } },
  'order.cancel': { confirming: { CONFIRM: { to: 'cancelling' } } },
  'account.update_payment': { editing: { ADD_CARD: { to: 'saving' }, SELECT: { to: 'saving' } } },
}

/** One conversation with the shop, over reloads, and the flows in it. */
export class Visit {
  readonly #url: string
  readonly #storage: Storage
  readonly #listeners = new Set<() => void>()
  #place: VisitState = { kind: 'opening' }

  constructor({ url, storage }: { readonly url: string; readonly storage: Storage }) {
    this.#url = url
    this.#storage = storage
  }

  readonly getSnapshot = (): VisitState => this.#place

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Goes on with the conversation that this browser had last. */
  async start(): Promise<void> {
    const known = this.#storage.getItem(key)
    if (known === null) await this.fresh()
    else this.#follow(known)
  }

  async fresh(): Promise<void> {
    await this.#open(() => openSession({ url: this.#url }))
  }

  /** Goes on with the conversation that a one-time link leads to. */
  async join(code: string): Promise<void> {
    await this.#open(() => joinSession({ url: this.#url, code }))
  }

  async #open(ask: () => Promise<{ readonly sessionId: string }>): Promise<void> {
    this.#show({ kind: 'opening' })
    try {
      this.#follow((await ask()).sessionId)
    } catch (error) {
      const message = error instanceof AgentError ? error.message : 'The shop cannot be reached.'
      this.#show({ kind: 'fault', message })
    }
  }

  #follow(sessionId: string): void {
    this.#storage.setItem(key, sessionId)
    const conversation = connect({ url: this.#url, sessionId })
    const flows = createFlowClient({
      transport: sessionTransport(conversation),
      actions: browserActions(),
      optimistic,
    })
    conversation.on('connection', ({ state, error }) => {
      // The shop does not know the session, or not as ours: its data is gone, or the cookie is.
      if (state !== 'closed' || error?.code !== 'NOT_FOUND') return
      this.#storage.removeItem(key)
      void this.fresh()
    })
    this.#show({ kind: 'open', conversation, flows })
  }

  #show(place: VisitState): void {
    if (this.#place.kind === 'open') {
      this.#place.flows.close()
      this.#place.conversation.close()
    }
    this.#place = place
    for (const listener of this.#listeners) listener()
  }
}
