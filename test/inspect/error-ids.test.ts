import { defineActor } from '@cool-ai/beach'
import type { Channel } from '@cool-ai/beach-core'
import { describe, expect, test, vi } from 'vitest'
import { openSocket } from '../support/socket.ts'
import { recorded } from '../telemetry/recorded.ts'
import { inspected, keys, type Loose } from './inspect-context.ts'

const json = { 'content-type': 'application/json' }
const card = { description: 'A clerk.', capabilities: [] }

/** A channel of an application, which makes its answers by itself. */
const own: Channel = {
  transport: 'own',
  deliveryClass: 'buffered',
  routes: [
    {
      method: 'GET',
      path: '/teapot',
      answer: async () => new Response('No.', { status: 418, headers: { 'content-type': 'text/plain' } }),
    },
    {
      method: 'GET',
      path: '/broken/:whose',
      answer: async () => {
        throw new Error('Wilhelmina is not defined')
      },
    },
  ],
  start: async () => {},
}

async function started() {
  const { runtime, lines, written } = recorded()
  const agent = { id: 'clerk', name: 'Clerk', ...card }
  const actors = {
    clerk: defineActor(({ respond }) => respond({ parts: [], turnState: 'complete' })),
  }
  const context = await inspected({ agent, actors, channels: [own], runtime, publicUrl: 'http://127.0.0.1:1/' })
  const idOf = async (path: string, init?: RequestInit) => {
    const response = await fetch(context.url + path, init)
    return { status: response.status, header: response.headers.get('x-error-id') ?? '', text: await response.text() }
  }
  return { ...context, idOf, lines, written }
}

