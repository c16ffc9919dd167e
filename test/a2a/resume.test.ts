import { defineActor } from '@cool-ai/beach'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { expect, test } from 'vitest'
import { frailConnection } from '../support/frail-connection.ts'
import { freePort } from '../support/free-port.ts'
import {
  collect,
  foldArtifacts,
  Gate,
  getTask,
  ownContext,
  request,
  runtime,
  says,
  send,
  startAgent,
  stateOf,
  statesIn,
  stockClient,
  ways,
} from './agent.ts'
import { sqliteFile } from './sqlite-file.ts'

/** Says words one at a time; each test decides when. */
function speaker(count: number) {
  const gates = Array.from({ length: count }, () => new Gate())
  async function* words(): AsyncGenerator<string> {
    for (const [index, gate] of gates.entries()) {
      await gate.opened
      yield `word${index} `
    }
  }
  const actor = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'response', text: words() }], turnState: 'complete' })
  })
  const all = gates.map((_, index) => `word${index} `).join('')
  return { actor, gates, all }
}

test.each(ways)('by %s, a caller that subscribes in mid-text gets all of it', async (way) => {
  const { actor, gates, all } = speaker(60)
  const { url } = await startAgent({ actors: { actor }, protocols: { a2a: { gatherMs: 5 } } })
  const client = await stockClient(url, way)
  const task = await send(client, says('speak'), { returnImmediately: true })
  for (const gate of gates.slice(0, 20)) gate.open()
  const stream = client.resubscribeTask({ id: task.id, tenant: '' })
  const { value: first } = await stream.next()
  expect(first?.payload?.$case).toBe('task')
  for (const gate of gates) gate.open()
  const events = await collect(stream)
  expect(statesIn(events).at(-1)).toBe('COMPLETED')
  expect([...foldArtifacts(events).values()]).toEqual([all])
})

test('ten who subscribe at different moments all get all of it', async () => {
  const { actor, gates, all } = speaker(60)
  const { url } = await startAgent({ actors: { actor }, protocols: { a2a: { gatherMs: 5 } } })
  const client = await stockClient(url)
  const task = await send(client, says('speak'), { returnImmediately: true })
  const streams: Promise<Awaited<ReturnType<typeof collect>>>[] = []
  for (const [index, gate] of gates.entries()) {
    gate.open()
    if (index % 6 !== 0 || index > 54) continue
    const stream = client.resubscribeTask({ id: task.id, tenant: '' })
    const { value } = await stream.next()
    streams.push(collect(stream).then((events) => [...(value?.payload ? [value.payload] : []), ...events]))
  }
  for (const events of await Promise.all(streams)) {
    expect([...foldArtifacts(events).values()]).toEqual([all])
    expect(statesIn(events).at(-1)).toBe('COMPLETED')
  }
})

test('a subscriber gets what there is with the task, and then only what is new', async () => {
  const gate = new Gate()
  const actor = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'response', text: 'First.' }], turnState: 'awaiting' })
    await gate.opened
    await respond({ parts: [{ partType: 'response', text: 'Second.' }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { actor } })
  const client = await stockClient(url)
  const asking = client.sendMessageStream(request(says('speak')))
  let event = await asking.next()
  const id = event.value?.payload?.$case === 'task' ? event.value.payload.value.id : ''
  while (event.value?.payload?.$case !== 'artifactUpdate') event = await asking.next()
  const stream = client.resubscribeTask({ id, tenant: '' })
  const { value: first } = await stream.next()
  const known = first?.payload ? [...foldArtifacts([first.payload]).values()] : []
  gate.open()
  const news = await collect(stream)
  expect([known, [...foldArtifacts(news).values()]]).toEqual([['First.'], ['Second.']])
  await collect(asking)
})

