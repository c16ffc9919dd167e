import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('an agent streams in a process that had another server of @hono/node-server before', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--conditions=@cool-ai/source',
    'test/live/hono-first-program.ts',
  ])
  expect([stdout.trim(), stderr]).toEqual(['settled', ''])
})
