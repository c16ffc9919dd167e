import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import { silentLogger, systemRuntime, type Authenticator } from '@cool-ai/beach-core'
import { expect, test, type TestContext } from 'vitest'
import { runBeach } from '../support/beach-command.ts'

const runtime = systemRuntime({ logger: silentLogger })
const token = 'o'.repeat(40)
const operator = { authorization: `Bearer ${token}` }
const json = { 'content-type': 'application/json' }

const anna: Authenticator = async (request) =>
  request.headers.get('x-user') === 'anna'
    ? { principal: { kind: 'user', id: 'anna.smith', tenant: 'default' }, credential: { type: 'test' } }
    : undefined

interface Entry {
  readonly by: string
  readonly kind: string
  readonly what: string
  readonly session?: string
  readonly detail?: string
}

/** An agent with its data in a folder, which may be opened again. */
async function agent(context: TestContext, more: Partial<BeachOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'beach-audit-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const start = async () => {
    const beach = await createBeach({
      agent: { id: 'shop', name: 'Shop' },
      actors: {
        main: defineActor(async ({ respond }) => {
          await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
        }),
      },
      data: folder,
      access: { authenticators: [anna] },
      inspect: { operators: { olga: token } },
      runtime,
      ...more,
    })
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await beach.fetch(new Request(`http://127.0.0.1${path}`, init))
      return { status: response.status, text: await response.text() }
    }
    const post = (path: string, headers: Record<string, string>, body: object = {}) =>
      ask(path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
    return { beach, ask, post }
  }
  return { folder, start }
}

test('logins, refusals, looks, revocations and erasures are on record, and a changed row is named', async (context) => {
  const { folder, start } = await agent(context)
  const { beach, ask, post } = await start()
  const guest = JSON.parse((await post('/sessions', {})).text) as { sessionId: string; token: string }
  const bearer = { authorization: `Bearer ${guest.token}` }
  await post('/logout', bearer)
  await ask(`/sessions/${guest.sessionId}`, { headers: bearer })
  await ask('/inspect/api/sessions', { headers: { 'x-user': 'anna' } })
  const { sessionId } = JSON.parse((await post('/sessions', { 'x-user': 'anna' })).text) as { sessionId: string }
  await post(`/sessions/${sessionId}/messages`, { 'x-user': 'anna' }, { text: 'Do you have it in blue?' })
  await ask(`/inspect/api/sessions/${sessionId}`, { headers: operator })
  await ask('/inspect/api/sessions?q=anna.smith', { headers: operator })
  expect((await post('/inspect/api/revocations', operator, { session: sessionId })).status).toBe(200)
  const listed = async () =>
    (JSON.parse((await ask('/inspect/api/audit?limit=100', { headers: operator })).text) as { items: Entry[] }).items
  const entries = (await listed()).map(({ by, kind, what, detail }) => ({ by, kind, what, detail }))
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ by: 'agent', what: 'agent.start' }),
      expect.objectContaining({ by: expect.stringMatching(/^anonymous~anon_/) as string, kind: 'act', what: 'logout' }),
      { by: 'unknown', kind: 'refused', what: 'http.401', detail: 'GET /sessions' },
      { by: 'user~anna.smith', kind: 'refused', what: 'http.403', detail: 'GET /inspect/api/sessions' },
      expect.objectContaining({ by: 'operator~olga', kind: 'look', what: 'session' }),
      { by: 'operator~olga', kind: 'look', what: 'sessions', detail: 'search' },
      expect.objectContaining({ by: 'operator~olga', kind: 'act', what: 'token.revoke' }),
    ]),
  )
  const verify = async () => (await ask('/inspect/api/audit/verify', { headers: operator })).text
  expect(JSON.parse(await verify())).toMatchObject({ tenant: 'default', entries: entries.length })
  // The erasure of a person takes the name out of it, and leaves the chain as it is.
  await beach.missives?.erase(
    { person: 'principal:user~anna.smith' },
    { kind: 'operator', id: 'olga', tenant: 'default' },
  )
  const after = await listed()
  expect(JSON.stringify(after)).not.toContain('anna')
  expect(after.filter(({ by }) => by.startsWith('person_'))).not.toHaveLength(0)
  expect(after.find(({ what }) => what === 'data.erase')).toMatchObject({ session: sessionId, kind: 'act' })
  expect(JSON.parse(await verify())).not.toHaveProperty('problem')
  const exported = (await ask('/inspect/api/audit/export?format=syslog', { headers: operator })).text.split('\n')
  expect(exported[0]).toMatch(/^<109>1 \S+ \S+ shop \d+ agent\.start \[beach@32473 n="1" tenant="default" by="agent"/)
  expect((await ask('/inspect/api/audit/export?format=xml', { headers: operator })).status).toBe(400)
  expect((await ask('/inspect/api/audit/verify?expected=x', { headers: operator })).status).toBe(400)
  await beach.close()

  const whole = await runBeach(['audit', 'verify', '--data', folder], { cwd: folder })
  expect(whole.out).toMatch(/^default: all \d+ entries are as they were written\. The last one: [0-9a-f]{64}\n$/)
  expect(whole.code).toBe(0)
  const hash = /[0-9a-f]{64}/.exec(whole.out)?.[0] ?? ''
  const database = new DatabaseSync(join(folder, 'beach.db'))
  database.exec(
    `UPDATE event SET data = replace(data, 'operator~olga', 'operator~otto')
     WHERE session = 'audit-chain:default:0' AND data LIKE '%"what":"token.revoke"%'`,
  )
  database.close()
  const tampered = await runBeach(['audit', 'verify', '--data', folder, '--expected', hash], { cwd: folder })
  expect(tampered.out).toMatch(
    /^default: from entry \d+ on the record is not as it was written \(audit-chain:default:0, seq \d+\): this entry was changed\.\n$/,
  )
  expect(tampered.code).toBe(1)
})

