import { join } from 'node:path'
import { agentCaller, peerTools } from '@cool-ai/beach-a2a/peers'
import { credentialsOfPeers } from '@cool-ai/beach-channel/auth'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { systemRuntime } from '@cool-ai/beach-core'
import { AgentRegistry } from '@cool-ai/beach-transport/registry'
import type { AgentStart } from '@cool-ai/example-chat-page'
import { SessionFiles } from '@cool-ai/example-chat-page/session-files'
import { baxter, chooseModel } from './baxter/baxter.ts'
import { planSchema, type Plan } from './domain/week.ts'
import { weekTools } from './domain/week-tools.ts'
import { organiserCard } from './organiser-card.ts'

const agent = { id: 'example-organiser', name: 'Organiser' }
const travelId = 'example-travel-agent'

/** The organiser, with Baxter, who asks the travel agent at that address. */
export function organiserAgent(travelUrl: string): AgentStart {
  return {
    agent,
    async make(_data, { folder }) {
      const runtime = systemRuntime()
      const { clock } = runtime
      const plans = new SessionFiles<Plan>({
        folder: join(folder, 'weeks'),
        noun: 'week',
        empty: [],
        parse: (json) => planSchema.parse(json),
      })
      const model = await chooseModel(process.env, clock)
      const tools = [...weekTools(plans), ...askingTools(travelUrl, runtime)]
      return {
        card: organiserCard,
        actors: { baxter: baxter({ model, tools, clock }) },
        leaseMs: 2_000,
        peerNames: { [travelId]: 'ExampleTravel' },
      }
    },
  }
}

/** The tools by which Baxter asks others; their cards are read when they are first asked. */
function askingTools(travelUrl: string, runtime: ReturnType<typeof systemRuntime>) {
  // The address is in our own configuration, so it may be of this machine.
  const fetch = guardedFetch({ allow: [new URL(travelUrl).origin], clock: runtime.clock })
  const url = travelUrl.endsWith('/') ? travelUrl : `${travelUrl}/`
  const peers = new AgentRegistry({ peers: [{ id: travelId, url }], fetch, runtime })
  const credentials = credentialsOfPeers({ fetch })
  // Peers are told what its card says that it understands.
  const consumes = organiserCard.envelope?.consumes
  const caller = agentCaller({ peers, agent, fetch, runtime, credentials, consumes })
  return peerTools({ caller, peers, agentId: agent.id, runtime })
}
