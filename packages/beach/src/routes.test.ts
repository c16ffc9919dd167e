import type { Channel } from '@cool-ai/beach-core'
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
    store: new MemoryStore(),
    secret: new Uint8Array(32).fill(1),
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
