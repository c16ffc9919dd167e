import { getHeapSpaceStatistics } from 'node:v8'
import { CompactingMap } from './maps.ts'

// Prints which share of what passes through a map is in the old generation afterwards, although nothing needs it.
const map = new CompactingMap<number, unknown>()
const count = 400
const thing = () => Array.from({ length: 500 }, (_, index) => ({ index }))
let next = 0

function pass(): void {
  for (let passed = 0; passed < count; passed++) {
    map.set(++next, thing())
    map.delete(next - 8)
    if (passed % 50 === 0) collect({ type: 'minor' })
  }
}

function old(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0
}

const collect = globalThis.gc ?? (() => {})
pass()
collect()
const before = old()
pass()
collect({ type: 'minor' })
collect({ type: 'minor' })
// About what one takes: an element and an object of one field for each entry.
const each = thing().length * (8 + 32)
process.stdout.write(String((old() - before) / (count * each)))
