import { runAgent } from '@cool-ai/example-kit'
import { organiserAgent } from './organiser-agent.ts'

await runAgent(organiserAgent(process.env.TRAVEL_URL ?? 'http://127.0.0.1:4747'))
