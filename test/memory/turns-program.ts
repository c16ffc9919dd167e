import { Agent, request, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { getHeapSpaceStatistics } from 'node:v8'
import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'

// Prints how many bytes of a turn, with its request, are in the old generation afterwards, although nothing needs them.
const actor = defineActor(async ({ respond }) => {
  await respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'complete' })
})
const data = await openData({ folder: process.argv[2] ?? '' })
const beach = await createBeach({
  agent: { id: 'a', name: 'A' },
  actors: { actor },
  data: { ...data, missives: false },
})
const serving = await serve(beach, { port: 0 })
const agent = new Agent({ keepAlive: true })
const { sessionId, token } = await post<{ sessionId: string; token: string }>('/sessions', {})

async function post<Answer>(path: string, body: unknown, authorization = ''): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...(authorization !== '' && { authorization }) }
    request(`${serving.url}${path}`, { method: 'POST', agent, headers }, resolve)
      .once('error', reject)
      .end(JSON.stringify(body))
  })
  return (await json(response)) as Answer
}

async function turn(): Promise<void> {
  const path = `/sessions/${sessionId}/messages`
  const { seq } = await post<{ seq: number }>(path, { text: 'Hello?' }, `Bearer ${token}`)
  const ending = new AbortController()
  for await (const items of data.store.tail(sessionId, seq, ending.signal)) {
    if (items.some((item) => 'seq' in item && (item.data as { type: string }).type === 'turnSettled')) break
  }
}

async function turns(count: number): Promise<void> {
  for (let done = 1; done <= count; done++) {
    await turn()
    if (done % 50 === 0) collect({ type: 'minor' })
  }
}

function old(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0
}

const collect = globalThis.gc ?? (() => {})
const count = 300
await turns(count)
collect()
const before = old()
await turns(count)
collect({ type: 'minor' })
collect({ type: 'minor' })
process.stdout.write(String((old() - before) / count))
await serving.close()
