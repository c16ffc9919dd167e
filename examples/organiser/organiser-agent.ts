import type { AgentStart } from '@cool-ai/example-kit'
import { examplePage } from '@cool-ai/example-kit/example-page'
import { sessionValues } from '@cool-ai/example-kit/session-values'
import { baxter, chooseModel } from './baxter/baxter.ts'
import { planSchema, type Plan } from './domain/week.ts'
import { weekTools } from './domain/week-tools.ts'
import { organiserCard } from './organiser-card.ts'

const travelId = 'example-travel-agent'
const travelName = 'ExampleTravel'

/** The organiser, with Baxter, who asks the travel agent at that address. */
export function organiserAgent(travelUrl: string): AgentStart {
  return {
    agent: organiserCard,
    pageFiles: examplePage,
    async make(data, place) {
      const { clock } = place
      const plans = sessionValues<Plan>(data, place, {
        folder: 'weeks',
        noun: 'week',
        empty: [],
        parse: (json) => planSchema.parse(json),
      })
      const model = await chooseModel(process.env, clock)
      return {
        actors: { baxter: baxter({ model, tools: weekTools(plans), clock }) },
        peers: { [travelId]: { url: travelUrl.endsWith('/') ? travelUrl : `${travelUrl}/`, name: travelName } },
        turns: { leaseMs: 2_000 },
        peerNames: { [travelId]: travelName },
      }
    },
  }
}
