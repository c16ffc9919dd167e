import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import { simulatedRuntime, type Approver, type Principal } from '@cool-ai/beach-core'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { testAgent, type TestAgentOptions } from '@cool-ai/beach-testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const tenant = 'default'
const principals: Readonly<Record<string, Principal>> = {
  ann: { kind: 'user', id: 'ann', tenant },
  talker: { kind: 'user', id: 'talker', tenant, scopes: ['talk'] },
  reader: { kind: 'user', id: 'reader', tenant, roles: ['reader'] },
  approver: { kind: 'user', id: 'approver', tenant, roles: ['approver'] },
  operator: { kind: 'user', id: 'operator', tenant, roles: ['operator'] },
  admin: { kind: 'user', id: 'admin', tenant, roles: ['admin'] },
  'looking operator': { kind: 'operator', id: 'looking', tenant, roles: ['reader'] },
  'earlier operator': { kind: 'operator', id: 'earlier', tenant, scopes: ['inspect', 'inspect:act'] },
  'token with a foreign scope': { kind: 'user', id: 'foreign', tenant, scopes: ['inspect', 'inspect:admin'] },
  'approver with a foreign scope': { kind: 'user', id: 'both', tenant, roles: ['approver'], scopes: ['inspect:act'] },
  clerk: { kind: 'user', id: 'clerk', tenant, roles: ['clerk'] },
  elsewhere: { kind: 'user', id: 'else', tenant: 'other', roles: ['approver', 'admin'] },
}
const card = { id: 'clerk', name: 'Clerk', description: 'Pays invoices.' }
const hello = defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' }))

const access: BeachOptions['access'] = {
  hosts: ['clerk.example'],
  authenticators: [
    async ({ headers }) => {
      const principal = principals[headers.get('x-who') ?? '']
      return principal && { principal, credential: { type: 'test' } }
    },
  ],
}

async function started(options: Omit<Partial<BeachOptions>, 'access'> & { access?: BeachOptions['access'] } = {}) {
  const beach = await createBeach({
    agent: card,
    data: 'memory',
    publicUrl: 'https://clerk.example/',
    actors: { main: hello },
    inspect: { operators: { anna: 'a'.repeat(32), ben: { token: 'b'.repeat(32), roles: ['reader'] } } },
    telemetry: { metrics: true },
    memory: true,
    runtime: simulatedRuntime(),
    ...options,
    access: {
      ...access,
      ...options.access,
    },
  })
  onTestFinished(() => beach.close())
  const ask = (method: string, path: string, headers: Record<string, string>, body: unknown = {}) =>
    beach.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        ...(method === 'POST' && { body: JSON.stringify(body) }),
      }),
    )
  return { beach, ask }
}

type Agent = Awaited<ReturnType<typeof started>>

/** All routes of the agent, with their schemes and the scopes that operators need. */
async function routesOf({ ask }: Agent) {
  const { paths } = (await (await ask('GET', '/openapi.json', {})).json()) as {
    paths: Record<string, Record<string, { security?: readonly Record<string, readonly string[]>[] }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [] }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, 'some-$1'),
      schemes: security.flatMap((one) => Object.keys(one)),
      scopes: security.flatMap((one) => one.operator ?? []),
    })),
  )
}

const forAdmins = [
  'GET /inspect/api/audit/export',
  'GET /inspect/api/sessions/some-id/export',
  'POST /inspect/api/revocations',
  'POST /inspect/api/sessions/some-id/erase',
]

