import { runAgent } from '@cool-ai/example-kit'
import { travelAgent } from './travel-agent.ts'

await runAgent(travelAgent)
