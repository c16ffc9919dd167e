import { createServer } from 'node:net'
import { once } from 'node:events'
import { createBeach, defineActor, serve } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, onTestFinished, test } from 'vitest'

const runtime = systemRuntime({ logger: silentLogger })

const make = (publicUrl: string) =>
  createBeach({
    agent: {
      schemaVersion: '1.0',
      id: 'tester',
      name: 'Tester',
      description: 'Says nothing.',
      version: '1.0.0',
      capabilities: [],
    },
    actors: {
      main: defineActor(async ({ respond }) =>
        respond({ parts: [{ partType: 'response', text: 'ok' }], turnState: 'complete' }),
      ),
    },
    data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32) },
    runtime,
    publicUrl,
  })

test('an agent that is made once its address is known says that address, and requests wait for it', async () => {
  const { promise: maySee, resolve: see } = Promise.withResolvers<string>()
  const { promise: mayGoOn, resolve: continueCall } = Promise.withResolvers<void>()
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
  // A client that wants a WebSocket tries again.
  await expect(opened(`${url.replace('http', 'ws')}/sessions/sess_1/ws`)).resolves.toBe('refused')
  continueCall()
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

test('all agents of a process share one handler of signals, which goes with the last of them', async () => {
  const before = process.listenerCount('SIGTERM')
  const [one, other, silent] = [
    await serve(make, { port: 0 }),
    await serve(make, { port: 0 }),
    await serve(make, { port: 0, signals: false }),
  ]
  expect([process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]).toEqual([before + 1, before + 1])
  await one.close()
  await silent.close()
  expect(process.listenerCount('SIGTERM')).toBe(before + 1)
  await other.close()
  await other.close()
  expect(process.listenerCount('SIGTERM')).toBe(before)
})

/** An agent whose exposed tool runs until the test ends it. */
async function exposing() {
  const started = Promise.withResolvers<AbortSignal>()
  const may = Promise.withResolvers<string>()
  const charge = {
    name: 'charge',
    description: 'Charges a card.',
    inputSchema: { type: 'object' },
    handler: async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      started.resolve(signal)
      signal.addEventListener('abort', () => may.reject(signal.reason))
      return may.promise
    },
  } as const
  const beach = await createBeach({
    agent: { id: 'tester', name: 'Tester' },
    actors: {
      main: defineActor(async ({ respond }) =>
        respond({ parts: [{ partType: 'response', text: 'ok' }], turnState: 'complete' }),
      ),
    },
    data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32) },
    runtime,
    exposedTools: [charge],
  })
  const serving = await serve(beach, { port: 0 })
  const client = new Client(
    { name: 'tester', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', serving.url)))
  const called = client.callTool({ name: 'charge', arguments: {} })
  return { serving, called, signal: await started.promise, finish: () => may.resolve('charged') }
}

test('an exposed tool that a caller of MCP waits for ends within the grace', async () => {
  const { serving, called, signal, finish } = await exposing()
  const closed = serving.close({ graceMs: 60_000 })
  expect((await fetch(`${serving.url}/sessions`, { method: 'POST' })).status).toBe(503)
  expect(signal.aborted).toBe(false)
  finish()
  expect(await called).toMatchObject({ content: [{ type: 'text', text: 'charged' }] })
  await closed
})

test('a second call of close ends the grace of the first', async () => {
  const { serving, called, signal } = await exposing()
  called.catch(() => undefined)
  const closed = serving.close({ graceMs: 60_000 })
  await Promise.all([serving.close(), closed])
  expect(signal.aborted).toBe(true)
})
