import type { AgentSource } from '@cool-ai/beach/evaluations'
import { MemoryBasketStore } from './domain/memory-basket-store.ts'
import { travelTools } from './domain/tools/travel-tools.ts'
import { deskPrincipal } from './desk.ts'
import { chooseModel, sally } from './sally/sally.ts'
import { travelSurfaces } from './surfaces/travel-surfaces.ts'
import { travelCard } from './travel-card.ts'

/** Sally as she is evaluated: with baskets in memory, and a desk that approves too. */
const evaluated: AgentSource = async ({ evaluation: { data, clock } }) => {
  const { model } = await chooseModel({ BEACH_SCRIPT_MS: '0', ...process.env }, clock)
  const tools = travelTools({ baskets: new MemoryBasketStore(), artifacts: data.artifacts, tenant: 'default', clock })
  const { kind, id } = deskPrincipal
  return {
    agent: { id: travelCard.id, name: travelCard.name },
    templates: travelSurfaces(clock),
    actors: { sally: sally({ model, tools, clock }) },
    approvals: { approvers: ['owner', 'operator', { kind, id }] },
  }
}

export default evaluated
