import { z } from 'zod'
import { categories } from '../domain/menu.ts'

/** What people say of an item: words, which become ids when the flow is hydrated. */
export const wantedItem = z.object({
  name: z.string().meta({ rest: true }),
  quantity: z.int().min(1).max(20).optional(),
  size: z
    .enum(['small', 'medium', 'large'])
    .optional()
    .meta({ words: { small: ['little', 'tall'], medium: ['regular'], large: ['big', 'grande'] } }),
  milk: z
    .enum(['whole', 'skimmed', 'oat', 'soy'])
    .optional()
    .meta({
      words: {
        whole: ['whole milk', 'normal milk', 'dairy milk'],
        skimmed: ['skimmed milk', 'skim milk', 'skim'],
        oat: ['oat milk', 'oatly'],
        soy: ['soy milk', 'soya milk', 'soya'],
      },
    }),
})
export type WantedItem = z.infer<typeof wantedItem>

/** An order by its id, or by the number that customers are given. */
export const orderName = z
  .string()
  .regex(/^(?:CF-\d{5}|order_[a-z0-9]+)$/i)
  .optional()

export const locationShape = z.object({
  id: z.string(),
  name: z.string(),
  address: z.string().optional(),
  estimatedTime: z.int().nonnegative(),
})

export const paymentShape = z.object({ id: z.string(), label: z.string(), type: z.enum(['card', 'wallet']) })

const choiceShape = z.object({ id: z.string(), label: z.string(), extra: z.number() })

export const menuItemShape = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.enum(categories),
  price: z.number(),
  vegan: z.boolean(),
  options: z.partialRecord(z.enum(['size', 'milk']), z.array(choiceShape)),
})

/** The place of a line in an order. */
export const lineIndex = z.int().min(0).max(49)
