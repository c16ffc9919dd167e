import { createBeach, openData, serve } from '@cool-ai/beach'
import { isBeachError } from '@cool-ai/beach-core'
import { helloActor } from './hello-actor.ts'
import { buildPage } from './build-page.ts'

const port = Number(process.env.PORT ?? 4747)
const folder = process.env.BEACH_DATA ?? '.beach'

try {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    console.error(`PORT must be a number from 0 to 65535, not '${process.env.PORT}'.`)
    process.exit(1)
  }
  const [page, data] = await Promise.all([
    buildPage(),
    openData({ folder, ...(process.env.BEACH_STORE !== undefined && { store: process.env.BEACH_STORE }) }),
  ])
  const beach = await createBeach({
    agent: { id: 'hello', name: 'Hello' },
    actors: { hello: helloActor },
    // Short, so that after a crash the next process goes on soon; the default suits machines under heavy load.
    leaseMs: 2_000,
    page,
    ...data,
  })
  const serving = await serve(beach, { port })
  console.log(`Hello is at ${serving.url}`)

  const stop = () => {
    serving.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
} catch (error) {
  if (!isBeachError(error)) throw error
  console.error(error.message)
  process.exit(1)
}
