import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openData } from '@cool-ai/beach'
import { systemClock, type Principal } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test, type TestContext } from 'vitest'
import { z } from 'zod'
import { openSocket } from '../support/socket.ts'
import { call, openSession, runtime, startAgent } from './agent.ts'

const made = z.strictObject({
  url: z.string(),
  code: z.string(),
  expiresAt: z.number(),
  isLoopback: z.boolean().optional(),
})

async function makeLink(url: string, sessionId: string, token: string) {
  const { status, body } = await call(`${url}/sessions/${sessionId}/links`, { token })
  expect(status).toBe(201)
  return made.parse(body)
}

const joinWith = (url: string, code: unknown, headers: Record<string, string> = {}) =>
  call(`${url}/join`, { body: { code }, headers })

/** The cookie of a browser that has opened the page. */
async function browserOf(url: string): Promise<string> {
  return ((await fetch(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

/** A runtime for which a test can let time pass. */
function shiftedRuntime() {
  const shift = { ms: 0 }
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + shift.ms,
    elapsed: () => performance.now() + shift.ms,
  }
  return { shift, runtime: { ...runtime, clock } }
}

describe('a link to join a session', () => {
  test('lets a second program in, as the owner, once', async (context) => {
    const { url } = await startAgent(context)
    const { sessionId, token } = await openSession(url)
    const link = await makeLink(url, sessionId, token)
    expect(link.url).toBe(`${url}/#join=${encodeURIComponent(link.code)}`)
    expect(link.isLoopback).toBe(true)
    expect(link.expiresAt - Date.now()).toBeGreaterThan(9 * 60_000)
    expect(link.expiresAt - Date.now()).toBeLessThanOrEqual(10 * 60_000)
    const joined = await joinWith(url, link.code)
    expect(joined).toMatchObject({ status: 200, body: { sessionId } })
    expect(joined.headers.get('set-cookie')).toBeNull()
    const second = z.object({ sessionId: z.string(), token: z.string(), refreshToken: z.string() }).parse(joined.body)
    const socket = openSocket(context, `${url}/sessions/${sessionId}/ws`, {
      headers: { authorization: `Bearer ${second.token}` },
    })
    await socket.ready()
    await call(`${url}/sessions/${sessionId}/messages`, { token, body: { text: 'from the first' } })
    await socket.settled()
    expect(await joinWith(url, link.code)).toMatchObject({ status: 410, body: { error: { code: 'EXPIRED' } } })
  })

  test.for([false, true])('ends with the login that made it, everywhere: %s', async (everywhere, context) => {
    const { url } = await startAgent(context)
    const { sessionId, token } = await openSession(url)
    const link = await makeLink(url, sessionId, token)
    const kept = await joinWith(url, (await makeLink(url, sessionId, token)).code)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const left = await fetch(`${url}/logout`, { method: 'POST', headers, body: JSON.stringify({ everywhere }) })
    expect(left.status).toBe(204)
    expect(await joinWith(url, link.code)).toMatchObject({ status: 410, body: { error: { code: 'EXPIRED' } } })
    const second = z.object({ token: z.string() }).parse(kept.body).token
    expect((await call(`${url}/sessions/${sessionId}`, { method: 'GET', token: second })).status).toBe(
      everywhere ? 401 : 200,
    )
  })

  test('makes a second browser the owner by its cookie, out of reach of scripts', async (context) => {
    const { url } = await startAgent(context)
    const first = await browserOf(url)
    const opened = await call(`${url}/sessions`, { headers: { cookie: first, origin: url } })
    const { sessionId } = opened.body as { sessionId: string }
    const { body } = await call(`${url}/sessions/${sessionId}/links`, { headers: { cookie: first, origin: url } })
    const second = await browserOf(url)
    const path = `${url}/sessions/${sessionId}`
    expect(await call(path, { method: 'GET', headers: { cookie: second } })).toMatchObject({ status: 404 })
    const joined = await joinWith(url, made.parse(body).code, { cookie: second, origin: url })
    expect(joined).toMatchObject({ status: 200, body: { sessionId } })
    expect(joined.body).not.toHaveProperty('token')
    const cookie = joined.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^beach_tester=eyJ.*; Path=\/; HttpOnly; SameSite=Lax/)
    const become = cookie.split(';')[0] ?? ''
    expect(await call(path, { method: 'GET', headers: { cookie: become } })).toMatchObject({ status: 200 })
  })

  test('is made as often as may be, of many that are asked for at once', async (context) => {
    const arrived: string[] = []
    const authenticators = [
      async ({ url }: Request) => {
        if (url.endsWith('/links')) arrived.push(url)
        return undefined
      },
    ]
    /** No request counts before all of them are there. */
    class Crowd extends MemoryStore {
      override async list(...query: Parameters<MemoryStore['list']>) {
        if (!query[0].startsWith('device-link:')) return super.list(...query)
        for (let ticks = 0; ticks < 50 || arrived.length < 10; ticks++)
          await new Promise((resolve) => setImmediate(resolve))
        return super.list(...query)
      }
    }
    const { url } = await startAgent(context, { access: { authenticators }, data: { store: new Crowd({ runtime }) } })
    const { sessionId, token } = await openSession(url)
    const asked = Array.from({ length: 10 }, () => call(`${url}/sessions/${sessionId}/links`, { token }))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })

  test('that is good does not count as a try', async (context) => {
    const { url } = await startAgent(context)
    const { sessionId, token } = await openSession(url)
    for (let count = 0; count < 30; count++) {
      const { code } = await makeLink(url, sessionId, token)
      expect(await joinWith(url, code)).toMatchObject({ status: 200 })
    }
  })

  test('begins with the public address of the agent, if it has one', async (context) => {
    const { url } = await startAgent(context, { publicUrl: 'https://agent.example/' })
    const { sessionId, token } = await openSession(url)
    expect((await makeLink(url, sessionId, token)).url).toMatch(/^https:\/\/agent\.example\/#join=/)
  })

  test('is good for one of many who come at once', async (context) => {
    const visitors = 16
    let waiting: (() => void)[] = []
    /** All requests have found the link before one of them goes on. */
    class Gate extends MemoryStore {
      override async list(...query: Parameters<MemoryStore['list']>) {
        const rows = await super.list(...query)
        if (query[0].startsWith('device-link:') && query[2] === 1) {
          await new Promise<void>((resolve) => {
            waiting.push(resolve)
            if (waiting.length < visitors) return
            for (const continueCall of waiting) continueCall()
            waiting = []
          })
        }
        return rows
      }
    }
    const { url } = await startAgent(context, { data: { store: new Gate({ runtime }) } })
    const { sessionId, token } = await openSession(url)
    const { code } = await makeLink(url, sessionId, token)
    const joined = await Promise.all(Array.from({ length: visitors }, () => joinWith(url, code)))
    expect(joined.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(joined.filter(({ status }) => status === 410)).toHaveLength(visitors - 1)
  })

  test('is good in every process that has the store, and used up in all of them', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'beach-links-'))
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [one, other] = [await startOn(context, folder), await startOn(context, folder)]
    const { sessionId, token } = await openSession(one.url)
    const { code } = await makeLink(one.url, sessionId, token)
    expect(await joinWith(other.url, code)).toMatchObject({ status: 200, body: { sessionId } })
    for (const { url } of [one, other]) expect(await joinWith(url, code)).toMatchObject({ status: 410 })
  })

  test('is there after a restart, and what was used before stays used', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'beach-links-'))
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const before = await startOn(context, folder)
    const { sessionId, token } = await openSession(before.url)
    const used = await makeLink(before.url, sessionId, token)
    const unused = await makeLink(before.url, sessionId, token)
    expect(await joinWith(before.url, used.code)).toMatchObject({ status: 200 })
    await before.close()
    const after = await startOn(context, folder)
    expect(await joinWith(after.url, used.code)).toMatchObject({ status: 410 })
    expect(await joinWith(after.url, unused.code)).toMatchObject({ status: 200, body: { sessionId } })
  })

  test('is gone after ten minutes, and makes room for others', async (context) => {
    const shifted = shiftedRuntime()
    const { url } = await startAgent(context, { runtime: shifted.runtime })
    const { sessionId, token } = await openSession(url)
    const links = []
    for (let count = 0; count < 5; count++) links.push(await makeLink(url, sessionId, token))
    expect(await call(`${url}/sessions/${sessionId}/links`, { token })).toMatchObject({
      status: 429,
      body: { error: { code: 'TOO_MANY' } },
    })
    shifted.shift.ms = 10 * 60_000
    for (const { code } of links) expect(await joinWith(url, code)).toMatchObject({ status: 410 })
    await makeLink(url, sessionId, token)
  })

  test('cannot be made in any number by asking all at once', async (context) => {
    const { url } = await startAgent(context)
    const { sessionId, token } = await openSession(url)
    const asked = Array.from({ length: 20 }, () => call(`${url}/sessions/${sessionId}/links`, { token }))
    const granted = (await Promise.all(asked)).filter(({ status }) => status === 201)
    expect(granted.length).toBeLessThanOrEqual(5)
  })

  test('is only in the store as a hash', async (context) => {
    const store = new MemoryStore({ runtime })
    const { url } = await startAgent(context, { data: { store } })
    const { sessionId, token } = await openSession(url)
    const { code } = await makeLink(url, sessionId, token)
    const secret = code.slice(code.lastIndexOf('.') + 1)
    expect(secret.length).toBeGreaterThan(25)
    const rows = await store.list('device-link')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(secret)
  })
})