describe('the roles', () => {
  const may: Readonly<Record<string, readonly string[]>> = {
    ann: [],
    approver: [],
    'token with a foreign scope': [],
    'approver with a foreign scope': [],
    clerk: [],
    reader: ['inspect'],
    'looking operator': ['inspect'],
    operator: ['inspect', 'inspect:act'],
    'earlier operator': ['inspect', 'inspect:act', 'inspect:admin'],
    admin: ['inspect', 'inspect:act', 'inspect:admin'],
  }

  test('open each route for operators to those who have its scope, and to no others', async () => {
    const agent = await started({ access: { roles: { clerk: ['orders:read'] } } })
    const routes = (await routesOf(agent)).filter(({ schemes }) => schemes.includes('operator'))
    expect(routes.length).toBeGreaterThan(35)
    for (const { method, path, scopes } of routes) {
      const where = `${method} ${path}`
      expect(scopes, where).toHaveLength(1)
      if (method !== 'GET') expect(['inspect:act', 'inspect:admin'], where).toContain(scopes[0])
      for (const [who, held] of Object.entries(may)) {
        const { status } = await agent.ask(method, path, { 'x-who': who })
        const isAllowed = held.includes(scopes[0] ?? '')
        if (isAllowed) expect([401, 403], `${who}: ${where}`).not.toContain(status)
        else expect(status, `${who}: ${where}`).toBe(403)
      }
    }
    const admin = routes.filter(({ scopes }) => scopes[0] === 'inspect:admin')
    expect(admin.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(forAdmins)
  })

  test('are those of named operators too: one without roles may do everything', async () => {
    const { ask } = await started()
    const by = (letter: string) => ({ authorization: `Bearer ${letter.repeat(32)}` })
    expect((await ask('GET', '/inspect/api/sessions', by('b'))).status).toBe(200)
    expect((await ask('POST', '/inspect/api/revocations', by('b'), { principal: 'user~x' })).status).toBe(403)
    expect((await ask('POST', '/inspect/api/revocations', by('a'), { principal: 'user~x' })).status).toBe(200)
    for (const principal of ['user~50%off', 'user~\ud83d', 'user~', '~x']) {
      expect((await ask('POST', '/inspect/api/revocations', by('a'), { principal })).status, principal).toBe(400)
    }
    expect(await (await ask('GET', '/inspect/api/me', by('b'))).json()).toMatchObject({
      operator: 'ben',
      mayAct: false,
      mayAdmin: false,
    })
  })

  test('of an operator do not open the sessions of others at the doors for callers', async () => {
    const { ask } = await started()
    const { sessionId } = (await (await ask('POST', '/sessions', { 'x-who': 'ann' })).json()) as { sessionId: string }
    for (const who of ['reader', 'looking operator', 'operator', 'admin', 'approver']) {
      expect((await ask('GET', `/sessions/${sessionId}`, { 'x-who': who })).status, who).toBe(404)
      expect(
        (await ask('POST', `/sessions/${sessionId}/messages`, { 'x-who': who }, { text: 'Hi.' })).status,
        who,
      ).toBe(404)
    }
    expect((await ask('GET', `/sessions/${sessionId}`, { 'x-who': 'earlier operator' })).status).toBe(200)
  })

  test.each([
    [{ roles: { clerk: 'orders:read' } }, '`access.roles` has names with lists of scopes'],
    [{ channelScopes: { sse: 'talk' } }, '`access.channelScopes`'],
    [{ channelScopes: { pigeon: ['talk'] } }, "`access.channelScopes` names 'pigeon', which this agent does not have"],
  ])('and channels with mistakes in them are refused at the start: %j', async (wrong, message) => {
    await expect(started({ access: wrong as never })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(message) as string,
    })
  })
})

/** What is asked of a person or a program as such, whichever channel they use. */
const ofNoChannel =
  /^\/(?:approvals|links?|memory|token|logout|previews|sessions\/some-id\/(?:turns\/some-turnId\/previews|links?))/

describe('every door of a channel', () => {
  const transports = ['sse', 'websocket', 'a2a', 'mcp', 'agui', 'ai-sdk', 'openai']

  test('refuses callers without the scopes that the channel asks for', async () => {
    const channelScopes = Object.fromEntries(transports.map((name) => [name, ['talk']]))
    const agent = await started({ access: { channelScopes } })
    const doors = (await routesOf(agent)).filter(
      ({ schemes, path }) => schemes.includes('bearer') && !ofNoChannel.test(path),
    )
    expect(doors.length).toBeGreaterThan(25)
    for (const { method, path } of doors) {
      const where = `${method} ${path}`
      const without = await agent.ask(method, path, { 'x-who': 'ann' })
      if (path.endsWith('/ws')) expect(without.status, where).toBe(426)
      else
        expect([without.status, await without.text()], where).toEqual([403, expect.stringContaining('talk') as string])
      expect([401, 403], where).not.toContain((await agent.ask(method, path, { 'x-who': 'talker' })).status)
    }
  })

  test('lets no guests in where there are none, with or without a token', async () => {
    const { ask: before } = await started({ data: { folder: 'memory', secret: Buffer.alloc(32, 7) } })
    const { token } = (await (await before('POST', '/sessions', {})).json()) as { token: string }
    const agent = await started({ access: { guests: false }, data: { folder: 'memory', secret: Buffer.alloc(32, 7) } })
    const doors = (await routesOf(agent)).filter(
      ({ schemes, path }) => schemes.includes('bearer') && path !== '/logout',
    )
    expect(doors.length).toBeGreaterThan(30)
    for (const { method, path } of doors) {
      const where = `${method} ${path}`
      for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
        expect((await agent.ask(method, path, headers)).status, where).toBe(path.endsWith('/ws') ? 426 : 401)
      }
      expect([401, 403], where).not.toContain((await agent.ask(method, path, { 'x-who': 'ann' })).status)
    }
    const page = await agent.ask('GET', '/', { accept: 'text/html' })
    expect(page.headers.getSetCookie()).toEqual([])
  })

  test('takes nothing by mail or phone from a sender without the scopes of that channel', async () => {
    const { beach } = await started({ access: { channelScopes: { sse: ['talk'] } } })
    const from = {
      id: 'sse:1',
      transport: 'sse',
      deliveryClass: 'buffered',
      principal: principals.ann as Principal,
    } as const
    const message = { parts: [{ text: 'hello', metadata: { partType: 'message' } }], from }
    await expect(beach.sessions.post('sess_a', message, from.principal, {})).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { missing: ['talk'] },
    })
    const other = { ...message, from: { ...from, transport: 'smtp' } }
    await expect(beach.sessions.post('sess_b', other, from.principal, {})).resolves.toBeDefined()
  })
})