test('a connection that breaks in mid-text loses nothing: the task goes on, and subscribing gives the rest', async (context) => {
  const { actor, gates, all } = speaker(10)
  const port = await freePort()
  const frail = await frailConnection(context, port)
  // The card leads through the connection that will break.
  await startAgent({ actors: { actor }, port, publicUrl: frail.url, protocols: { a2a: { gatherMs: 1 } } })
  const client = await stockClient(frail.url)
  const stream = client.sendMessageStream(request(says('speak')))
  const { value } = await stream.next()
  const id = value?.payload?.$case === 'task' ? value.payload.value.id : ''
  gates[0]?.open()
  let event = await stream.next()
  while (event.value?.payload?.$case !== 'artifactUpdate') event = await stream.next()
  frail.cut()
  await expect(collect(stream)).rejects.toThrow(/terminated|fetch|network|reset/i)
  const again = client.resubscribeTask({ id, tenant: '' })
  expect((await again.next()).value?.payload?.$case).toBe('task')
  for (const gate of gates) gate.open()
  const events = await collect(again)
  expect([...foldArtifacts(events).values()]).toEqual([all])
})

test('after a restart on the same file a task goes on, and can be subscribed to under the same id', async () => {
  const path = sqliteFile()
  const { actor, gates } = speaker(3)
  const before = await startAgent({ actors: { actor }, data: { store: await SqliteStore.open({ path, runtime }) } })
  const client = await stockClient(before.url)
  const task = await send(client, says('speak', { contextId: ownContext('of-mine') }), { returnImmediately: true })
  const stream = client.resubscribeTask({ id: task.id, tenant: '' })
  await stream.next()
  gates[0]?.open()
  await before.stop()
  // The stream ends with its server, without an end of the task.
  expect(statesIn(await collect(stream).catch(() => []))).not.toContain('COMPLETED')
  const after = await startAgent({ actors: { actor }, data: { store: await SqliteStore.open({ path, runtime }) } })
  const again = await stockClient(after.url)
  const resumed = again.resubscribeTask({ id: task.id, tenant: '' })
  const { value } = await resumed.next()
  expect(value?.payload?.value).toMatchObject({ id: task.id, contextId: ownContext('of-mine') })
  for (const gate of gates) gate.open()
  const events = await collect(resumed)
  expect([...foldArtifacts(events).values()]).toEqual(['word0 word1 word2 '])
  expect(stateOf(await getTask(again, task.id))).toBe('COMPLETED')
})

test('a process that has read a task before sees what another one has written since', async () => {
  const path = sqliteFile()
  const { actor, gates } = speaker(1)
  const one = await startAgent({ actors: { actor }, data: { store: await SqliteStore.open({ path, runtime }) } })
  const client = await stockClient(one.url)
  const stream = client.sendMessageStream(request(says('speak')))
  const { value } = await stream.next()
  const id = value?.payload?.$case === 'task' ? value.payload.value.id : ''
  const other = await startAgent({ actors: { actor }, data: { store: await SqliteStore.open({ path, runtime }) } })
  const elsewhere = await stockClient(other.url)
  expect(stateOf(await getTask(elsewhere, id))).not.toBe('COMPLETED')
  gates[0]?.open()
  expect(statesIn(await collect(stream)).at(-1)).toBe('COMPLETED')
  expect(stateOf(await getTask(elsewhere, id))).toBe('COMPLETED')
})

test('on two processes with one store, subscribing and cancelling work on the other one', async () => {
  const path = sqliteFile()
  const started = new Gate()
  const stopped = new Gate()
  const actor = defineActor(async ({ signal, respond }) => {
    await respond({ parts: [{ partType: 'ack', text: 'Yes.' }], turnState: 'awaiting' })
    signal.addEventListener('abort', () => stopped.open())
    started.open()
    await stopped.opened
    signal.throwIfAborted()
  })
  const one = await startAgent({ actors: { actor }, data: { store: await SqliteStore.open({ path, runtime }) } })
  const client = await stockClient(one.url)
  const task = await send(client, says('go'), { returnImmediately: true })
  await started.opened
  const other = await startAgent({ actors: { actor }, data: { store: await SqliteStore.open({ path, runtime }) } })
  const elsewhere = await stockClient(other.url)
  const stream = elsewhere.resubscribeTask({ id: task.id, tenant: '' })
  await stream.next()
  const cancelled = await elsewhere.cancelTask({ id: task.id, tenant: '', metadata: undefined })
  expect(stateOf(cancelled)).toBe('CANCELED')
  await stopped.opened
  expect(statesIn(await collect(stream)).at(-1)).toBe('CANCELED')
})
