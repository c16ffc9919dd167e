import { createServer } from 'node:net'
import { once } from 'node:events'
import { createBeach, defineActor, serve } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, onTestFinished, test } from 'vitest'

const runtime = systemRuntime({ logger: silentLogger })

const make = (publicUrl: string) =>
  createBeach({
    agent: { id: 'tester', name: 'Tester' },
    actors: { main: defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' })) },
    store: new MemoryStore({ runtime }),
    secret: new Uint8Array(32),
    runtime,
    publicUrl,
    card: {
      schemaVersion: '1.0',
      id: 'tester',
      name: 'Tester',
      description: 'Says nothing.',
      version: '1.0.0',
      capabilities: [],
    },
  })

test('an agent that is made once its address is known says that address, and requests wait for it', async () => {
  const { promise: maySee, resolve: see } = Promise.withResolvers<string>()
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
  const serving = serve(
    async (url) => {
      see(url)
      await mayGoOn
      return make(url)
    },
    { port: 0 },
  )
  const url = await maySee
  const asked = fetch(`${url}/.well-known/agent-card.json`)
  // Somebody who would like a WebSocket tries again.
  await expect(opened(`${url.replace('http', 'ws')}/sessions/sess_1/ws`)).resolves.toBe('refused')
  goOn()
  expect(await (await asked).text()).toContain(`${url}/a2a`)
  await (await serving).close()
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
})

test('a port that is taken is said before an agent is made, and an agent that cannot be made gives the port back', async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const makes: string[] = []
  const failing = (url: string) => {
    makes.push(url)
    throw new Error('There is no data.')
  }
  await expect(serve(failing, { port })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${port}. It is in use; choose another with PORT.`,
  )
  expect(makes).toEqual([])
  await expect(serve(failing, { port: 0 })).rejects.toThrow('There is no data.')
  await expect(fetch(`${makes[0]}/healthz`)).rejects.toThrow('fetch failed')
})

function opened(url: string): Promise<'opened' | 'refused'> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, 'beach.v1')
    socket.addEventListener('open', () => resolve('opened'))
    socket.addEventListener('error', () => resolve('refused'))
  })
}
