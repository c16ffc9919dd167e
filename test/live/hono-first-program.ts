// An application that has a server of Hono's before it loads Beach, which replaces the global Response.
import { createAdaptorServer } from '@hono/node-server'

createAdaptorServer({ fetch: () => new Response('another server') })
const { createBeach, defineActor, serve } = await import('@cool-ai/beach')
const { MemoryStore } = await import('@cool-ai/beach-session/memory')
const { connect, openSession } = await import('@cool-ai/beach-client')

const actor = defineActor(({ respond }) =>
  respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'complete' }),
)
const beach = await createBeach({
  agent: { id: 'second', name: 'Second' },
  actors: { actor },
  data: { store: new MemoryStore(), secret: new Uint8Array(32) },
})
const serving = await serve(beach, { port: 0 })
const { url } = serving
const { sessionId, token } = await openSession({ url })
const events = await fetch(`${url}/sessions/${sessionId}/events`, { headers: { authorization: `Bearer ${token}` } })
const conversation = connect({ url, sessionId, token })
await conversation.send('hi')
let seen = ''
const decoder = new TextDecoder()
for await (const bytes of events.body ?? []) {
  seen += decoder.decode(bytes)
  if (seen.includes('event: settled')) break
}
console.log(seen.includes('event: settled') ? 'settled' : 'the stream ended early')
conversation.close()
await serving.close()
