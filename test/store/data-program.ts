import { once } from 'node:events'
// Not by the package's entry, which would load all channels.
import { openData } from '../../packages/beach/src/open-data.ts'
import { systemClock, systemRuntime, type Runtime } from '@cool-ai/beach-core'

// Opens a data folder as an agent would, writes a key, says so, and closes it. By a clock of that speed, if one is named, and
// `when-told` not before something comes on its input.
const [folder = '', key = '', speed = '1', when] = process.argv.slice(2)
const data = await openData({ folder, runtime: runtimeOf(Number(speed)) })
if (when === 'when-told') {
  process.stderr.write('it is open\n')
  await once(process.stdin, 'data')
  process.stdin.destroy()
}
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
