import { runAgent } from '@cool-ai/example-chat-page'
import { coffeeAgent } from './coffee-agent.ts'

await runAgent(coffeeAgent)