describe('callers that may not', () => {
  test('make links: strangers, operators, and users who signed in elsewhere', async (context) => {
    const by = (kind: Principal['kind']) => async (request: Request) => {
      const id = request.headers.get(`x-${kind}`)
      return id === null ? undefined : { principal: { kind, id, tenant: 'default' }, credential: { type: 'test' } }
    }
    const { url } = await startAgent(context, { access: { authenticators: [by('user'), by('operator')] } })
    const { sessionId, token } = await openSession(url)
    const stranger = await openSession(url)
    const links = `${url}/sessions/${sessionId}/links`
    expect(await call(links)).toMatchObject({ status: 401 })
    expect(await call(links, { token: stranger.token })).toMatchObject({ status: 404 })
    expect(await call(links, { headers: { 'x-operator': 'root' } })).toMatchObject({ status: 403 })
    const ann = { 'x-user': 'ann' }
    const opened = await call(`${url}/sessions`, { headers: ann })
    const hers = `${url}/sessions/${(opened.body as { sessionId: string }).sessionId}/links`
    expect(await call(hers, { headers: ann })).toMatchObject({ status: 403 })
    expect(await call(links, { token, body: { for: 'me' } })).toMatchObject({ status: 400 })
    expect(await call(links, { method: 'GET', token })).toMatchObject({ status: 405 })
  })

  test('pages of other sites neither make links nor change who a browser is', async (context) => {
    const { url } = await startAgent(context)
    const cookie = await browserOf(url)
    const opened = await call(`${url}/sessions`, { headers: { cookie } })
    const links = `${url}/sessions/${(opened.body as { sessionId: string }).sessionId}/links`
    const evil = { origin: 'http://evil.example' }
    expect(await call(links, { headers: { cookie, ...evil } })).toMatchObject({ status: 403 })
    const { code } = made.parse((await call(links, { headers: { cookie } })).body)
    expect(await joinWith(url, code, evil)).toMatchObject({ status: 403 })
    expect(await joinWith(url, code, { cookie, ...evil })).toMatchObject({ status: 403 })
    const form = { 'content-type': 'text/plain' }
    const text = await fetch(`${url}/join`, { method: 'POST', headers: form, body: JSON.stringify({ code }) })
    expect(text.status).toBe(415)
    expect(await joinWith(url, code)).toMatchObject({ status: 200 })
  })

  test('guess codes: what is unknown, used or old is answered the same, and not for long', async (context) => {
    const shifted = shiftedRuntime()
    const { url } = await startAgent(context, { runtime: shifted.runtime })
    const { sessionId, token } = await openSession(url)
    const old = await makeLink(url, sessionId, token)
    shifted.shift.ms = 11 * 60_000
    const used = await makeLink(url, sessionId, token)
    expect(await joinWith(url, used.code)).toMatchObject({ status: 200 })
    const answers = []
    for (const code of [
      old.code,
      used.code,
      `${sessionId}.link_x`,
      'x',
      '.',
      '../../x',
      `${used.code} `,
      '%00',
      '\ud800.x',
    ]) {
      const { status, body } = await joinWith(url, code)
      // But for the id of the error.
      answers.push(JSON.stringify([status, body]).replace(/err_\w+/, ''))
    }
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('410')
    for (const bad of [{}, { code: 5 }, { code: '' }, { code: 'x'.repeat(501) }, { code: 'x', as: 'operator' }]) {
      expect(await call(`${url}/join`, { body: bad })).toMatchObject({ status: 400 })
    }
    const link = await makeLink(url, sessionId, token)
    let status = 410
    let tries = 14
    while (status === 410) {
      status = (await joinWith(url, `${sessionId}.link_${tries++}`)).status
      expect(tries).toBeLessThan(40)
    }
    expect(status).toBe(429)
    expect((await joinWith(url, 'x')).headers.get('retry-after')).toBe('3')
    expect(await joinWith(url, link.code), 'not even a good one').toMatchObject({ status: 429 })
    shifted.shift.ms += 60_000
    expect(await joinWith(url, link.code)).toMatchObject({ status: 200 })
    expect(await call(`${url}/join?code=${link.code}`, { method: 'GET' })).toMatchObject({ status: 405 })
  })
})

async function startOn(context: TestContext, folder: string) {
  return startAgent(context, { data: await openData({ folder, runtime }) })
}
