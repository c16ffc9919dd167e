import { once } from 'node:events'
import { createBeach, defineActor } from '@cool-ai/beach'
import { silentLogger, systemRuntime, type Clock, type Store } from '@cool-ai/beach-core'
import { cronChannel } from '@cool-ai/beach-hooks'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'

// A process with an hourly job, on a clock by which the tick is so long ahead when it is told that all others are there too; it ends when
// the tick is over, or is killed by itself at the write that it is told.
// Timers of the agent's do not keep a process alive: its server does, and there is none here.
const alive = setInterval(() => {}, 1_000)
const { STORE = '', BEFORE = '', TICK = '', SESSION = 'new', DIE_AT = '' } = process.env
const system = systemRuntime({ logger: silentLogger })
// Nothing has looked at the clock before.
process.send?.('ready')
const [begunAt] = (await once(process, 'message')) as [number]
process.disconnect()
const offset = Number(TICK) - Number(BEFORE) - begunAt
const clock: Clock = { now: () => system.clock.now() + offset, timer: (ms, run) => system.clock.timer(ms, run) }
const runtime = { ...system, clock }
const store: Store = STORE.startsWith('postgres:')
  ? await PostgresStore.open({ database: await PostgresDatabase.open({ url: STORE, runtime }), runtime })
  : await SqliteStore.open({ path: STORE, runtime })
const bind = store.bind.bind(store)
store.bind = async (key, value) => {
  const standing = await bind(key, value)
  if (DIE_AT !== '' && key.includes(DIE_AT)) process.kill(process.pid, 'SIGKILL')
  return standing
}
const parts = [{ partType: 'message', text: 'report' }]
const session = SESSION === 'same' ? 'same' : 'new'
const channel = cronChannel({ jobs: { report: { cron: '0 * * * *', session, missed: 'skip', parts } }, store, runtime })
const beach = await createBeach({
  agent: { id: 'cron', name: 'Cron' },
  actors: {
    main: defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
    }),
  },
  data: { store, secret: new Uint8Array(32).fill(7) },
  runtime,
  turns: { leaseMs: 1_000 },
  channels: [channel],
})
for (;;) {
  const done = await store.list('cron:')
  if (done.some(({ key }) => key.includes(':done:') && Number(key.split(':').at(-1)) >= Number(TICK))) break
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await beach.close()
clearInterval(alive)
