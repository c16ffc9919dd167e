import { runAgent } from '@cool-ai/example-chat-page'
import { travelAgent } from './travel-agent.ts'

await runAgent(travelAgent)
