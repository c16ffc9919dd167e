import { createBeach, openData } from '@cool-ai/beach'
import { demoClock } from '@cool-ai/example-kit/demo-clock'
import { travelAgent } from './travel-agent.ts'
import { travelCard } from './travel-card.ts'

// Standard output belongs to the protocol: what the program says besides goes to standard error.
console.log = console.error

const { BEACH_DATA: folder = '.beach', BEACH_STORE: store } = process.env
const place = { port: 0, folder, store, clock: demoClock(process.env) }
const tool = 'ask_example_travel'
const transports = [{ protocol: 'mcp', version: 'stable', endpoint: 'stdio://npm run mcp', transport: 'stdio', tool }]
const data = await openData({ ...place, agent: travelAgent.agent.id })
const made = await travelAgent.make(data, place)
const beach = await createBeach({
  ...made,
  data,
  agent: { ...travelCard, transports },
  // Only the program that has started this process can reach it.
  protocols: { ...made.protocols, a2a: false },
})
const connection = beach.mcpStdio()
// Calls that wait are answered before the pipes are closed; a second signal ends the process at once.
const graceMs = 25_000
const stop = () => void beach.close({ graceMs }).finally(() => void connection.close())
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
await connection.closed
await beach.close({ graceMs })
// The process then ends by itself: `process.exit` right after a start waits for ever now and then (Node 24, joining its threads).
process.stdin.destroy()
