import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, openData, type BeachOptions } from '@cool-ai/beach'
import { simulatedRuntime, type Channel } from '@cool-ai/beach-core'
import { expect, onTestFinished, test } from 'vitest'

const agent = { id: 'clerk', name: 'Clerk' }
const actors = { main: defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' })) }
const runtime = simulatedRuntime()
const user = { kind: 'user', id: 'anna', tenant: 'default' } as const

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'beach-data-'))
  onTestFinished(() => rm(made, { recursive: true }))
  return join(made, 'data')
}

/** Databases that a process still has open. */
const unclosed = (data: string) => readdirSync(data).filter((name) => name.endsWith('-wal'))

async function started(options: Partial<BeachOptions>) {
  const beach = await createBeach({ agent, actors, runtime, data: 'memory', ...options })
  onTestFinished(() => beach.close())
  return beach
}

test.each([undefined, false as const])(
  'a folder by its name is opened, and closed with the agent, with missives: %j',
  async (missives) => {
    const data = await folder()
    const first = await createBeach({ agent, actors, data: { folder: data, missives } })
    const session = await first.sessions.open({ principal: user, key: 'one' })
    await first.close()
    expect(unclosed(data)).toEqual([])
    const second = await started({ data: { folder: data, missives } })
    expect(await second.sessions.open({ principal: user, key: 'one' })).toBe(session)
  },
)

test('opened data stands in place of its fields, and a field that is given comes before it', async () => {
  const data = await openData({ folder: '', store: 'memory', runtime })
  const other = await openData({ folder: '', store: 'memory', runtime })
  const beach = await started({ data: { ...data, artifacts: other.artifacts } })
  const artifact = await other.artifacts.put(new Blob(['x']).stream(), {
    tenant: 'default',
    session: 's',
    name: 'x.txt',
    mimeType: 'text/plain',
  })
  const link = await beach.artifactUrl(artifact)
  expect((await beach.fetch(new Request(`http://127.0.0.1${link}`))).status).toBe(200)
  expect(beach.missives).toBeDefined()
})

test('an agent without data, and data that no store can open, are refused', async () => {
  await expect(createBeach({ agent, actors })).rejects.toThrow("such as '.beach' or 'memory'")
  await expect(createBeach({ agent, actors, data: 'mysql://db.example/beach' })).rejects.toThrow('There is no store')
})

test('data that was opened for an agent that cannot be made is closed, and its channels are ended', async () => {
  const data = await folder()
  let ended: AbortSignal | undefined
  const channel = (start: Channel['start']): Channel => ({ transport: 'pager', deliveryClass: 'buffered', start })
  const channels = [
    channel(async ({ signal }) => void (ended = signal)),
    channel(async () => {
      throw new Error('The pager is broken.')
    }),
  ]
  await expect(createBeach({ agent, actors, data, channels })).rejects.toThrow('The pager is broken.')
  expect(ended?.aborted).toBe(true)
  expect(unclosed(data)).toEqual([])
})

test('what the agent does is its card, which says the address that the agent listens on', async () => {
  const capabilities = [{ id: 'pay', description: 'Pays an invoice.' }]
  const beach = await started({ agent: { ...agent, description: 'Pays invoices.', capabilities } })
  const { url } = await beach.listen({ port: 0, signals: false })
  const response = await fetch(`${url}/.well-known/agent-card.json`)
  expect(await response.json()).toMatchObject({
    name: 'Clerk',
    description: 'Pays invoices.',
    skills: [{ id: 'pay' }],
    supportedInterfaces: expect.arrayContaining([expect.objectContaining({ url: `${url}/a2a` })]),
  })
  await beach.close()
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
})

test('a public URL stays the address of the card; before the agent has an address no card is served', async () => {
  const about = { ...agent, description: 'Pays invoices.' }
  const publicUrl = 'https://clerk.example'
  const named = await started({ agent: about, publicUrl })
  const { url } = await named.listen({ port: 0, signals: false })
  expect(await (await fetch(`${url}/.well-known/agent-card.json`)).text()).toContain(`${publicUrl}/a2a`)
  const unplaced = await started({ agent: about })
  const response = await unplaced.fetch(new Request('http://127.0.0.1/.well-known/agent-card.json'))
  expect(response.status).toBe(500)
})

test('capabilities without a description are refused', async () => {
  const about = { ...agent, capabilities: [] }
  await expect(createBeach({ agent: about, actors, data: 'memory' })).rejects.toThrow('`agent.description`')
})

test('the application gets the sessions before any channel starts', async () => {
  const order: string[] = []
  const channel: Channel = {
    transport: 'pager',
    deliveryClass: 'buffered',
    start: async () => void order.push('channel'),
  }
  const beach = await started({
    channels: [channel],
    onStart: async ({ sessions }) => void order.push(await sessions.open({ principal: user, key: 'one' })),
  })
  expect(order).toEqual([await beach.sessions.open({ principal: user, key: 'one' }), 'channel'])
})

test.each([
  ['sse', 'POST', '/sessions', 201],
  ['webSocket', 'GET', '/sessions/one/ws', 426],
  ['mcp', 'POST', '/mcp', 400],
  ['agui', 'GET', '/agui/capabilities', 200],
  ['a2a', 'GET', '/a2a', 405],
])('%s is on by default, and off with false', async (name, method, path, status) => {
  const card = { ...agent, description: 'Pays invoices.' }
  const transports = [{ protocol: 'mcp', version: 'stable', endpoint: 'https://clerk.example/mcp', tool: 'ask' }]
  for (const about of name === 'a2a' ? [card] : [agent, card]) {
    const answer = async (more: Partial<BeachOptions>) => {
      const beach = await started({ agent: about, publicUrl: 'https://clerk.example', ...more })
      return (await beach.fetch(new Request(`http://127.0.0.1${path}`, { method }))).status
    }
    expect(await answer({})).toBe(status)
    expect(
      await answer({ agent: { ...about, ...(name === 'a2a' && { transports }) }, protocols: { [name]: false } }),
    ).toBe(404)
  }
})

test('a protocol’s wrong settings are reported at the start', async () => {
  const auth = { type: 'api-key', header: 'X-Key' }
  await expect(createBeach({ agent, actors, data: 'memory', protocols: { a2a: { auth } } })).rejects.toThrow(
    'Give createBeach',
  )
})
