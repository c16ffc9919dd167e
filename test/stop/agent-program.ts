import { appendFileSync } from 'node:fs'
import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'

// An agent whose tool has an effect that must happen once: it asks the test's gate, and is let through when the test
// says so.
const { PORT, BEACH_DATA: folder = '', GATE, GRACE_MS = '25000', NAME = 'agent' } = process.env

// Once the process was asked to end, its machine's clock is an hour ahead, and no time passes.
if (process.env.CLOCK_STEPS === 'yes') {
  const { now } = Date
  const stopped = performance.now()
  process.once('SIGTERM', () =>
    setImmediate(() => {
      Date.now = () => now() + 3_600_000
      performance.now = () => stopped
    }),
  )
}

const main = defineActor(async ({ text, tool, respond }) => {
  const charged = await tool({ name: 'charge', args: { text } }, async ({ key, signal }) => {
    const passed = await fetch(`${GATE}/${NAME}/${encodeURIComponent(text)}`, { signal })
    appendFileSync(`${folder}/effects`, `${key}\n`)
    return passed.text()
  })
  const said = charged.outcome === 'ok' ? charged.value : charged.outcome
  await respond({ parts: [{ partType: 'response', text: `${NAME}: ${said}` }], turnState: 'complete' })
})

await serve(
  async () =>
    createBeach({
      agent: { id: 'stopper', name: 'Stopper' },
      actors: { main },
      turns: { leaseMs: 2_000 },
      data: await openData({ folder }),
    }),
  { port: Number(PORT), stopGraceMs: Number(GRACE_MS) },
)
