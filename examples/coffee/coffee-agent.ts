import { BeachError, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import type { Secret } from '@cool-ai/beach-core/tokens'
import type { AgentOptions, AgentStart } from '@cool-ai/example-kit'
import { flowActor, localMatcher, registerClarify } from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import { coffeeCard } from './coffee-card.ts'
import { keptBooks } from './domain/books.ts'
import { Shop } from './domain/shop.ts'
import { coffeeFlows } from './flows/coffee-flows.ts'
import { coffeePage } from './coffee-page.ts'
import { coffeeWords, politely } from './coffee-words.ts'

/** What the agent of a shop is made of. */
export interface CoffeeContext {
  readonly shop: Shop
  readonly runtime: Runtime
  readonly secret: Secret
  /** Where it is reached; its links begin with it. */
  readonly url?: string | undefined
}

/** An agent of flows: a registry, the engine, and an actor that understands what has to do with them. */
export function coffeeOptions({ shop, runtime, secret, url }: CoffeeContext) {
  const registry = coffeeFlows(shop)
  const flows = createFlows({ registry, runtime, secret, publicUrl: url })
  registerClarify(registry, flows)
  const matcher = politely(localMatcher(registry))
  return {
    partTypes: flows.partTypes,
    actors: { barista: flowActor({ flows, registry, matcher, say: coffeeWords(registry) }) },
    slices: [flows.slice],
    channels: [flows.channel()],
    exposedTools: flows.mcpTools(),
    runtime,
    // Short, so that after a crash the next process goes on soon; the default suits machines under heavy load.
    turns: { leaseMs: 2_000 },
  } satisfies AgentOptions
}

/** Example Coffee: a shop whose orders are flows. */
export const coffeeAgent: AgentStart = {
  agent: coffeeCard,
  page: coffeePage,
  make(data, place) {
    const { secret } = data
    const runtime = systemRuntime()
    const books = keptBooks(data, place)
    const shop = new Shop({ books, clock: runtime.clock, minuteMs: minuteMs(process.env.COFFEE_MINUTE_MS) })
    return coffeeOptions({ shop, runtime, secret, url: place.url })
  },
}

/** How long a minute of preparation takes; two seconds, so that one sees it happen. */
function minuteMs(given = '2000'): number {
  const ms = Number(given)
  if (Number.isInteger(ms) && ms >= 10) return ms
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `COFFEE_MINUTE_MS must be a whole number of at least 10, not '${given}'.`,
  )
}
