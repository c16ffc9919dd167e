import { simulatedRuntime, type Principal } from '@cool-ai/beach-core'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { Admission } from '@cool-ai/beach-channel/admission'
import { LegacySessions, type LegacyLimits } from './legacy-sessions.ts'

const user = (id: string): Principal => ({ kind: 'user', id, tenant: 't' })

function context(limits: LegacyLimits) {
  const runtime = simulatedRuntime()
  const sessions = new LegacySessions({
    runtime,
    limits,
    keepAliveMs: 0,
    admission: new Admission({ clock: runtime.clock, limits: { network: { sessions: { perMinute: 100_000 } } } }),
    serverFor: () => new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { tools: {} } }),
  })
  const send = (body: unknown, session?: string, principal?: Principal, method = 'POST', network?: string) => {
    const headers = {
      'content-type': 'application/json',
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session }),
    }
    const request = new Request('http://localhost/mcp', { method, headers })
    return sessions.fetch(request, body, { ...(principal && { principal }), ...(network !== undefined && { network }) })
  }
  const begin = async (principal?: Principal, network?: string) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const response = await send(
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      undefined,
      principal,
      'POST',
      network,
    )
    await response.text()
    return response.headers.get('mcp-session-id') ?? ''
  }
  const ping = async (session: string, principal?: Principal) => {
    const response = await send({ jsonrpc: '2.0', id: 2, method: 'ping' }, session, principal)
    await response.text()
    return response.status
  }
  return { runtime, sessions, send, begin, ping }
}

test('an unused session is released; one with an open stream is not', async () => {
  const { runtime, sessions, begin, ping, send } = context({ idleMs: 1_000 })
  const [idle, used, open] = [await begin(), await begin(), await begin()]
  const stream = await send(undefined, open, undefined, 'GET')
  await runtime.clock.advance(900)
  expect(await ping(used)).toBe(200)
  await runtime.clock.advance(200)
  await expect(ping(idle)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await ping(used)).toBe(200)
  await runtime.clock.advance(2_000)
  expect(sessions.size).toBe(1)
  await stream.body?.cancel()
  await runtime.clock.advance(2_000)
  expect(sessions.size).toBe(0)
})

test('guests have half of the room, and one too many takes the place of the one that has rested longest', async () => {
  const { runtime, sessions, begin, ping } = context({ sessions: 4 })
  const first = await begin()
  await runtime.clock.advance(1)
  const second = await begin()
  await runtime.clock.advance(1)
  const third = await begin()
  expect(sessions.size).toBe(2)
  await expect(ping(first)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await ping(second)).toBe(200)
  expect(await ping(third)).toBe(200)
})

test('guests never take the place of a caller with a credential', async () => {
  const { begin, ping } = context({ sessions: 4 })
  const alice: Principal = { kind: 'user', id: 'alice', tenant: 'acme' }
  const kept = await begin(alice)
  for (let count = 0; count < 10; count++) await begin()
  expect(await ping(kept, alice)).toBe(200)
  expect(await begin(alice)).toMatch(/^mcp_/)
})

test('when all are in use there is no room', async () => {
  const { begin, send } = context({ sessions: 1 })
  const stream = await send(undefined, await begin(), undefined, 'GET')
  await expect(begin()).rejects.toMatchObject({ code: 'TOO_MANY' })
  await stream.body?.cancel()
  expect(await begin()).toMatch(/^mcp_/)
})

test('guests push out no session that was used within five minutes, though all others are used too', async () => {
  const { runtime, begin, ping } = context({ sessions: 4 })
  const [first, second] = [await begin(), await begin()]
  expect([await ping(first), await ping(second)]).toEqual([200, 200])
  await runtime.clock.advance(5 * 60_000 - 1)
  await expect(begin()).rejects.toMatchObject({ code: 'TOO_MANY' })
  expect(await ping(second)).toBe(200)
  await runtime.clock.advance(1)
  expect(await begin()).toMatch(/^mcp_/)
  await expect(ping(first)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('one principal has so many and no more, at the cost of its own', async () => {
  const { runtime, begin, ping } = context({ sessionsPerPrincipal: 1 })
  const mine = await begin(user('me'))
  await runtime.clock.advance(1)
  await begin(user('other'))
  expect(await ping(mine, user('me'))).toBe(200)
  await begin(user('other'))
  expect(await ping(mine, user('me'))).toBe(200)
  await runtime.clock.advance(1)
  await begin(user('me'))
  await expect(ping(mine, user('me'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('a session is for the caller that began it', async () => {
  const { begin, ping } = context({})
  const mine = await begin(user('me'))
  const guest = await begin()
  await expect(ping(mine, user('other'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(ping(mine)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(ping(guest, user('me'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await ping(mine, user('me'))).toBe(200)
  expect(await ping(guest)).toBe(200)
})

test('a session ends when its client says so, and without one nothing begins but `initialize`', async () => {
  const { sessions, begin, ping, send } = context({})
  const session = await begin()
  expect((await send(undefined, session, undefined, 'DELETE')).status).toBe(200)
  expect(sessions.size).toBe(0)
  await expect(ping(session)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  await begin()
  await sessions.close()
  expect(sessions.size).toBe(0)
})

test('sessions in use outlive a clock that is set forward, and idle ones do not outlive one that is set back', async () => {
  const { runtime, sessions, begin, ping } = context({ idleMs: 1_000 })
  const session = await begin()
  await runtime.clock.advance(500)
  expect(await ping(session)).toBe(200)
  runtime.clock.step(60 * 60 * 1_000)
  await runtime.clock.advance(600)
  expect(await ping(session)).toBe(200)
  runtime.clock.step(-2 * 60 * 60 * 1_000)
  await runtime.clock.advance(3_000)
  expect(sessions.size).toBe(0)
})

test('a flood of guests pushes out its own, and no session of another network or in use', async () => {
  const { runtime, sessions, begin, ping } = context({ sessions: 40 })
  const known = await begin(user('me'))
  const [quiet, busy] = [await begin(undefined, '192.0.2.1'), await begin(undefined, '192.0.2.66')]
  expect(await ping(busy, undefined)).toBe(200)
  await runtime.clock.advance(1)
  // With tokens or without: a caller gets as many tokens as it wants.
  for (let n = 0; n < 100; n++) {
    const guest: Principal | undefined = n % 2 === 0 ? undefined : { kind: 'anonymous', id: `g${n}`, tenant: 't' }
    await begin(guest, '192.0.2.66')
  }
  // The guests' half of the room, less what no single network may take.
  expect(sessions.size).toBe(18)
  expect([await ping(known, user('me')), await ping(quiet), await ping(busy)]).toEqual([200, 200, 200])
})

test('when guests of many networks have filled their room, the networks with most make place', async () => {
  const { sessions, begin, ping } = context({ sessions: 20 })
  const quiet = await begin(undefined, '192.0.2.1')
  for (let n = 0; n < 50; n++) await begin(undefined, `198.51.100.${n % 3}`)
  expect(sessions.size).toBe(10)
  expect(await ping(quiet)).toBe(200)
  const late = await begin(undefined, '192.0.2.2')
  expect([await ping(late), await ping(quiet), sessions.size]).toEqual([200, 200, 10])
})
