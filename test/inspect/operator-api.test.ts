import { defineActor, openData } from '@cool-ai/beach'
import { KeptEvaluations } from '@cool-ai/beach/evaluations'
import { systemRuntime } from '@cool-ai/beach-core'
import { describe, expect, test, vi } from 'vitest'
import { inspected, keys, type Loose } from './inspect-context.ts'

/** All routes of the operator API, as the agent describes them, with ids in their paths. */
async function routesOf(url: string, idIn: (name: string, path: string) => string | undefined = () => 'x') {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, Loose> }
  const base = '/inspect/api/'
  return Object.entries(paths).flatMap(([full, methods]) => {
    if (!full.startsWith(base)) return []
    const path = full.slice(base.length)
    const place = path.replaceAll(/\{(\w+)\}/g, (_, name) => idIn(name, path) ?? 'x')
    return Object.entries(methods as Record<string, Loose>).map(([method, { description }]) => {
      return { method: method.toUpperCase(), place, path, needsAct: description.includes('`inspect:act`') }
    })
  })
}

describe('who may use the operator API', () => {
  test('only operators with the scope look, and only those with the scope to act act', async () => {
    const { ask, url } = await inspected()
    const opened = await fetch(`${url}/sessions`, { method: 'POST' })
    const { token } = (await opened.json()) as { token: string }
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
    const routes = await routesOf(url)
    expect(routes).toHaveLength(32)
    const unknown = { method: 'GET', place: 'nothing-here', needsAct: false }
    for (const { method, place: path, needsAct } of [...routes, unknown]) {
      const status = async (headers: Record<string, string>) =>
        (await fetch(`${url}/inspect/api/${path}`, { method, headers })).status
      expect(await status({}), `nobody: ${path}`).toBe(401)
      expect(await status({ 'x-api-key': 'wrong' }), `a wrong key: ${path}`).toBe(401)
      expect(await status({ authorization: `Bearer ${token}` }), `a guest: ${path}`).toBe(403)
      expect(await status({ cookie }), `a guest's page: ${path}`).toBe(401)
      for (const key of [keys.user, keys.peer, keys.unscoped]) {
        expect((await ask(path, key, { method })).status, path).toBe(403)
      }
      if (needsAct) expect((await ask(path, keys.reader, { method })).status, path).toBe(403)
    }
    for (const path of [
      'me',
      'sessions',
      'approvals',
      'metrics',
      'audit',
      'evaluations',
      'processes',
      'put-aside',
      'dead-letters',
    ]) {
      expect((await ask(path, keys.reader)).status, path).toBe(200)
    }
  })

  test('an operator of another tenant finds nothing of this one', async () => {
    const { ask, act, talk } = await inspected()
    const { id, say } = await talk()
    await say('pay 5')
    const page = await ask(`sessions/${id}/turns`)
    const [turn] = page.body.items
    const [approval] = (await ask('approvals')).body.items
    for (const path of [
      '',
      '/events',
      '/turns',
      `/events/${turn.seq}`,
      `/turns/${turn.turnId}/listeners`,
      '/export',
      '/evaluation',
    ]) {
      expect((await ask(`sessions/${id}${path}`, keys.foreign)).status, path).toBe(404)
    }
    for (const path of ['cancel', 'erase', 'replay'])
      expect((await act(`sessions/${id}/${path}`, {}, keys.foreign)).status).toBe(404)
    expect((await act(`approvals/${approval.approvalId}`, { decision: 'granted' }, keys.foreign)).status).toBe(404)
    for (const list of ['sessions', 'approvals', 'dead-letters', 'put-aside']) {
      expect((await ask(list, keys.foreign)).body.items, list).toEqual([])
    }
    expect((await ask('processes', keys.foreign)).body.leases).toEqual([])
    const audit = (await ask('audit', keys.foreign)).text
    expect(audit).not.toContain('olga')
    expect((await ask(`sessions/${id}`)).body.state, 'nothing was done').toBe('suspended')
  })

  test('nothing of a tenant is in any answer to a guest, to an operator without the scope or to one of another tenant', async () => {
    const data = await openData({ folder: '', store: 'memory' })
    const { ask, act, box, talk, url } = await inspected({ data })
    const { id, say } = await talk({ kind: 'user', id: 'canary-person', tenant: 'default' })
    box.refuses = true
    await say('price of canary-words')
    await say('pay 5')
    await new KeptEvaluations(data.store, 'default').keep({
      id: 'evl_canary',
      agent: { id: 'clerk', name: 'Clerk' },
      startedAt: 1,
      ms: 1,
      variants: ['agent'],
      passed: true,
      cases: [{ name: 'canary-case', variant: 'agent', passed: true, passRate: 1, required: 1, runs: [] }],
    })
    expect((await act('revocations', { principal: 'user~canary-revoked' })).status).toBe(200)
    const unknown = await fetch(`${url}/sessions/${id}/canary-path`)
    const errorId = unknown.headers.get('x-error-id') ?? ''
    const [turn] = (await ask(`sessions/${id}/turns`)).body.items
    const [approval] = (await ask('approvals')).body.items
    const dead = await vi.waitFor(async () => {
      const [letter] = (await ask('dead-letters')).body.items
      expect(letter).toBeDefined()
      return letter
    })
    const secrets = ['canary', 'olga', id, turn.turnId, approval.approvalId, errorId]
    const ids: Record<string, string> = { ...turn, ...approval, ...dead, seq: '1', transport: 'post' }
    const kinds: Record<string, string> = { errors: errorId, evaluations: 'evl_canary', sessions: id }
    const routes = await routesOf(url, (name, path) => (name === 'id' ? kinds[path.split('/')[0] ?? ''] : ids[name]))
    // What is asked must be there for those who may see it, or this would find nothing.
    const seen = await Promise.all(routes.filter(({ method }) => method === 'GET').map(({ place }) => ask(place)))
    for (const secret of secrets)
      expect(
        seen.some(({ text }) => text.includes(secret)),
        secret,
      ).toBe(true)
    const opened = await fetch(`${url}/sessions`, { method: 'POST' })
    const { token } = (await opened.json()) as { token: string }
    const bodies: Record<string, object> = {
      'approvals/{approvalId}': { decision: 'granted' },
      revocations: { session: id },
    }
    let asked = ''
    // Those without an id first.
    for (const { method, place, path } of routes.toSorted((one, other) => one.path.length - other.path.length)) {
      const init = { method, body: method === 'GET' ? null : JSON.stringify(bodies[path] ?? {}) }
      const headers = { 'content-type': 'application/json' }
      const answers = [
        await ask(place, keys.foreign, { ...init, headers }),
        await ask(place, keys.unscoped, { ...init, headers }),
        await ask(place, '', { ...init, headers: { ...headers, authorization: `Bearer ${token}` } }),
      ]
      // What callers have asked with is said again, also in the record of their own tenant.
      asked += `${place} ${init.body}`
      const others = secrets.filter((secret) => !asked.includes(secret))
      for (const { text, headers: told } of answers) {
        for (const secret of others) expect(text + JSON.stringify([...told]), `${method} ${path}`).not.toContain(secret)
      }
    }
    expect((await ask(`sessions/${id}`)).body, 'nothing was done').toMatchObject({ state: 'suspended' })
    expect((await ask('evaluations/evl_canary')).status).toBe(200)
    expect((await ask('dead-letters')).body.items).toHaveLength(2)
  })

  test('the OpenAPI document has every route of the inspector, all of them for operators, where it is on', async () => {
    const { url } = await inspected()
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, Loose> }
    const described = Object.keys(paths).filter((path) => path.startsWith('/inspect/api/'))
    expect(described).toHaveLength(29)
    for (const path of described) {
      for (const route of Object.values(paths[path]))
        expect(route, path).toMatchObject({ security: [{ operator: [expect.stringMatching(/^inspect/)] }] })
    }
    const off = await inspected({ inspect: false })
    expect(await (await fetch(`${off.url}/openapi.json`)).text()).not.toContain('/inspect')
  })

  test('an agent without the option has no inspector', async () => {
    const { url } = await inspected({ inspect: undefined })
    for (const path of ['/inspect', '/inspect/', '/inspect/api/me']) expect((await fetch(url + path)).status).toBe(404)
  })

  test('the link of the start opens the inspector once, for the same machine, and its cookie is no agent’s cookie', async () => {
    const { beach, url } = await inspected()
    const link = beach.inspectLink(url) ?? ''
    const forwarded = await fetch(link, { redirect: 'manual', headers: { 'x-forwarded-for': '10.0.0.1' } })
    expect(forwarded.status, 'through a proxy').toBe(401)
    const opened = await fetch(link, { redirect: 'manual' })
    expect([opened.status, opened.headers.get('location')]).toEqual([303, './'])
    const set = opened.headers.get('set-cookie') ?? ''
    expect(set).toMatch(/HttpOnly; SameSite=Strict/)
    expect((await fetch(link, { redirect: 'manual' })).status, 'a second time').toBe(401)
    const cookie = set.split(';')[0] ?? ''
    const me = await fetch(`${url}/inspect/api/me`, { headers: { cookie } })
    expect(await me.json()).toMatchObject({ operator: 'local', mayAct: true })
    // A page of another site has no way to send the header.
    const elsewhere = { method: 'POST', headers: { cookie } }
    expect((await fetch(`${url}/inspect/api/sessions/x/erase`, elsewhere)).status).toBe(403)
    const headers = { cookie, 'x-beach-inspect': '1', origin: 'https://evil.example' }
    expect((await fetch(`${url}/inspect/api/sessions/x/erase`, { method: 'POST', headers })).status).toBe(403)
    const proxied = await fetch(`${url}/inspect/api/me`, { headers: { cookie, forwarded: 'for=10.0.0.1' } })
    expect(proxied.status, 'the cookie through a proxy').toBe(401)
    expect(
      (await fetch(`${url}/operator/dead-letters`, { headers: { cookie } })).status,
      'elsewhere it counts for nothing',
    ).toBe(401)
  })

  test('there is no link where the agent is reached from elsewhere', async () => {
    const { beach, url } = await inspected({ publicUrl: 'https://agent.example' })
    expect(beach.inspectLink(url)).toBeUndefined()
  })

  test('an operator of the options signs in with a token, under a name that is on record', async () => {
    const token = 'a'.repeat(40)
    const { url } = await inspected({ inspect: { operators: { paula: token } } })
    const bearer = await fetch(`${url}/inspect/api/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(await bearer.json()).toMatchObject({ operator: 'paula' })
    const signIn = (given: string, more = {}) =>
      fetch(`${url}/inspect/session`, {
        method: 'POST',
        body: JSON.stringify({ token: given }),
        headers: { 'content-type': 'application/json', 'x-beach-inspect': '1', ...more },
      })
    expect((await signIn('b'.repeat(40))).status).toBe(401)
    const cookie = (await signIn(token)).headers.get('set-cookie')?.split(';')[0] ?? ''
    const listed = await fetch(`${url}/inspect/api/sessions`, { headers: { cookie } })
    expect(listed.status).toBe(200)
    const audit = await fetch(`${url}/inspect/api/audit`, { headers: { cookie } })
    const { items } = await audit.json()
    expect(items.slice(0, 2)).toMatchObject([
      { by: 'operator~paula', what: 'sessions' },
      { by: 'operator~paula', what: 'operator.login' },
    ])
  })

  test.each([{ operators: { paula: 'short' } }, { operators: { local: 'a'.repeat(40) } }])(
    'refuses %j as settings',
    async (inspect) => {
      await expect(inspected({ inspect })).rejects.toThrow(/inspect\.operators/)
    },
  )
})

describe('a session', () => {
  test('is listed with what it is about, found by words, state, principal, channel and time, page by page', async () => {
    const { ask, talk } = await inspected()
    const sessions = []
    for (const text of ['hello world', 'price of tea', 'pay 5']) {
      const { id, say } = await talk(text === 'pay 5' ? { kind: 'user', id: 'bert', tenant: 'default' } : undefined)
      await say(text)
      sessions.push(id)
    }
    const [hello, tea, paid] = sessions
    const ids = async (query: string) => {
      const { body } = await ask(`sessions?${query}`)
      return (body.items as { sessionId: string }[]).map(({ sessionId }) => sessionId)
    }
    await vi.waitFor(async () => expect(await ids('')).toEqual([paid, tea, hello]))
    await vi.waitFor(async () => expect(await ids('state=suspended')).toEqual([paid]))
    expect(await ids('q=PRICE')).toEqual([tea])
    expect(await ids('q=nothing-of-it')).toEqual([])
    expect(await ids('principal=bert')).toEqual([paid])
    expect(await ids('principal=user~anna&state=complete')).toEqual([tea, hello])
    expect(await ids('channel=sse')).toHaveLength(3)
    expect(await ids('channel=sms')).toEqual([])
    expect(await ids('from=2030-01-01')).toEqual([])
    expect(await ids('to=2020-01-01')).toEqual([])
    const first = (await ask('sessions?limit=2')).body
    expect(first.items).toHaveLength(2)
    expect((await ask(`sessions?limit=2&after=${encodeURIComponent(first.next)}`)).body.items).toMatchObject([
      { sessionId: hello, title: 'hello world', owner: { id: 'anna' }, state: 'complete', messages: 1, turns: 1 },
    ])
    for (const query of ['limit=0', 'limit=x', 'from=never', 'after=x'])
      expect((await ask(`sessions?${query}`)).status).toBe(400)
  })

  test('has its turns as spans: model calls with prompt, cost and times, tools, approvals, deliveries', async () => {
    const { ask, act, talk, box } = await inspected()
    const { id, say, settled } = await talk()
    await say('price of tea')
    await say('pay 5')
    const [approval] = (await ask('approvals')).body.items
    expect(approval).toMatchObject({ sessionId: id })
    const decided = await act(`approvals/${approval.approvalId}`, { decision: 'granted', reason: 'fine' })
    expect(decided.body).toMatchObject({ status: 'decided' })
    await settled()
    await vi.waitFor(() => expect(box.sent).toBeGreaterThan(2))
    const { items } = (await ask(`sessions/${id}/turns`)).body
    expect(items).toHaveLength(2)
    const rows = (turn: Loose, kind: string) => turn.rows.filter((row: Loose) => row.kind === kind)
    expect(items[0]).toMatchObject({ actor: 'clerk', turnState: 'complete', messages: [{ transport: 'sse' }] })
    expect(Object.keys(items[0].steps)).toEqual(
      expect.arrayContaining(['receive', 'turn', 'respond', 'deliver', 'send']),
    )
    const [model] = rows(items[0], 'model')
    expect(model.detail.usage).toMatchObject({
      inputTokens: expect.any(Number),
      cost: expect.any(Number),
      ms: expect.any(Number),
    })
    expect(JSON.stringify(model.detail.prompt)).toContain('You are a clerk.')
    expect(rows(items[0], 'tool')).toMatchObject([
      { title: 'look_up', outcome: 'ok', detail: { args: { what: 'tea' }, result: { price: 12 } } },
    ])
    expect(rows(items[1], 'approval')).toMatchObject([
      {
        title: 'Pay £5',
        outcome: 'granted',
        detail: { asked: ['post:anna'], decidedBy: 'operator~olga', via: 'inspect', reason: 'fine' },
      },
    ])
    expect(rows(items[0], 'delivery')).toMatchObject([
      { outcome: 'sent', detail: { attempts: [{ externalId: 'p1' }] } },
    ])
  })

  test('has raw events page by page, by seq, by place and by type, and the fold around each', async () => {
    const { ask, talk } = await inspected()
    const { id, say } = await talk()
    for (let n = 0; n < 30; n++) await say(`message ${n}`)
    const { count, items: first, next } = (await ask(`sessions/${id}/events?limit=5`)).body
    expect(first).toHaveLength(5)
    const second = (await ask(`sessions/${id}/events?limit=5&after=${next}`)).body.items
    expect((await ask(`sessions/${id}/events?at=5&limit=5`)).body.items).toEqual(second)
    const [last] = (await ask(`sessions/${id}/events?at=${count - 1}&limit=5`)).body.items
    expect((await ask(`sessions/${id}`)).body).toMatchObject({ events: count, head: last.seq, turns: 30 })
    const typed = (await ask(`sessions/${id}/events?types=turnSettled&limit=100`)).body
    expect(typed.items).toHaveLength(30)
    const [, settled] = typed.items
    const around = (await ask(`sessions/${id}/events/${settled.seq}`)).body
    expect(around).toMatchObject({
      seq: settled.seq,
      event: { type: 'turnSettled' },
      changed: expect.arrayContaining(['turns']),
    })
    expect(around.before.turns.turn).toBeDefined()
    expect(around.after.turns.turn).toBeUndefined()
    expect((await ask(`sessions/${id}/events/999999`)).status).toBe(404)
    const turns = await Promise.all(
      [0, 1].map(async (page) => (await ask(`sessions/${id}/turns?page=${page}`)).body.items),
    )
    expect(turns.map(({ length }) => length)).toEqual([20, 10])
    expect(turns[1][0].messages[0].parts[0].text).toBe('message 20')
  })

  test('says what each listener got, and why not the rest', async () => {
    const { ask, talk } = await inspected()
    const { id, say } = await talk()
    await say('price of tea')
    const [turn] = (await ask(`sessions/${id}/turns`)).body.items
    const { items } = (await ask(`sessions/${id}/turns/${turn.turnId}/listeners?since=${turn.since}`)).body
    const [post, web] = ['post:anna', 'web:anna'].map((one) => items.find((item: Loose) => item.originatorId === one))
    expect(web).toMatchObject({ way: 'pull', isRecipient: true })
    expect(post).toMatchObject({ way: 'push', isRecipient: true, envelope: [{ metadata: { partType: 'response' } }] })
    expect(post.parts).toMatchObject([
      { partType: 'response', row: 'class-rule', because: expect.stringContaining("buffered listeners is '") },
    ])
  })

  test('shows no secrets of channels or tools', async () => {
    const { ask, act, talk } = await inspected()
    const { id, say, settled } = await talk()
    await say('pay 5')
    const [{ approvalId }] = (await ask('approvals')).body.items
    await act(`approvals/${approvalId}`, { decision: 'granted' })
    await settled()
    const { items } = (await ask(`sessions/${id}/events?limit=200`)).body
    const paths = ['', '/events?limit=200', '/turns', '/export', ...items.map(({ seq }: Loose) => `/events/${seq}`)]
    for (const path of paths) {
      const { text } = await ask(`sessions/${id}${path}`)
      expect(text, path).not.toMatch(/tok-do-not-show|secret=abc/)
    }
  })

  test('is cancelled, exported and erased, each on record, and nothing of it is left in the list', async () => {
    const { ask, act, talk } = await inspected()
    const { id, say } = await talk()
    await say('pay 7654321')
    expect((await act(`sessions/${id}/cancel`)).body).toEqual({ status: 'cancelled' })
    await vi.waitFor(async () => expect((await ask(`sessions/${id}`)).body.state).toBe('cancelled'))
    const lines = (await ask(`sessions/${id}/export`)).text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))[0]).toMatchObject({ event: { type: 'sessionOpened' } })
    expect((await act(`sessions/${id}/erase`)).body).toEqual({ status: 'erased' })
    expect((await ask(`sessions/${id}/events?limit=300`)).text).not.toContain('7654321')
    expect((await ask('sessions')).text).not.toContain('7654321')
    const { items } = (await ask('audit?limit=100')).body
    const whats = items.map(({ kind, what, by }: Loose) => `${kind} ${what} ${by}`)
    for (const what of ['session.cancel', 'session.export', 'session.erase']) {
      expect(whats).toContain(`act ${what} operator~olga`)
    }
    expect(items.find(({ what }: Loose) => what === 'session.erase')).toMatchObject({ session: id })
    const [newest] = (await ask('audit?limit=1')).body.items
    const older = (await ask(`audit?limit=100&after=${newest.id}`)).body.items
    expect(older).toEqual(items.slice(1))
  })
})

test('a dead letter is listed and sent again by an operator', async () => {
  const { ask, act, talk, box } = await inspected()
  box.refuses = true
  const { say } = await talk()
  await say('hello')
  await vi.waitFor(async () => expect((await ask('dead-letters')).body.items).toHaveLength(1))
  const [{ sessionId, deliveryId, letter }] = (await ask('dead-letters')).body.items
  expect(letter.reason).toBe('The box is full.')
  box.refuses = false
  expect((await act(`dead-letters/${sessionId}/${encodeURIComponent(deliveryId)}`)).status).toBe(202)
  await vi.waitFor(() => expect(box.sent).toBe(1))
  expect((await act(`dead-letters/${sessionId}/${encodeURIComponent(deliveryId)}`)).status).toBe(404)
})

test('what happened is counted over time, and the processes are listed with their leases', async () => {
  const { ask, talk } = await inspected()
  const { say } = await talk()
  await say('hello')
  await say('price of tea')
  const sum = async (name: string) => {
    const { items } = (await ask('metrics')).body
    return items.reduce((total: number, point: Loose) => total + (point[name].count ?? point[name]), 0)
  }
  await vi.waitFor(async () => expect(await sum('turns')).toBe(2))
  expect(await sum('errors')).toBe(0)
  expect(await sum('modelCalls')).toBe(3)
  expect(await sum('firstPart')).toBe(2)
  await vi.waitFor(async () => expect(await sum('deliveryLag')).toBe(2))
  expect((await ask('metrics?from=5&to=4')).status).toBe(400)
  expect((await ask('processes')).body.processes).toMatchObject([{ pid: process.pid }])
})

describe('a replay', () => {
  test('of a session is the same, runs no tool and is on record; with other instructions it says what is different', async () => {
    const { ask, act, talk, box } = await inspected()
    const { id, say } = await talk()
    await say('price of tea')
    await say('Hello')
    const sent = box.sent
    const before = (await ask(`sessions/${id}/events?limit=500`)).body.count
    const whole = await act(`sessions/${id}/replay`, {})
    expect(whole.body).toMatchObject({ same: true, turns: [{ change: 'same' }, { change: 'same' }] })
    const { turnId } = whole.body.turns[1]
    const changed = await act(`sessions/${id}/replay`, { from: turnId, turns: 1, instructions: 'Be brief.' })
    expect(changed.body).toMatchObject({ from: turnId, instructions: true, turns: [{ turnId, asked: 'Hello' }] })
    expect(changed.text).not.toContain('tok-do-not-show')
    expect((await ask(`sessions/${id}/events?limit=500`)).body.count, 'nothing is written').toBe(before)
    expect(box.sent, 'nothing is sent').toBe(sent)
    const { items } = (await ask('audit')).body
    expect(items.filter(({ what }: Loose) => what === 'session.replay')).toMatchObject(
      [
        { by: 'default:operator:olga', session: id, detail: `from ${turnId}, with other instructions` },
        { session: id },
      ].map(({ by: _, ...entry }: Loose) => entry),
    )
  })

  test('is for operators of the tenant who may act, with models that the agent names, one at a time', async () => {
    const { act, talk } = await inspected({ inspect: { models: ['anthropic/known'] } })
    const { id, say } = await talk()
    await say('Hello')
    for (const key of [keys.reader, keys.unscoped, keys.user, keys.peer]) {
      expect((await act(`sessions/${id}/replay`, {}, key)).status).toBe(403)
    }
    expect((await act(`sessions/${id}/replay`, {}, keys.foreign)).status).toBe(404)
    const refused = await act(`sessions/${id}/replay`, { model: 'openai/other' })
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('anthropic/known')])
    expect((await act(`sessions/${id}/replay`, { tools: 'live' })).status).toBe(400)
    expect((await act(`sessions/${id}/replay`, { from: 'turn_none' })).status).toBe(404)
  })

  test('runs alone in its process, and ends when its operator goes', async () => {
    let gate = Promise.resolve()
    const waits = defineActor(async ({ respond }) => {
      began?.()
      await gate
      await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
    })
    let began: (() => void) | undefined
    const { act, ask, talk } = await inspected({ actors: { waits } })
    const { id, say } = await talk()
    await say('Hello')
    const opening = Promise.withResolvers<void>()
    gate = opening.promise
    const running = new Promise<void>((resolve) => (began = resolve))
    const leaving = new AbortController()
    const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' }, signal: leaving.signal }
    const left = ask(`sessions/${id}/replay`, keys.operator, init).catch(() => 'left')
    await running
    expect((await act(`sessions/${id}/replay`, {})).status).toBe(429)
    leaving.abort()
    expect(await left).toBe('left')
    opening.resolve()
    await vi.waitFor(async () => expect((await act(`sessions/${id}/replay`, {})).body.same).toBe(true), 10_000)
  })
})

test('the trace id of an error leads to its turn, for operators who may look, and lines of the log say where', async () => {
  const lines: Loose[] = []
  const logger = { log: (_: string, message: string, fields: Loose) => void lines.push({ message, ...fields }) }
  const { ask, talk, url } = await inspected({
    actors: {
      fails: defineActor(async () => {
        throw new Error('no')
      }),
    },
    publicUrl: 'http://127.0.0.1:1/agent',
    runtime: systemRuntime({ logger }),
  })
  const { id, say } = await talk()
  await say('Hello')
  const { items } = (await ask(`sessions/${id}/events?types=partReceived`)).body
  const { traceId } = items[0].event.payload.part.metadata
  expect(lines.find(({ message }) => message === 'an actor failed')).toMatchObject({
    trace: traceId,
    inspect: `http://127.0.0.1:1/agent/inspect/traces/${traceId}`,
  })
  const found = await ask(`traces/${traceId}`)
  expect(found.body).toMatchObject({ items: [{ sessionId: id, page: 0, title: 'Hello' }] })
  expect((await ask(`traces/${traceId}`, keys.foreign)).body).toEqual({ items: [] })
  for (const key of [keys.unscoped, keys.user]) expect((await ask(`traces/${traceId}`, key)).status).toBe(403)
  const link = await fetch(`${url}/inspect/traces/${traceId}`, { redirect: 'manual' })
  expect([link.status, link.headers.get('location')]).toEqual([303, `../#/traces/${traceId}`])
})
