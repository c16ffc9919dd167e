import type { AgentSource } from '@cool-ai/beach/evaluations'
import { coffeeOptions } from './coffee-agent.ts'
import { coffeeCard } from './coffee-card.ts'
import { memoryBooks } from './domain/books.ts'
import { Shop } from './domain/shop.ts'

/** The barista as it is evaluated: with books in memory, and minutes that last a minute. */
const evaluated: AgentSource = ({ evaluation: { data, runtime, clock } }) => ({
  agent: { id: coffeeCard.id, name: coffeeCard.name },
  ...coffeeOptions({
    shop: new Shop({ books: memoryBooks(), clock, minuteMs: 60_000 }),
    runtime,
    secret: data.secret,
  }),
})

export default evaluated