describe('what a turn does', () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    requiresApproval: true,
    handler: () => 'paid',
  })
  const look = defineTool({
    name: 'look',
    description: 'Looks at orders.',
    inputSchema: z.object({}),
    requiredScopes: ['orders:read'],
    handler: () => 'seven orders',
  })
  async function talking(
    model: TestAgentOptions['model'],
    tools = [pay],
    owner = 'ann',
    approvers?: readonly Approver[],
  ) {
    const agent = await testAgent({
      actors: { main: llmActor({ model: 'test/none', instructions: 'You pay.', tools }) },
      model,
      approvals: { approvers },
      access: { ...access, roles: { clerk: ['orders:read'] } },
      inspect: true,
    })
    onTestFinished(agent.stop)
    const ask = (method: string, path: string, who: string, body: unknown = {}) =>
      agent.beach.fetch(
        new Request(`http://127.0.0.1${path}`, {
          method,
          headers: { 'content-type': 'application/json', 'x-who': who },
          ...(method === 'POST' && { body: JSON.stringify(body) }),
        }),
      )
    const { sessionId } = (await (await ask('POST', '/sessions', owner)).json()) as { sessionId: string }
    const message = { text: 'Go on.' }
    expect((await ask('POST', `/sessions/${sessionId}/messages`, owner, message)).status).toBe(202)
    await agent.advance('1 minute')
    const waiting = async (who: string) => {
      const { items } = (await (await ask('GET', '/approvals', who)).json()) as { items: { approvalId: string }[] }
      return items.map(({ approvalId }) => approvalId)
    }
    const decide = async (who: string, id = '') => {
      const decided = ask('POST', `/approvals/${id}`, who, { decision: 'granted' })
      // Grants are held for a moment, since a denial in the same moment goes first.
      await agent.advance('1 second')
      return (await decided).status
    }
    return { agent, ask, sessionId, waiting, decide }
  }
  const paying = [{ tools: [{ name: 'pay', args: {} }] }, 'Paid.']

  test('is approved by people with the role approver, and not by those of another tenant or without it', async () => {
    const { waiting, decide } = await talking(paying)
    for (const who of ['reader', 'clerk', 'talker', 'elsewhere']) expect(await waiting(who), who).toEqual([])
    const [id] = await waiting('approver')
    for (const who of ['reader', 'clerk', 'elsewhere', 'token with a foreign scope']) {
      expect(await decide(who, id), who).toBe(404)
    }
    expect(await decide('approver', id)).toBe(200)
  })

  test('is not approved by role where the agent names its approvers', async () => {
    const { waiting, decide } = await talking(paying, [pay], 'ann', ['owner'])
    expect(await waiting('approver')).toEqual([])
    const [id] = await waiting('ann')
    expect(await decide('approver', id)).toBe(404)
    expect(await decide('ann', id)).toBe(200)
  })

  test('needs an admin where its approval is one of level admin', async () => {
    const { waiting, decide } = await talking(paying, [defineTool({ ...pay, requiresApproval: 'admin' } as never)])
    expect(await waiting('approver')).toEqual([])
    expect(await waiting('operator')).toEqual([])
    const [id] = await waiting('admin')
    expect(await decide('operator', id)).toBe(404)
    expect(await decide('admin', id)).toBe(200)
  })

  test('calls tools by the scopes that the roles of its user give', async () => {
    const looking = [{ tools: [{ name: 'look', args: {} }] }, 'Seven.']
    for (const [who, text] of [
      ['clerk', 'seven orders'],
      ['approver', 'orders:read'],
    ] as const) {
      const { ask, sessionId } = await talking(looking, [look], who)
      const response = await ask('GET', `/inspect/api/sessions/${sessionId}/events`, 'reader')
      const events = await response.json()
      expect(JSON.stringify(events), who).toContain(text)
    }
  })
})
