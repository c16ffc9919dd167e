import { createHash } from 'node:crypto'
import type { Clock, Principal } from '@cool-ai/beach-core'
import { declineOf, type Account, type Order, type PaymentMethod } from './account.ts'
import { accountKey, newAccount, type Books } from './books.ts'
import { sum } from './money.ts'
import { subtotal } from './order-line.ts'
import type { OrderLine } from './order-line-schema.ts'
import { canBeCancelled, preparationOf, type Preparation } from './preparation.ts'

/** Something that the shop does not do, with the reason as customers are told it. */
export class ShopError extends Error {
  readonly appCode: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(appCode: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.appCode = appCode
    this.details = details
  }
}

/** An order as the customer wants to place it. */
export interface OrderDraft {
  readonly items: readonly OrderLine[]
  readonly locationId: string
  readonly paymentId: string
  readonly tip: number
}

/** A card as the page hands it on: its number has stayed there. */
export interface NewCard {
  readonly brand: string
  readonly last4: string
  readonly expires: string
}

export interface ShopOptions {
  readonly books: Books
  readonly clock: Clock
  /** How long a minute of preparation takes. */
  readonly minuteMs: number
}

/** The shop: what customers have, and what they can have done. What must not be done twice takes a key. */
export class Shop {
  readonly #books: Books
  readonly clock: Clock
  readonly minuteMs: number

  constructor({ books, clock, minuteMs }: ShopOptions) {
    this.#books = books
    this.clock = clock
    this.minuteMs = minuteMs
  }

