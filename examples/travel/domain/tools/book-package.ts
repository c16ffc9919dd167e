import { BeachError } from '@cool-ai/beach-core'
import { defineTool, type ToolDefinition } from '@cool-ai/beach-llm'
import * as z from 'zod'
import { booked, bookingUnder, orderedPackage } from '../basket.ts'
import type { BasketStore } from '../basket-store.ts'
import { bookingDescription } from '../booking-description.ts'
import { longDate } from '../iso-date.ts'
import type { PackageLine } from '../package-line.ts'
import { bookingSlot } from '../slots.ts'
import { resultSchema } from '../travel-data.ts'

const inputSchema = z.object({
  packageId: z
    .string()
    .meta({ title: 'Basket' })
    .describe('Of the basket that the user has seen, as assemble_package gave it.'),
  total: z
    .string()
    .meta({ title: 'Total' })
    .describe('Its total, as assemble_package gave it, such as £1,234.00: the user approves it.'),
})

const outputSchema = resultSchema('booking')

/** Books what is in the basket, once the user has approved. */
export function bookPackage(
  baskets: BasketStore,
  today: () => string,
): ToolDefinition<z.infer<typeof inputSchema>, z.infer<typeof outputSchema>> {
  return defineTool({
    name: 'book_package',
    title: 'Book what is in the basket',
    description:
      'Books all that is in the basket, and empties it. Show the basket to the user before. The user is asked to ' +
      'approve exactly this basket at exactly this total; if the basket has changed since, nothing is booked.',
    inputSchema,
    outputSchema,
    async handler({ packageId, total }, { key, session, signal }) {
      const basket = await baskets.update(session.sessionId, (now) => booked(now, { key, packageId, total }), signal)
      const booking = bookingUnder(basket, key)
      if (booking === undefined) throw new BeachError('INTERNAL', 'The booking was lost.')
      return { kind: 'booking', slotKey: bookingSlot(booking), data: booking }
    },
    requiresApproval: () => 'user',
    approval: async (order, { sessionId }) => {
      const ordered = orderedPackage(await baskets.load(sessionId), order)
      for (const line of ordered.items) checkUpcoming(line, today())
      return bookingDescription(ordered)
    },
    // The booking is kept under the call's key, so a call that runs again finds it.
    idempotent: true,
    sequential: true,
    // No user or agent of the demo has scopes: each of them needs the approval.
    requiredScopes: [],
    tags: ['booking'],
    timeoutMs: 30_000,
  })
}

/** What has lain in a basket for long may be over. */
function checkUpcoming({ title, start, itemId }: PackageLine, today: string): void {
  if (start.slice(0, 10) >= today) return
  const message = `${title} was on ${longDate(start.slice(0, 10))}, which has passed. Remove ${itemId} first.`
  throw new BeachError('BAD_REQUEST', message)
}
