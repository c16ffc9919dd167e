import { runAgent } from '@cool-ai/example-kit'
import { coffeeAgent } from './coffee-agent.ts'

await runAgent(coffeeAgent)
