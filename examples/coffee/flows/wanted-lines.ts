import { defined } from '@cool-ai/beach-core/runtime'
import type { Account } from '../domain/account.ts'
import { itemCalled } from '../domain/names.ts'
import { mergedLines, orderLine } from '../domain/order-line.ts'
import type { OrderLine } from '../domain/order-line-schema.ts'
import { ShopError } from '../domain/shop.ts'
import type { WantedItem } from './shapes.ts'

const usual = /^(?:my |the )?(?:usual|regular)(?: order| one)?$/i

/** The lines of an order from what the customer said: words become ids of the menu, "my usual" the customer's own. */
export function wantedLines(wanted: readonly WantedItem[], { usual: own }: Pick<Account, 'usual'>): OrderLine[] {
  const lines = wanted.flatMap((one) => (usual.test(one.name.trim()) ? usualLines(own, one) : [wantedLine(one)]))
  return mergedLines(lines)
}

export function wantedLine({ name, quantity = 1, size, milk }: WantedItem): OrderLine {
  const item = itemCalled(name)
  if (item === undefined)
    throw new ShopError('NOT_ON_THE_MENU', `We have no “${name}”. Say “menu” to see what we have.`, { name })
  return orderLine(item, quantity, defined({ size, milk }))
}

function usualLines(own: readonly OrderLine[], { quantity = 1 }: WantedItem): OrderLine[] {
  return own.map((line) => ({ ...line, quantity: Math.min(20, line.quantity * quantity) }))
}
