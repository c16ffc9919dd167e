import { expect, test } from 'vitest'
import { createBeach } from './create-beach.ts'
import type { BeachOptions } from './beach-options.ts'

const agent = { id: 'clerk', name: 'Clerk' }

test.each([
  [undefined, 'Give createBeach `agent`'],
  [{}, 'Give createBeach `agent`'],
  [{ agent: {}, data: 'memory' }, 'Give createBeach `agent`'],
  [{ agent: { id: 5, name: 'Clerk' } }, 'Give createBeach `agent`'],
  [{ agent, data: 'memory' }, 'Give createBeach `actors`'],
  [{ agent, data: 'memory', actors: {} }, 'Give createBeach `actors`'],
  [{ agent, actors: { clerk: { run: async () => {} } } }, 'Give createBeach `data`'],
])('a program that is not type-checked is told what is missing: %j', async (options, problem) => {
  await expect(createBeach(options as unknown as BeachOptions)).rejects.toThrow(problem)
})
