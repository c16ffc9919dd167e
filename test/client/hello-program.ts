// An agent without a page, in a process that tests can kill.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createBeach, openData, serve } from '@cool-ai/beach'
import { helloActorAt } from '../../examples/hello/hello-actor.ts'

const { PORT = '0', BEACH_DATA: folder = '' } = process.env
// The first process speaks slowly, so that a test can end it in the middle; those after it only have to get to the end.
const wordMs = existsSync(join(folder, 'beach.db')) ? 2 : 40
const data = await openData({ folder })
const beach = await createBeach({
  data,
  agent: { id: 'hello', name: 'Hello' },
  actors: { hello: helloActorAt(wordMs) },
  turns: { leaseMs: 2_000 },
})
await serve(beach, { port: Number(PORT) })
