import { BeachError, type Channel } from '@cool-ai/beach-core'
import { defineActor } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { createBeach } from './create-beach.ts'

const channel = (transport: string, paths: readonly string[]): Channel => ({
  transport,
  deliveryClass: 'buffered',
  paths,
  async start() {},
  fetch: async ({ method }) => new Response(`${transport} ${method}`),
})

test('the first handler that fits a path answers, whatever its method and spelling', async () => {
  const beach = await createBeach({
    agent: { id: 'a', name: 'A' },
    actors: { actor: defineActor(async () => {}) },
    data: { store: new MemoryStore(), secret: new Uint8Array(32).fill(1) },
    channels: [
      channel('pattern', ['/x/*']),
      channel('exact', ['/x/y', '/healthz', '/sessions/mine', '/plain']),
      channel('late', ['/plain']),
    ],
  })
  const answer = async (path: string, method = 'GET') => {
    const response = await beach.fetch(new Request(`http://localhost${path}`, { method }))
    return response.status === 200 ? response.text() : response.status
  }
  expect(await answer('/x/y')).toBe('pattern GET')
  expect(await answer('/x/%79')).toBe('pattern GET')
  expect(await answer('/healthz')).toContain('ok')
  expect(await answer('/sessions/mine')).toBe(401)
  expect(await answer('/plain')).toBe('exact GET')
  expect(await answer('/plain', 'OPTIONS')).toBe('exact OPTIONS')
  expect(await answer('/plain', 'HEAD')).toBe('')
  expect(await answer('/plain/')).toBe(404)
  await beach.close()
})

test('routes of a channel get their parameters and HEAD; other methods get 405, and errors their response', async () => {
  const routed: Channel = {
    transport: 'routed',
    deliveryClass: 'buffered',
    async start() {},
    routes: [
      {
        method: 'GET',
        path: '/notes/:id',
        answer: async (_, { id }) => new Response(id, { headers: { 'x-id': 'yes' } }),
      },
      { method: 'DELETE', path: '/notes/:id', answer: async () => Promise.reject(new BeachError('FORBIDDEN', 'No.')) },
      { method: 'GET', path: '/links/:secret', answer: async () => Promise.reject(new BeachError('NOT_FOUND', 'No.')) },
    ],
    secretPaths: ['/links/:secret'],
  }
  const beach = await createBeach({
    agent: { id: 'a', name: 'A' },
    actors: { actor: defineActor(async () => {}) },
    data: 'memory',
    channels: [routed],
  })
  const answer = (path: string, method = 'GET') => beach.fetch(new Request(`http://localhost${path}`, { method }))
  expect(await (await answer('/notes/a%20b')).text()).toBe('a b')
  expect((await answer('/notes/1', 'HEAD')).headers.get('x-id')).toBe('yes')
  expect(await (await answer('/notes/1', 'HEAD')).text()).toBe('')
  expect((await answer('/notes/1', 'DELETE')).status).toBe(403)
  const refused = await answer('/notes/1', 'POST')
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, DELETE'])
  const guesses = await Promise.all(Array.from({ length: 100 }, async (_, n) => (await answer(`/links/${n}`)).status))
  expect([guesses[0], guesses.at(-1)]).toEqual([404, 429])
  await beach.close()
})
