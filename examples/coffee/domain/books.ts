import { createHash } from 'node:crypto'
import type { Principal } from '@cool-ai/beach-core'
import { sessionValues } from '@cool-ai/example-kit/session-values'
import { accountSchema, customers, orderSchema, type Account, type Order } from './account.ts'

/** Something of the shop that is kept by a key: accounts by their customers, orders by their ids. */
interface KeyedStore<Value> {
  load(key: string, signal?: AbortSignal): Promise<Value | undefined>
  /** Keeps what `change` makes of it, all of it or nothing; changes of one key come one after the other. */
  update(key: string, change: (value: Value | undefined) => Value, signal?: AbortSignal): Promise<Value>
}

/** Where the shop keeps what it knows. */
export interface Books {
  readonly accounts: KeyedStore<Account>
  readonly orders: KeyedStore<Order>
}

type Place = Parameters<typeof sessionValues>

/** A value for each account and each order, where the shop's agent keeps its data. */
export function keptBooks(data: Place[0], place: Place[1]): Books {
  const kept = <Value>(noun: string, parse: (json: unknown) => Value): KeyedStore<Value> => {
    const values = sessionValues<Value | undefined>(data, place, { folder: 'books', noun, empty: undefined, parse })
    return {
      load: (key, signal) => values.load(key, signal),
      update: async (key, change, signal) => (await values.update(key, change, signal)) as Value,
    }
  }
  return {
    accounts: kept('account', (json) => accountSchema.parse(json)),
    orders: kept('order', (json) => orderSchema.parse(json)),
  }
}

export function memoryBooks(): Books {
  return { accounts: inMemory(), orders: inMemory() }
}

function inMemory<Value>(): KeyedStore<Value> {
  const values = new Map<string, Value>()
  return {
    load: async (key) => values.get(key),
    async update(key, change) {
      const value = change(values.get(key))
      values.set(key, value)
      return value
    },
  }
}

/** A user by the name of one of the regular customers is that one; every other user begins as the first of them. */
export function newAccount({ kind, id }: Principal): Account {
  const [first, ...others] = customers
  const account = kind === 'user' ? others.find(({ name }) => name.toLowerCase() === id.toLowerCase()) : undefined
  if (first === undefined) throw new Error('There are no customers.')
  return structuredClone(account ?? first)
}

/** A key that says nothing of whose it is. */
export function accountKey({ tenant, kind, id }: Principal): string {
  return `c${createHash('sha256')
    .update(JSON.stringify([tenant, kind, id]))
    .digest('hex')
    .slice(0, 40)}`
}
