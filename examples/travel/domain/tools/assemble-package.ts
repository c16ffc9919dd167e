import { BeachError } from '@cool-ai/beach-core'
import { defineTool, type ToolDefinition } from '@cool-ai/beach-llm'
import * as z from 'zod'
import { withItems, withoutItems, type Basket } from '../basket.ts'
import { basketItemSchema, startOf } from '../basket-item.ts'
import type { BasketStore } from '../basket-store.ts'
import { isoDate } from '../iso-date.ts'
import { packageOf } from '../package.ts'
import { basketSlot } from '../slots.ts'
import { upcoming } from '../today.ts'
import { resultSchema } from '../travel-data.ts'
import { lookupTimeoutMs } from './tool-inputs.ts'

const inputSchema = z.object({
  action: z.enum(['view', 'add', 'remove']),
  items: z.array(basketItemSchema).min(1).exactOptional().describe('What to add.'),
  itemIds: z.array(z.string()).min(1).exactOptional().describe('What to remove: the itemIds in the basket.'),
})

const outputSchema = resultSchema('package').extend({
  bookings: z.array(z.string()).describe('References of what was booked before and is no longer in the basket.'),
})

type Input = z.infer<typeof inputSchema>

/** Looks after the basket of the session. */
export function assemblePackage(
  baskets: BasketStore,
  today: () => string,
): ToolDefinition<Input, z.infer<typeof outputSchema>> {
  return defineTool({
    name: 'assemble_package',
    description:
      'The basket of this conversation: view it with its total, add flights, hotels, activities and cruises ' +
      'that searches have found, or remove items. Adding an item that is already there changes its number of people. ' +
      'The answer is always the whole basket as it is now; totals are exact, so never add up prices yourself.',
    inputSchema,
    outputSchema,
    async handler(input, { session, signal }) {
      for (const item of input.items ?? []) upcoming(isoDate(startOf(item)), today())
      const basket = await changed(baskets, input, session.sessionId, signal)
      const bookings = basket.bookings.map(({ booking }) => booking.reference)
      return { kind: 'package', slotKey: basketSlot, data: packageOf(basket.items), bookings }
    },
    idempotent: true,
    // Changes of one message count in the order in which they were said.
    sequential: true,
    tags: ['package-assembly'],
    timeoutMs: lookupTimeoutMs,
  })
}

function changed(baskets: BasketStore, input: Input, session: string, signal: AbortSignal): Promise<Basket> {
  const { action, items, itemIds } = input
  switch (action) {
    case 'view':
      return baskets.load(session, signal)
    case 'add':
      if (items === undefined) throw new BeachError('BAD_REQUEST', 'To add, give the items to add.')
      return baskets.update(session, (basket) => withItems(basket, items), signal)
    case 'remove':
      if (itemIds === undefined) throw new BeachError('BAD_REQUEST', 'To remove, give the itemIds to remove.')
      return baskets.update(session, (basket) => withoutItems(basket, itemIds), signal)
  }
}