describe('the id of an error answer', () => {
  test('is in its body and header, in the line of the log, and finds it in the inspector', async () => {
    const { url, ask, idOf, lines, written } = await started()
    const opened = await fetch(`${url}/sessions`, { method: 'POST' })
    const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
    const path = `/sessions/${sessionId}/messages`
    const headers = { ...json, authorization: `Bearer ${token}` }
    const { status, header, text } = await idOf(path, { method: 'POST', headers, body: '{"text":"Wilhelmina"' })
    const { id, code } = JSON.parse(text).error
    expect([status, code, id]).toEqual([400, 'BAD_JSON', header])
    expect(id).toMatch(/^err_[a-z2-9]{26}$/)
    expect(lines('request').at(-1)).toMatchObject({ errorId: id, code, status: 400, session: sessionId })
    const found = await ask(`errors/${id}`)
    expect(found.body).toMatchObject({ errorId: id, code, status, method: 'POST', session: sessionId })
    expect(found.body.route).toBe('/sessions/:id/messages')
    const link = await fetch(`${url}/inspect/errors/${id}`, { redirect: 'manual' })
    expect([link.status, link.headers.get('location')]).toEqual([303, `../#/errors/${id}`])
    expect((await ask('errors')).body.items).toMatchObject([{ errorId: id }])
    expect(written.join()).not.toContain('Wilhelmina')
  })

  test('is in answers that a channel has made by itself, and leads a line about what failed to the inspector', async () => {
    const { idOf, ask, lines } = await started()
    const teapot = await idOf('/teapot')
    expect([teapot.status, teapot.text]).toEqual([418, 'No.'])
    expect((await ask(`errors/${teapot.header}`)).body).toMatchObject({ code: 'OTHER', status: 418, route: '/teapot' })
    const broken = await idOf('/broken/wilhelmina')
    expect(JSON.parse(broken.text).error).toMatchObject({ code: 'INTERNAL', id: broken.header })
    expect(lines('a request failed').at(-1)).toMatchObject({
      errorId: broken.header,
      inspect: `http://127.0.0.1:1/inspect/errors/${broken.header}`,
    })
    const { body, text } = await ask(`errors/${broken.header}`)
    expect(body).toMatchObject({ status: 500, route: '/broken/:whose', causes: ['Error'] })
    expect(body.place).toMatch(/^inspect\/error-ids\.test\.ts:\d+$/)
    expect(text).not.toMatch(/wilhelmina/i)
    for (const path of ['/nothing', '/inspect/api/nothing', '/sessions/sess_none', '/a2a']) {
      const { status, header } = await idOf(path)
      expect([path, status >= 400, header.slice(0, 4)]).toEqual([path, true, 'err_'])
    }
  })

  test('is in the errors of A2A, as their versions have it', async () => {
    const { idOf, ask } = await started()
    const rpc = async (method: string, params: object, version?: string) => {
      const headers = { ...json, ...(version && { 'a2a-version': version }) }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      return JSON.parse((await idOf('/a2a', { method: 'POST', headers, body })).text).error
    }
    const ofDetails = (details: Loose[]) =>
      details.find((detail) => detail['@type'] === 'type.googleapis.com/google.rpc.RequestInfo').requestId
    const none = await rpc('GetTask', { id: 'none' }, '1.0')
    expect((await ask(`errors/${ofDetails(none.data)}`)).body).toMatchObject({ code: 'NOT_FOUND', route: '/a2a' })
    expect((await ask(`errors/${ofDetails((await rpc('No', {}, '1.0')).data)}`)).status).toBe(200)
    const legacy = await rpc('tasks/get', { id: 'none' })
    expect((await ask(`errors/${legacy.data.errorId}`)).body).toMatchObject({ code: 'NOT_FOUND' })
    expect((await ask(`errors/${(await rpc('tasks/no', {})).data.errorId}`)).status).toBe(200)
    const headers = { 'a2a-version': '1.0' }
    const { header, text } = await idOf('/a2a/rest/tasks/none', { headers })
    expect(ofDetails(JSON.parse(text).error.details)).toBe(header)
    const old = await idOf('/a2a/rest/v1/tasks/none')
    expect(JSON.parse(old.text).data.errorId).toBe(old.header)
    expect((await ask(`errors/${old.header}`)).status).toBe(200)
  })

  test('is in the errors of MCP, of AG-UI and on WebSockets', async (context) => {
    const { url, idOf, ask, lines } = await started()
    const mcp = async (method: string, params: object) => {
      const headers = { ...json, accept: 'application/json, text/event-stream' }
      const answer = await idOf('/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return JSON.parse(/\{.*\}/s.exec(answer.text)?.[0] ?? '')
    }
    const broken = await idOf('/mcp', { method: 'POST', headers: json, body: '{' })
    expect(JSON.parse(broken.text).error.data).toEqual({ code: 'BAD_JSON', errorId: broken.header })
    const unknown = await mcp('tools/call', { name: 'no', arguments: {} })
    expect((await ask(`errors/${unknown.error.data.errorId}`)).status).toBe(200)
    const run = await idOf('/agui', { method: 'POST', headers: json, body: '{}' })
    expect(JSON.parse(run.text).error.id).toBe(run.header)

    const opened = await fetch(`${url}/sessions`, { method: 'POST' })
    const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
    const headers = { authorization: `Bearer ${token}` }
    const socket = openSocket(context, `${url}/sessions/${sessionId}/ws`, { headers })
    await socket.ready()
    const { error } = (await socket.ask({ type: 'decide', approvalId: 'none', decision: 'granted' })) as Loose
    expect((await ask(`errors/${error.id}`)).body).toMatchObject({ code: 'NOT_FOUND', status: 404 })
    await vi.waitFor(() => expect(lines('error').map(({ errorId }) => errorId)).toContain(error.id))
  })
})

test('only operators of the tenant who may look find an error', async () => {
  const { url, ask, idOf } = await started()
  const { header } = await idOf('/nothing')
  expect((await ask(`errors/${header}`, keys.reader)).status).toBe(200)
  expect((await ask(`errors/${header}`, keys.foreign)).status).toBe(404)
  expect((await ask('errors', keys.foreign)).body.items).toEqual([])
  for (const key of [keys.unscoped, keys.user, keys.peer]) expect((await ask(`errors/${header}`, key)).status).toBe(403)
  expect((await fetch(`${url}/inspect/api/errors/${header}`)).status).toBe(401)
  expect((await ask('errors?after=../x')).status).toBe(400)
})
