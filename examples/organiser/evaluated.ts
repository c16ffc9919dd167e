import type { AgentSource } from '@cool-ai/beach/evaluations'
import { baxter, chooseModel } from './baxter/baxter.ts'
import type { Plan } from './domain/week.ts'
import { weekTools } from './domain/week-tools.ts'
import { organiserCard } from './organiser-card.ts'

/** Baxter as he is evaluated: with weeks in memory; evaluations have what the travel agent answers. */
const evaluated: AgentSource = async ({ evaluation: { clock } }) => {
  const model = await chooseModel({ BEACH_SCRIPT_MS: '0', ...process.env }, clock)
  let plan: Plan = []
  const tools = weekTools({ load: async () => plan, update: async (_session, change) => (plan = change(plan)) })
  return {
    agent: { id: organiserCard.id, name: organiserCard.name },
    actors: { baxter: baxter({ model, tools, clock }) },
    peers: { 'example-travel-agent': { url: 'http://127.0.0.1:9/', name: 'ExampleTravel' } },
  }
}

export default evaluated