test('the start is on record with its configuration, and without what is secret of it', async (context) => {
  const { start } = await agent(context, {
    access: { authenticators: [anna], origins: ['https://shop.example'] },
    data: { folder: 'memory', secret: new TextEncoder().encode('s'.repeat(40)) },
  })
  const { beach, ask } = await start()
  const { text } = await ask('/inspect/api/audit?limit=10', { headers: operator })
  const { items } = JSON.parse(text) as { items: Entry[] }
  const started = items.find(({ what }) => what === 'agent.start')
  expect(JSON.parse(started?.detail ?? '')).toMatchObject({
    agent: 'shop',
    origins: ['https://shop.example'],
    authenticators: 1,
    inspect: true,
    operators: ['olga'],
  })
  expect(text).not.toMatch(/s{40}|o{40}/)
  await beach.close()
})

test('tokens of the inspector’s operators read metrics and use the routes for operators, whose looks and acts are on record', async (context) => {
  const { start } = await agent(context, {
    telemetry: { metrics: true },
    inspect: { operators: { olga: token, rita: { token: 'r'.repeat(40), roles: ['reader'] } } },
  })
  const { beach, ask } = await start()
  context.onTestFinished(() => beach.close())
  const reader = { authorization: `Bearer ${'r'.repeat(40)}` }
  expect((await ask('/metrics', { headers: reader })).text).toContain('beach_turns_running 0')
  expect((await ask('/operator/put-aside', { headers: reader })).status).toBe(200)
  const retry = '/operator/dead-letters/sess_a/b'
  expect((await ask(retry, { method: 'POST', headers: reader })).status).toBe(403)
  expect((await ask('/operator/dead-letters', { headers: operator })).status).toBe(200)
  expect((await ask(retry, { method: 'POST', headers: operator })).status).toBe(404)
  const discarded = await ask('/operator/put-aside/sms/SM1', { method: 'DELETE', headers: operator })
  expect(discarded.status).toBe(404)
  expect((await ask('/sessions', { method: 'POST', headers: operator })).status, 'it is no caller').toBe(401)
  const { items } = JSON.parse((await ask('/inspect/api/audit', { headers: operator })).text) as { items: Entry[] }
  const told = items.map(({ by, kind, what, detail = '' }) => `${by} ${kind} ${what} ${detail}`.trim()).toReversed()
  expect(told.filter((line) => /operator~/.test(line))).toEqual([
    'operator~rita look put-aside',
    'operator~olga look dead-letters',
    'operator~olga act delivery.retry b',
    'operator~olga act put-aside.discard sms: SM1',
  ])
})
