import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test, vi } from 'vitest'
import { TaskProjection } from '../../packages/transport/src/a2a/task-projection.ts'
import { runtime, says, send, startAgent, stockClient } from './agent.ts'

/** What a list of one context costs: the frames that are folded, and the events that are read, of so many. */
async function costOf(tasks: number): Promise<{ folded: number; read: number; events: number }> {
  const store = new MemoryStore({ runtime })
  const { url } = await startAgent({ store })
  const client = await stockClient(url)
  let session = ''
  for (let n = 0; n < tasks; n++) {
    const task = await send(client, says(`Number ${n}`, { contextId: 'c' }))
    session = task.id.split('.')[0] ?? ''
  }
  const fold = vi.spyOn(TaskProjection.prototype, 'apply')
  const read = vi.spyOn(store, 'read')
  const query = { tenant: '', contextId: 'c', status: 0, pageToken: '', includeArtifacts: false }
  const { totalSize } = await client.listTasks({ ...query, pageSize: 5, statusTimestampAfter: undefined })
  expect(totalSize).toBe(tasks)
  const found = await Promise.all(read.mock.results.map(({ value }) => value as Promise<readonly unknown[]>))
  const folded = fold.mock.calls.length
  fold.mockRestore()
  return { folded, read: found.flat().length, events: (await store.read(session, 0)).length }
}

test('a list of a long context costs as much for each task as one of a short context', async () => {
  const short = await costOf(8)
  const long = await costOf(64)
  expect(long.folded / 64).toBe(short.folded / 8)
  // The log is read once, whatever of it the process does not remember; the answers of one page are looked up besides.
  expect(long.read).toBeLessThan(2 * long.events)
})
