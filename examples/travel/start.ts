import { join } from 'node:path'
import { systemClock } from '@cool-ai/beach-core'
import { runAgent } from '@cool-ai/example-chat-page'
import { FileBasketStore } from './domain/file-basket-store.ts'
import { travelTools } from './domain/tools/travel-tools.ts'
import { chooseModel, sally } from './sally/sally.ts'

const agent = { id: 'example-travel-agent', name: 'ExampleTravel' }

await runAgent(agent, async ({ artifacts }) => {
  const { model, name } = await chooseModel(process.env)
  console.log(`Sally is played by ${name}`)
  const baskets = new FileBasketStore(join(process.env.BEACH_DATA ?? '.beach', 'baskets'))
  const tools = travelTools({ baskets, artifacts, tenant: 'default', sectionMs: 800 })
  return {
    actors: { sally: sally({ model, tools, clock: systemClock }) },
    // Short, so that after a crash the next process goes on soon; the default suits machines under heavy load.
    leaseMs: 2_000,
  }
})
