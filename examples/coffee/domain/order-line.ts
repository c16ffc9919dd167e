import { menuItem, type MenuItem, type OptionName } from './menu.ts'
import { sum, times } from './money.ts'
import type { OrderLine } from './order-line-schema.ts'

/** A line as it costs now; choices that the item does not have are left out, the first one is the usual one. */
export function orderLine(
  item: MenuItem,
  quantity: number,
  wanted: Partial<Record<OptionName, string>> = {},
): OrderLine {
  const selectedOptions: Partial<Record<OptionName, string>> = {}
  const extras: number[] = []
  for (const [name, choices] of Object.entries(item.options) as [OptionName, MenuItem['options'][OptionName]][]) {
    const chosen = choices?.find(({ id }) => id === wanted[name]) ?? choices?.[0]
    if (chosen === undefined) continue
    selectedOptions[name] = chosen.id
    extras.push(chosen.extra)
  }
  return {
    item: { id: item.id, name: item.name, price: sum([item.price, ...extras]) },
    quantity,
    selectedOptions,
  }
}

/** The same line with another choice. */
export function withOption(line: OrderLine, name: OptionName, value: string): OrderLine {
  const item = menuItem(line.item.id)
  return item === undefined ? line : orderLine(item, line.quantity, { ...line.selectedOptions, [name]: value })
}

export function linePrice({ item, quantity }: OrderLine): number {
  return times(item.price, quantity)
}

export function subtotal(lines: readonly OrderLine[]): number {
  return sum(lines.map(linePrice))
}

/** A line in words, such as "2 × Flat white (large, oat milk)". */
export function lineText({ item, quantity, selectedOptions }: OrderLine): string {
  const { size, milk } = selectedOptions
  const how = [size, milk === undefined || milk === 'whole' ? undefined : `${milk} milk`].filter(
    (one) => one !== undefined,
  )
  return `${quantity} × ${item.name}${how.length === 0 ? '' : ` (${how.join(', ')})`}`
}

/** Lines of the same thing become one. */
export function mergedLines(lines: readonly OrderLine[]): OrderLine[] {
  const merged = new Map<string, OrderLine>()
  for (const line of lines) {
    const key = JSON.stringify([line.item.id, line.selectedOptions.size, line.selectedOptions.milk])
    const before = merged.get(key)
    merged.set(key, before ? { ...before, quantity: Math.min(20, before.quantity + line.quantity) } : line)
  }
  return [...merged.values()]
}
