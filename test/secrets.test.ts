import { createHmac } from 'node:crypto'
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, openData, type Beach } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import type { Secret } from '@cool-ai/beach-core/tokens'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const runtime = systemRuntime({ logger: silentLogger })
const [old, current] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
const json = { 'content-type': 'application/json' }

class LastingStore extends MemoryStore {
  override async close(): Promise<void> {}
}

/** The same agent, started again and again with other secrets. */
function agent(store = new LastingStore({ runtime })) {
  return async (secret: Secret): Promise<Beach> => {
    const beach = await createBeach({
      agent: {
        schemaVersion: '1.0',
        id: 'tester',
        name: 'Tester',
        description: 'Echoes.',
        version: '1.0.0',
        capabilities: [],
      },
      actors: {
        echo: defineActor(async ({ text, respond }) => {
          await respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' })
        }),
      },
      publicUrl: 'http://127.0.0.1',
      page: () => new Response('page', { headers: { 'content-type': 'text/html' } }),
      data: { store, secret },
      runtime,
    })
    onTestFinished(() => beach.close())
    return beach
  }
}

const ask = (beach: Beach, path: string, init: RequestInit = {}) =>
  beach.fetch(new Request(`http://127.0.0.1${path}`, init))
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

async function openSession(beach: Beach) {
  const response = await ask(beach, '/sessions', { method: 'POST' })
  return (await response.json()) as { sessionId: string; token: string }
}

async function statusWith(beach: Beach, { sessionId, token }: { sessionId: string; token: string }) {
  return (await ask(beach, `/sessions/${sessionId}`, bearer(token))).status
}

const cookieFrom = ({ headers }: Response) => headers.get('set-cookie')?.split(';')[0] ?? ''

describe('when a secret is replaced', () => {
  test('a token works while the secret that has signed it is listed, and new ones need the new secret', async () => {
    const start = agent()
    const before = await openSession(await start(old))
    const both = await start([current, old])
    expect(await statusWith(both, before)).toBe(200)
    const after = await openSession(both)
    const only = await start(current)
    expect([await statusWith(only, before), await statusWith(only, after)]).toEqual([401, 200])
  })

  test('a cookie does too, and a page gives its browser a new one', async () => {
    const start = agent()
    const cookie = cookieFrom(await ask(await start(old), '/'))
    expect(cookieFrom(await ask(await start([current, old]), '/', { headers: { cookie } }))).toBe('')
    expect(cookieFrom(await ask(await start(current), '/', { headers: { cookie } }))).toMatch(/^beach_tester=eyJ/)
  })

  test('a guest of A2A keeps its context, named by itself or by the agent', async () => {
    const start = agent()
    const rpc = async (beach: Beach, method: string, params: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await ask(beach, '/a2a', { method: 'POST', headers: { ...json, 'a2a-version': '1.0' }, body })
      return (await response.json()) as { result?: { task?: { id: string; contextId: string } } }
    }
    const say = async (beach: Beach, contextId?: string) => {
      const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hi' }], contextId }
      return (await rpc(beach, 'SendMessage', { message })).result?.task
    }
    const own = 'mine-5f1c9a3e-7b2d-4c68-9e0f-a1d2c3b4e5f6'
    const first = await start(old)
    const [task] = [await say(first), await say(first, own)]
    expect(task).toMatchObject({ contextId: expect.stringMatching(/^ctx_/) as string })
    const both = await start([current, old])
    expect(await rpc(both, 'GetTask', { id: task?.id })).toMatchObject({ result: { id: task?.id } })
    await say(both, task?.contextId)
    await say(both, own)
    expect((await both.sessions.list({}, operator)).items).toHaveLength(2)
    const only = await start(current)
    expect(await rpc(only, 'GetTask', { id: task?.id })).toMatchObject({ error: {} })
    await say(only, own)
    expect((await only.sessions.list({}, operator)).items).toHaveLength(3)
  })

  test('a guest of AG-UI keeps its thread', async () => {
    const start = agent()
    const sessionsAfter = async (secret: Secret) => {
      const beach = await start(secret)
      const messages = [{ id: crypto.randomUUID(), role: 'user', content: 'hi' }]
      const threadId = '0f6d1c9a-3e7b-4d2d-8c68-9e0fa1d2c3b4'
      const body = JSON.stringify({ threadId, runId: crypto.randomUUID(), messages, tools: [], context: [], state: {} })
      const headers = { ...json, accept: 'text/event-stream' }
      const said = await (await ask(beach, '/agui', { method: 'POST', headers, body })).text()
      expect(said).toContain('RUN_FINISHED')
      return (await beach.sessions.list({}, operator)).items.length
    }
    expect([await sessionsAfter(old), await sessionsAfter([current, old]), await sessionsAfter(current)]).toEqual([
      1, 1, 2,
    ])
  })

  test('a guest of MCP keeps its conversation', async () => {
    const start = agent()
    const say = async (secret: Secret, conversationId?: string) => {
      const beach = await start(secret)
      const client = new Client({ name: 'tester', version: '1.0.0' })
      onTestFinished(() => client.close())
      const overHttp = (url: string | URL, init?: RequestInit) => beach.fetch(new Request(url, init))
      await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: overHttp }))
      const args = { message: 'hi', ...(conversationId !== undefined && { conversationId }) }
      const result = await client.callTool({ name: 'ask_tester', arguments: args })
      return (result.structuredContent as { conversationId?: string } | undefined)?.conversationId
    }
    const conversationId = await say(old)
    expect(conversationId).toMatch(/^conv_/)
    expect(await say([current, old], conversationId)).toBe(conversationId)
    expect(await say(current, conversationId)).toBeUndefined()
  })
})

