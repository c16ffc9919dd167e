import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { BeachError, silentLogger, systemRuntime, type Clock } from '@cool-ai/beach-core'

// An agent whose clock is wrong by `OFFSET_MS`, until `GET /set/<ms>` makes it wrong by something else.
const { PORT = '', BEACH_DATA = '', OFFSET_MS = '0', HANGS } = process.env
const system = systemRuntime({ logger: silentLogger })
let offset = Number(OFFSET_MS)
const clock: Clock = { ...system.clock, now: () => system.clock.now() + offset }
const runtime = { ...system, clock }
const failed = new Set<string>()

const beach = await createBeach({
  agent: { id: 'clock', name: 'Clock' },
  data: await openData({ folder: BEACH_DATA, runtime }),
  runtime,
  // Tokens outlive what the clock is set forward by.
  access: { tokens: { accessMs: 24 * 60 * 60 * 1_000 } },
  turns: { leaseMs: 1_000, retryFailed: ({ code }) => (code === 'TIMEOUT' ? 20_000 : 500) },
  page: (path) => {
    const [, set] = /^\/set\/(-?\d+)$/.exec(path) ?? []
    if (set === undefined) return undefined
    offset = Number(set)
    return new Response('set')
  },
  actors: {
    main: defineActor(async ({ text, respond }) => {
      if (text === 'hang' && HANGS === 'yes') await new Promise(() => {})
      if (text.startsWith('fail') && HANGS === 'yes' && !failed.has(text)) {
        failed.add(text)
        throw text === 'fail for long' ? new BeachError('TIMEOUT', 'Not yet.') : new Error('Not yet.')
      }
      await respond({ parts: [{ partType: 'response', text: `answered: ${text}` }], turnState: 'complete' })
    }),
  },
})
await serve(beach, { port: Number(PORT) })
