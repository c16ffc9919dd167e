import { defineActor } from '@cool-ai/beach'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test, vi } from 'vitest'
import {
  collect,
  getTask,
  onlySession,
  ownContext,
  runtime,
  says,
  send,
  startAgent,
  stateOf,
  stockClient,
} from './agent.ts'

const actor = defineActor(async ({ text, respond }) => {
  if (text === 'ask') return respond({ parts: [{ partType: 'clarify', text: 'Which?' }], turnState: 'clarifying' })
  return respond({ parts: [{ partType: 'response', text: 'ok' }], turnState: 'complete' })
})
const consumes = 'https://beach.cool-ai.io/extensions/v1/consumes'
const contextId = ownContext('c')

/** A context whose first task is small, with much after it, and how many events are read of it from the store. */
async function longContext(first: string) {
  const store = new MemoryStore({ runtime })
  const { url, beach } = await startAgent({ data: { store }, actors: { actor } })
  const client = await stockClient(url)
  const task = await send(client, says(first, { contextId, metadata: { [consumes]: ['response'] } }))
  for (let n = 0; n < 20; n++) await send(client, says('x'.repeat(200_000), { contextId }))
  const events = (await store.read(await onlySession(beach), 0)).length
  const readBy = async (work: () => Promise<unknown>) => {
    const read = vi.spyOn(store, 'read')
    await work()
    const found = await Promise.all(read.mock.results.map(({ value }) => value as Promise<readonly unknown[]>))
    read.mockRestore()
    return found.flat().length
  }
  return { client, task, events, readBy }
}

test('a task that is over is read without what came after it', async () => {
  const { client, task, events, readBy } = await longContext('hello')
  const read = await readBy(async () => expect(stateOf(await getTask(client, task.id))).toBe('COMPLETED'))
  expect(read).toBeLessThan(events / 3)
})

test('what came while a task asks is read once, however many look at the task', async () => {
  const { client, task, events, readBy } = await longContext('ask')
  const look = async () => expect(stateOf(await getTask(client, task.id))).toBe('INPUT_REQUIRED')
  expect(await readBy(() => Promise.all([look(), look(), look()]))).toBeLessThan(2 * events)
  expect(await readBy(look)).toBeLessThan(events / 3)
  // And what comes then is not passed over.
  const following = collect(client.resubscribeTask({ id: task.id, tenant: '' }))
  await send(client, says('another', { contextId }))
  await look()
  const answered = await send(client, says('blue', { taskId: task.id }))
  expect(stateOf(answered)).toBe('COMPLETED')
  expect(stateOf(await getTask(client, task.id))).toBe('COMPLETED')
  expect((await following).at(-1)?.$case).toBe('statusUpdate')
})
