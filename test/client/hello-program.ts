// An agent without a page, in a process that tests can kill.
import { createBeach, openData, serve } from '@cool-ai/beach'
import { helloActor } from '../../examples/hello/hello-actor.ts'

const { PORT = '0', BEACH_DATA: folder = '' } = process.env
const data = await openData({ folder })
const beach = await createBeach({
  data,
  agent: { id: 'hello', name: 'Hello' },
  actors: { hello: helloActor },
  turns: { leaseMs: 2_000 },
})
await serve(beach, { port: Number(PORT) })
