import { test } from 'vitest'
import { killRun } from './support/kill-run.ts'
import { startServer } from './support/server-process.ts'

test.concurrent.for(['sse', 'websocket'] as const)(
  'conversations by %s end exactly once with their whole answers, however often the process is killed',
  { timeout: 120_000 },
  async (via, context) => {
    const server = await startServer(context, {
      program: 'examples/travel/start.mjs',
      variables: { BEACH_SCRIPT_MS: '8' },
    })
    const { problems, killsInTurns } = await killRun(server, { conversations: 4, kills: 3, pauseMs: 600, via })
    context.expect(problems).toEqual([])
    context.expect(killsInTurns).toBeGreaterThan(1)
  },
)
