import { createBeach, openData } from '@cool-ai/beach'
import { travelAgent } from './travel-agent.ts'

// Standard output belongs to the protocol: what the program says besides goes to standard error.
console.log = console.error

const { BEACH_DATA: folder = '.beach', BEACH_STORE: store } = process.env
const place = { port: 0, folder, ...(store !== undefined && { store }) }
const data = await openData(place)
const beach = await createBeach({
  publicUrl: `http://127.0.0.1:${process.env.PORT ?? 4747}`,
  ...(await travelAgent.make(data, place)),
  ...data,
  agent: travelAgent.agent,
})
const connection = beach.mcpStdio()
process.once('SIGINT', () => void connection.close())
process.once('SIGTERM', () => void connection.close())
await connection.closed
await beach.close()
process.exit(0)
