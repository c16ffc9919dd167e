import { createHash } from 'node:crypto'
import { encodeId } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import type { BasketItem } from './basket-item.ts'
import { inPounds } from './money.ts'
import { packageLine, packageLineSchema, type PackageLine } from './package-line.ts'

/** The data of kind `package`: what is in the basket, at one price. */
export const packageSchema = z.object({
  packageId: z.string().describe('Changes with the contents and their prices: it names exactly this package.'),
  items: z.array(packageLineSchema),
  totalPence: z.int().nonnegative(),
  total: z.string().describe('The total in words, such as £1,234.00.'),
  currency: z.literal('GBP'),
})

export type Package = z.infer<typeof packageSchema>

/** The items as a package, in the order of the journey. */
export function packageOf(basketItems: readonly BasketItem[]): Package {
  const items = basketItems.map(packageLine).toSorted(byTime)
  const totalPence = items.reduce((sum, item) => sum + item.totalPence, 0)
  return { packageId: fingerprint(items), items, totalPence, total: inPounds(totalPence), currency: 'GBP' }
}

function fingerprint(items: readonly PackageLine[]): string {
  const digest = createHash('sha256').update(JSON.stringify(items)).digest()
  return `pkg_${encodeId(digest.subarray(0, 16))}`
}

function byTime(one: PackageLine, other: PackageLine): number {
  const [first, second] = [sortKey(one), sortKey(other)]
  return first < second ? -1 : first > second ? 1 : 0
}

/** Stays and voyages begin in the afternoon, after the flight that leads to them. */
function sortKey({ start, itemId }: PackageLine): string {
  return `${start.includes('T') ? start : `${start}T15:00:00`} ${itemId}`
}
