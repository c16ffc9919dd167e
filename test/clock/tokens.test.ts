import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { simulatedRuntime, testAgent } from '@cool-ai/beach-testing'
import { describe, expect, test, type TestContext } from 'vitest'

type TokenTimes = NonNullable<BeachOptions['access']>['tokens']

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** An agent on a clock that the test sets, called without a network. */
async function agentOf(context: TestContext, tokens?: TokenTimes) {
  const runtime = simulatedRuntime()
  const { beach, stop } = await testAgent({
    runtime,
    actors: { main: defineActor(async () => {}) },
    page: (path) => (path === '/' ? new Response('page', { headers: html }) : undefined),
    access: { tokens, remoteAddress: () => '192.0.2.1', limits: { guestSessionsPerMinute: 60 } },
  })
  context.onTestFinished(stop)
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await beach.fetch(new Request(`http://127.0.0.1${path}`, init))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const open = async () => {
    const { text } = await ask('/sessions', { method: 'POST' })
    return JSON.parse(text) as { sessionId: string; token: string; refreshToken: string }
  }
  return { clock: runtime.clock, ask, open }
}

const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('a token that was issued by a clock which was ahead', () => {
  test('lets its owner in when the clock is right again', async (context) => {
    const { clock, ask, open } = await agentOf(context)
    clock.step(7 * dayMs)
    const { sessionId, refreshToken } = await open()
    clock.step(-7 * dayMs)
    const renewed = await ask('/token', { method: 'POST', headers: json, body: JSON.stringify({ refreshToken }) })
    const { token } = JSON.parse(renewed.text) as { token: string }
    expect((await ask(`/sessions/${sessionId}`, bearer(token))).status).toBe(200)
  })

  test('is not good for longer than twice its time', async (context) => {
    const { clock, ask, open } = await agentOf(context)
    clock.step(10 * 365 * dayMs)
    const { sessionId, token } = await open()
    clock.step(-10 * 365 * dayMs)
    expect((await ask(`/sessions/${sessionId}`, bearer(token))).status).toBe(401)
  })

  test('as a cookie is given anew by the page, for the same visitor', async (context) => {
    const { clock, ask } = await agentOf(context)
    const cookieOf = ({ headers }: { headers: Headers }) =>
      headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; ')
    const idIn = (cookie: string) =>
      (JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString()) as { id: string }).id
    clock.step(30 * dayMs)
    const cookie = cookieOf(await ask('/'))
    expect(cookieOf(await ask('/', { headers: { cookie } }))).toBe('')
    clock.step(-30 * dayMs)
    const renewed = cookieOf(await ask('/', { headers: { cookie } }))
    expect(idIn(renewed)).toBe(idIn(cookie))
    expect(cookieOf(await ask('/', { headers: { cookie: renewed } }))).toBe('')
  })
})

describe('a link to join a session', () => {
  test('that was made by a clock which was ahead is over, and keeps no room from others', async (context) => {
    const { clock, ask, open } = await agentOf(context, { accessMs: dayMs })
    const { sessionId, token } = await open()
    const make = () => ask(`/sessions/${sessionId}/links`, { method: 'POST', ...bearer(token) })
    const join = (code: string) => ask('/join', { method: 'POST', headers: json, body: JSON.stringify({ code }) })
    clock.step(hourMs)
    const made = [await make(), await make(), await make(), await make(), await make()]
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect((await make()).status).toBe(429)
    clock.step(-hourMs)
    const { code } = JSON.parse(made[0]?.text ?? '') as { code: string }
    expect((await join(code)).status).toBe(410)
    const after = await make()
    expect(after.status).toBe(201)
    // A clock that is set back by a little makes it last a little longer.
    clock.step(-5 * minuteMs)
    expect((await join((JSON.parse(after.text) as { code: string }).code)).status).toBe(200)
  })
})

test('guests are not kept waiting by a clock that is set back, nor let in by one that is set forward', async (context) => {
  const { clock, ask } = await agentOf(context)
  const open = async () => (await ask('/sessions', { method: 'POST' })).status
  const many = []
  for (let tries = 0; tries < 61; tries++) many.push(await open())
  expect(many.filter((status) => status === 201)).toHaveLength(60)
  clock.step(hourMs)
  expect(await open()).toBe(429)
  clock.step(-2 * hourMs)
  await clock.advance(2_000)
  expect(await open()).toBe(201)
})
