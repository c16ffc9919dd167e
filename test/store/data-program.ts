// Not by the package's entry, which would load all channels.
import { openData } from '../../packages/beach/src/open-data.ts'
import { systemClock, systemRuntime, type Runtime } from '@cool-ai/beach-core'

// Opens a data folder as an agent would, writes a key, says so, and closes it. By a clock of that speed, if one is named.
const [folder = '', key = '', speed = '1'] = process.argv.slice(2)
const data = await openData({ folder, runtime: runtimeOf(Number(speed)) })
await data.store.bind(`test:${key}`, 'written')
process.stdout.write(`written ${key}\n`)
await data.store.close()
await data.missives.store.close()
await data.missives.identities.close()

function runtimeOf(times: number): Runtime {
  const start = systemClock.now()
  const clock = {
    now: () => start + (systemClock.now() - start) * times,
    timer: (ms: number, run: () => void) => systemClock.timer(ms / times, run),
  }
  return { ...systemRuntime(), clock }
}
