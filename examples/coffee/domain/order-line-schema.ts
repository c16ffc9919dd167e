import { z } from 'zod'

/** An item of an order: what, how many, and how. */
export const orderLineSchema = z.object({
  item: z.object({ id: z.string(), name: z.string(), price: z.number().nonnegative() }),
  quantity: z.int().min(1).max(20),
  selectedOptions: z.partialRecord(z.enum(['size', 'milk']), z.string()),
})

export type OrderLine = z.infer<typeof orderLineSchema>
