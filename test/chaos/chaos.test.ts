import { expect, test } from 'vitest'
import { PostgresServer } from '../support/postgres-server.ts'
import { chaosRun } from './chaos-run.ts'

// A short run of `npm run chaos`; what it does by which seed is decided in faults.ts.
const short = { conversations: 10, seconds: 4, seed: 1 }

test('on one SQLite file, conversations of all channels end right though processes are killed and frozen', async () => {
  const report = await chaosRun({ ...short, processes: 2 })
  expect(report.problems).toEqual([])
  expect(report.faults.kill).toBeGreaterThan(0)
})

test('on PostgreSQL they do so though the server is restarted too', async () => {
  await using postgres = await PostgresServer.start()
  const report = await chaosRun({ ...short, processes: 2, postgres })
  expect(report.problems).toEqual([])
  expect(report.faults.kill).toBeGreaterThan(0)
  expect(report.faults.restart).toBeGreaterThan(0)
})
