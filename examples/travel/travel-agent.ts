import { join } from 'node:path'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import type { AgentStart } from '@cool-ai/example-kit'
import { examplePage } from '@cool-ai/example-kit/example-page'
import { automation } from './automation.ts'
import { keptBaskets } from './domain/kept-baskets.ts'
import { travelTools } from './domain/tools/travel-tools.ts'
import { localPeople } from './local-people.ts'
import { namesPeople, people } from './people.ts'
import { chooseModel, sally } from './sally/sally.ts'
import { travelSurfaces } from './surfaces/travel-surfaces.ts'
import { travelCard } from './travel-card.ts'

/** ExampleTravel, with Sally. */
export const travelAgent: AgentStart = {
  agent: travelCard,
  pageFiles: examplePage,
  async make(data, at) {
    const { folder, store, url, clock } = at
    const { artifacts } = data
    const { model, analyst, name } = await chooseModel(process.env, clock)
    console.log(`Sally is played by ${name}`)
    // Without accounts in the environment, local people stand in; they can be reached where there is a page.
    const local =
      url === undefined || namesPeople(process.env)
        ? undefined
        : await localPeople(data, { url, ...(store !== 'memory' && { folder: join(folder, 'neighbourhood') }) })
    if (local) {
      const { mailbox, phone, chat } = local.opening
      console.log(`Local stand-ins of mail, phones and a work chat:\n  ${mailbox}\n  ${phone}\n  ${chat}`)
    }
    const { channels, desk, approvers, place } = local ?? people(process.env)
    const baskets = desk.watched(keptBaskets(data, at))
    const tools = travelTools({ baskets, artifacts, tenant: 'default', clock, sectionMs: 800 })
    return {
      protocols: { mcp: { tool: 'ask_example_travel' } },
      templates: travelSurfaces(clock),
      actors: { sally: sally({ model, tools, clock }) },
      channels: [...automation(process.env), ...channels],
      // The desk is reminded of bookings that wait.
      approvals: { approvers, followUps: [{ afterMs: 4 * 3_600_000 }] },
      onStart: ({ sessions }) => desk.start(sessions),
      ...place,
      ...(local && { links: local.links, after: local.close }),
      turns: {
        translator: new LlmContextTranslator({ model: analyst, language: 'en' }),
        // Short, so that after a crash the next process goes on soon; the default suits machines under heavy load.
        leaseMs: 2_000,
      },
    }
  },
}