test('tokens of the form before JWTs work while their secret is listed', async () => {
  const start = agent()
  const { sessionId, token } = await openSession(await start(old))
  const { kind, id, tenant } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    string
  >
  const before = (age: number, key = old) => {
    const claims = { kind, id, tenant, issuedAt: Date.now() - age }
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return `v1.${body}.${createHmac('sha256', key).update(`beach-token:${body}`).digest('base64url')}`
  }
  const beach = await start([current, old])
  const status = (old1: string) => statusWith(beach, { sessionId, token: old1 })
  expect(await status(before(1_000))).toBe(200)
  expect(await status(before(181 * 86_400_000))).toBe(401)
  expect(await status(before(1_000, new Uint8Array(32).fill(3)))).toBe(401)
  expect(await statusWith(await start(current), { sessionId, token: before(1_000) })).toBe(401)
})

describe('a data folder', () => {
  async function folder() {
    const path = await mkdtemp(join(tmpdir(), 'beach-secrets-'))
    onTestFinished(() => rm(path, { recursive: true }))
    return path
  }
  const opened = async (path: string, secret?: Secret) => {
    const data = await openData({ folder: path, runtime, secret })
    await data.store.close()
    return data.secret.map((each) => Buffer.from(each))
  }

  test('has a secret of its own; one that is moved aside verifies until it is removed', async () => {
    const path = await folder()
    const [first] = await opened(path)
    expect(await opened(path)).toEqual([first])
    renameSync(join(path, 'secret.key'), join(path, 'secret.2025.key'))
    const [second, ...others] = await opened(path)
    expect(second).not.toEqual(first)
    expect(others).toEqual([first])
    rmSync(join(path, 'secret.2025.key'))
    expect(await opened(path)).toEqual([second])
  })

  test('keeps a secret that was moved aside, though a process that was killed has left the draft of it', async () => {
    const path = await folder()
    const [first] = await opened(path)
    linkSync(join(path, 'secret.key'), join(path, `secret.key.${process.pid}`))
    renameSync(join(path, 'secret.key'), join(path, 'secret.2025.key'))
    expect((await opened(path))[1]).toEqual(first)
  })

  test('comes after BEACH_SECRET, which is a list, and gets no secret of its own then', async () => {
    const path = await folder()
    const [one, other] = ['a'.repeat(32), 'b'.repeat(44)]
    vi.stubEnv('BEACH_SECRET', `${one}, ${other}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect((await opened(path)).map(String)).toEqual([one, other])
    expect(await readdir(path)).not.toContain('secret.key')
    writeFileSync(join(path, 'secret.key'), old)
    expect((await opened(path)).map(String)).toEqual([one, other, String(Buffer.from(old))])
    expect(await opened(path, current)).toEqual([current, old].map((each) => Buffer.from(each)))
    expect((await openData({ folder: path, store: 'memory', runtime })).secret).toHaveLength(2)
  })

  test('with a secret that is too short is refused when the agent starts', async () => {
    await expect(agent()([current, Buffer.from('short')])).rejects.toThrow('A secret needs at least 32 bytes')
  })
})
