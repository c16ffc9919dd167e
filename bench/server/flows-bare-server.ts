import { randomUUID } from 'node:crypto'
import { createAdaptorServer } from '@hono/node-server'
import { systemRuntime } from '@cool-ai/beach-core'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { join } from 'node:path'
import { control } from './control.ts'

interface Said {
  readonly threadId: string
  readonly events: readonly { readonly value: { readonly eventId: string; readonly instanceId: string } }[]
}

const path = join(process.argv[2] ?? '.beach', 'bare.db')
const store = await SqliteStore.open({ path, runtime: systemRuntime() })
const heads = new Map<string, number>()
let seq = 0

/** What a flow writes for an event, without a flow. */
function written({ value }: Said['events'][number]) {
  const { eventId, instanceId } = value
  const at = Date.now()
  const data = { v: 1, eventId: randomUUID(), at, seq: ++seq, inReplyTo: eventId, instanceId, toState: 'heads' }
  const result = { eventId, at, instanceId, seq }
  const part = { data, metadata: { partType: 'intentflow.transition' } }
  return {
    type: 'sliceEvent',
    ns: 'intentflow',
    name: 'moved',
    id: randomUUID(),
    v: 1,
    at,
    payload: { value: { result }, part },
  }
}

/** The least that can be done with such events: they are read, and appended to a store. */
const server = createAdaptorServer({
  async fetch(request) {
    const { threadId, events } = (await request.json()) as Said
    const head = await store.append(threadId, heads.get(threadId) ?? 0, events.map(written))
    heads.set(threadId, head)
    const results = events.map(({ value }) => ({ eventId: value.eventId, status: 'applied', seq }))
    return Response.json({ results, runOpen: false }, { status: 202 })
  },
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) control(`http://127.0.0.1:${address.port}`)
})
