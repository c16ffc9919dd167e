import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test, vi } from 'vitest'
import { Operations } from '../../packages/a2a/src/server/operations.ts'
import { TaskProjection } from '../../packages/a2a/src/server/task-projection.ts'
import { knownClient, ownContext, runtime, says, send, startAgent, stockClient } from './agent.ts'

/** What a list of one context costs: the frames that are folded, and the events that are read, of so many. */
async function costOf(tasks: number): Promise<{ folded: number; read: number; events: number }> {
  const store = new MemoryStore({ runtime })
  const { url } = await startAgent({ data: { store } })
  const client = await knownClient(url)
  let session = ''
  for (let n = 0; n < tasks; n++) {
    const task = await send(client, says(`Number ${n}`, { contextId: ownContext('c') }))
    session = task.id.split('.')[0] ?? ''
  }
  const fold = vi.spyOn(TaskProjection.prototype, 'apply')
  const read = vi.spyOn(store, 'read')
  const query = { tenant: '', contextId: ownContext('c'), status: 0, pageToken: '', includeArtifacts: false }
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

type Listed = { readonly tasks: readonly { readonly id: string }[]; readonly nextPageToken: string }

const text = 'x'.repeat(200_000)

/** A context with so many large tasks, and calls of one's own. */
async function largeTasks(count: number) {
  const { url } = await startAgent()
  const client = await stockClient(url)
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.unshift((await send(client, says(text, { contextId: ownContext('c') }))).id)
  const post = async (body: unknown) => {
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
    const response = await fetch(`${url}/a2a`, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.text()
  }
  return { ids, post }
}

function listCall(params: object, id = 1) {
  return { jsonrpc: '2.0', id, method: 'ListTasks', params: { contextId: ownContext('c'), ...params } }
}

test('the answers of old turns are found without reading the log from its start for each', async () => {
  const store = new MemoryStore({ runtime })
  const { url } = await startAgent({ data: { store } })
  const client = await stockClient(url)
  for (let n = 0; n < 80; n++) await send(client, says(`Number ${n}`, { contextId: ownContext('c') }))
  const read = vi.spyOn(store, 'read')
  const query = { tenant: '', contextId: ownContext('c'), status: 0, pageToken: '', includeArtifacts: false }
  const { tasks } = await client.listTasks({ ...query, pageSize: 100, statusTimestampAfter: undefined })
  expect(tasks).toHaveLength(80)
  const fromTheStart = read.mock.calls.filter(([, after]) => after === 0)
  read.mockRestore()
  expect(fromTheStart).toHaveLength(1)
})

test('one answer holds a few megabytes, and the rest is on further pages', async () => {
  const { ids, post } = await largeTasks(24)
  const seen: string[] = []
  let pageToken = ''
  let pages = 0
  do {
    const answer = await post(listCall({ pageSize: 100, pageToken }))
    expect(answer.length).toBeLessThan(4_100_000)
    const { result } = JSON.parse(answer) as { result: Listed & { totalSize: number } }
    expect(result.totalSize).toBe(24)
    seen.push(...result.tasks.map((task) => task.id))
    pageToken = result.nextPageToken
    pages++
  } while (pageToken !== '')
  expect(seen).toEqual(ids)
  expect(pages).toBeGreaterThan(1)
})

test('a batch runs one call after the other, and ends when its answers are as much as it may hold', async () => {
  const { post } = await largeTasks(12)
  let underWay = 0
  let max = 0
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this` below.
  const list = Operations.prototype.listTasks
  const listing = vi.spyOn(Operations.prototype, 'listTasks').mockImplementation(async function (
    this: Operations,
    ...given
  ) {
    max = Math.max(max, ++underWay)
    return list.apply(this, given).finally(() => underWay--)
  })
  const answer = await post(Array.from({ length: 50 }, (_, id) => listCall({ pageSize: 100 }, id)))
  const calls = listing.mock.calls.length
  listing.mockRestore()
  expect(max).toBe(1)
  expect(answer.length).toBeLessThan(12_100_000)
  const answers = JSON.parse(answer) as { id: number; result?: Listed; error?: { code: number; message: string } }[]
  expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, id) => id))
  const refused = answers.filter(({ error }) => error !== undefined)
  expect(refused).toHaveLength(50 - calls)
  expect(calls).toBeLessThan(10)
  expect(refused[0]?.error).toMatchObject({ code: -32_000, message: expect.stringContaining('batch') as string })
})

test('a list lets others through between the pages of a long log', async () => {
  const { post } = await largeTasks(8)
  const sent = post(listCall({ historyLength: 0 }))
  let isListing = true
  let rounds = 0
  const list = vi.spyOn(Operations.prototype, 'listTasks')
  const count = () => {
    if (list.mock.calls.length > 0) rounds++
    if (isListing) setImmediate(count)
  }
  count()
  await vi.waitFor(() => expect(list).toHaveBeenCalled())
  await list.mock.results[0]?.value
  isListing = false
  list.mockRestore()
  // Each message is a page of its own, and each answer another.
  expect(rounds).toBeGreaterThan(8)
  await sent
})