  async account(who: Principal, signal?: AbortSignal): Promise<Account> {
    return (await this.#books.accounts.load(accountKey(who), signal)) ?? newAccount(who)
  }

  preparation(order: Order): Preparation {
    return preparationOf(order, this.clock.now(), this.minuteMs)
  }

  /** An order of a customer by its id or its confirmation number; without either the last one that is not over. */
  async order(who: Principal, wanted?: string, signal?: AbortSignal): Promise<Order> {
    const { orders } = await this.account(who, signal)
    for (const id of orders.toReversed()) {
      const order = await this.orderById(id, signal)
      const isOver = ['collected', 'cancelled'].includes(this.preparation(order).status)
      const names = [order.id, order.confirmationNumber.toLowerCase()]
      if (wanted === undefined ? !isOver : names.includes(wanted.toLowerCase())) return order
    }
    if (wanted === undefined) throw new ShopError('NO_ACTIVE_ORDER', 'You have no order under way.')
    throw new ShopError('ORDER_NOT_FOUND', `You have no order ${wanted}.`)
  }

  /** For callers that have already checked whose order it is. */
  async orderById(id: string, signal?: AbortSignal): Promise<Order> {
    const order = await this.#books.orders.load(id, signal)
    if (order === undefined) throw new ShopError('ORDER_NOT_FOUND', 'There is no such order.')
    return order
  }

  /** Charges the card and takes the order. Its id follows from the key, so that the same key places it once. */
  async place(who: Principal, draft: OrderDraft, key: string, signal?: AbortSignal): Promise<Order> {
    const hash = createHash('sha256')
      .update(JSON.stringify([accountKey(who), key]))
      .digest()
    const id = `order_${hash.toString('hex').slice(0, 20)}`
    const { paymentMethods } = await this.account(who, signal)
    const order = await this.#books.orders.update(
      id,
      (before) => before ?? this.#charged(id, hash, draft, paymentMethods),
      signal,
    )
    // Not to be stopped any more: the card is charged, and an order that is in no account cannot be found.
    await this.#changeAccount(who, undefined, (account) =>
      account.orders.includes(id) ? account : { ...account, orders: [...account.orders, id] },
    )
    return order
  }

  #charged(id: string, hash: Uint8Array, draft: OrderDraft, methods: readonly PaymentMethod[]): Order {
    const method = methods.find((one) => one.id === draft.paymentId)
    if (method === undefined) throw new ShopError('UNKNOWN_PAYMENT', 'This payment method is not in your account.')
    const declined = declineOf(method)
    if (declined !== undefined) throw new ShopError('CARD_DECLINED', 'Payment declined by processor', declined)
    return {
      ...draft,
      items: [...draft.items],
      id,
      confirmationNumber: `CF-${10_000 + (new DataView(hash.buffer, hash.byteOffset).getUint32(0) % 90_000)}`,
      total: sum([subtotal(draft.items), draft.tip]),
      placedAt: this.clock.now(),
    }
  }

  /** Takes an order back as long as it is not ready; taking it back again changes nothing. */
  async cancel(who: Principal, orderId: string, signal?: AbortSignal): Promise<Order> {
    return this.#changeOrder(who, orderId, signal, (order) => {
      if (order.cancelledAt !== undefined) return order
      if (canBeCancelled(this.preparation(order))) return { ...order, cancelledAt: this.clock.now() }
      throw new ShopError('TOO_LATE', 'It is too late to cancel: your order is ready.')
    })
  }

  /** The customer has it. */
  async collect(who: Principal, orderId: string, signal?: AbortSignal): Promise<Order> {
    return this.#changeOrder(who, orderId, signal, (order) => {
      if (order.collectedAt !== undefined) return order
      if (this.preparation(order).status === 'ready') return { ...order, collectedAt: this.clock.now() }
      throw new ShopError('NOT_READY', 'This order cannot be collected now.')
    })
  }

  /** Adds a card and makes it the default; the same key adds it once. */
  async addCard(who: Principal, card: NewCard, key: string, signal?: AbortSignal): Promise<PaymentMethod> {
    const account = await this.#changeAccount(who, signal, (before) => {
      if (before.added[key] !== undefined) return before
      if (hasExpired(card.expires, this.clock.now())) throw new ShopError('CARD_EXPIRED', 'This card has expired.')
      const id = `pm_${String(before.paymentMethods.length + Object.keys(before.added).length + 1).padStart(3, '0')}`
      const { last4, expires } = card
      const method: PaymentMethod = { id, label: `${card.brand} ••${last4}`, type: 'card', last4, expires }
      return {
        ...before,
        paymentMethods: [...before.paymentMethods, method],
        defaultPaymentId: id,
        added: { ...before.added, [key]: id },
      }
    })
    return methodOf(account, account.added[key])
  }

  async setDefault(who: Principal, paymentId: string, signal?: AbortSignal): Promise<PaymentMethod> {
    const account = await this.#changeAccount(who, signal, (before) => ({
      ...before,
      defaultPaymentId: methodOf(before, paymentId).id,
    }))
    return methodOf(account, paymentId)
  }

  #changeAccount(
    who: Principal,
    signal: AbortSignal | undefined,
    change: (account: Account) => Account,
  ): Promise<Account> {
    return this.#books.accounts.update(accountKey(who), (before) => change(before ?? newAccount(who)), signal)
  }

  async #changeOrder(
    who: Principal,
    orderId: string,
    signal: AbortSignal | undefined,
    change: (order: Order) => Order,
  ): Promise<Order> {
    const { id } = await this.order(who, orderId, signal)
    return this.#books.orders.update(
      id,
      (before) => {
        if (before === undefined) throw new ShopError('ORDER_NOT_FOUND', 'There is no such order.')
        return change(before)
      },
      signal,
    )
  }
}

function methodOf({ paymentMethods }: Account, id: string | undefined): PaymentMethod {
  const method = paymentMethods.find((one) => one.id === id)
  if (method === undefined) throw new ShopError('UNKNOWN_PAYMENT', 'This payment method is not in your account.')
  return method
}

function hasExpired(expires: string, now: number): boolean {
  const [month, year] = expires.split('/').map(Number)
  return month === undefined || year === undefined || Date.UTC(2000 + year, month) <= now
}
