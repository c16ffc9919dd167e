import { createHash } from 'node:crypto'
import { encodeId } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import type { Package } from './package.ts'
import { packageLineSchema } from './package-line.ts'

/** The data of kind `booking`: a package as it was booked. */
export const bookingSchema = z.object({
  reference: z.string(),
  status: z.literal('confirmed'),
  items: z.array(packageLineSchema),
  totalPence: z.int().nonnegative(),
  total: z.string(),
  currency: z.literal('GBP'),
})

export type Booking = z.infer<typeof bookingSchema>

/** The booking of a package; its reference follows from the key, so the same key never books under two. */
export function bookingOf({ items, totalPence, total, currency }: Package, key: string): Booking {
  return { reference: referenceOf(key), status: 'confirmed', items, totalPence, total, currency }
}

function referenceOf(key: string): string {
  const digest = createHash('sha256').update(key).digest()
  return `ET-${encodeId(digest.subarray(0, 5)).toUpperCase()}`
}
