import { createBeach, defineActor } from '@cool-ai/beach'
import { sample } from './003-card.ts'

// Standard output belongs to the protocol.
console.log = console.error

const pipe = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `By pipe: ${text}` }], turnState: 'complete' })
})

const tool = 'ask_example_travel'
const beach = await createBeach({
  agent: {
    ...sample,
    transports: [{ protocol: 'mcp', version: 'stable', endpoint: 'stdio://travel', transport: 'stdio', tool }],
  },
  data: 'memory',
  actors: { pipe },
  protocols: { a2a: false },
})
await beach.mcpStdio().closed
await beach.close()
process.stdin.destroy()
