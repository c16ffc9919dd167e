import { expect, test } from 'vitest'
import { killRun } from './support/kill-run.ts'
import { startServer } from './support/server-process.ts'

test('conversations end exactly once with their whole answers, however often the process is killed', async (context) => {
  const server = await startServer(context, { program: 'examples/travel/start.mjs' })
  const { problems, kills } = await killRun(server, { conversations: 5, kills: 4 })
  expect(problems).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(4)
}, 120_000)
