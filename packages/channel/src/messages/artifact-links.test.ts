import type { Frame, Principal } from '@cool-ai/beach-core'
import { frameBatch } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { SharedLinks } from './artifact-links.ts'

const alice: Principal = { kind: 'user', id: 'alice', tenant: 'acme' }
const bob: Principal = { kind: 'user', id: 'bob', tenant: 'acme' }

function frame(partType: string, data: unknown): Frame {
  return { kind: 'part', role: 'agent', partId: 'p', part: { data, metadata: { partType } }, at: 0 }
}

test('frames without artifacts are the same batch, at once', () => {
  const links = new SharedLinks(async () => '/never')
  const frames = frameBatch([
    frame('domain-data', { artifactId: 'x' }),
    frame('artifact', { artifactId: 'x', url: '/there' }),
  ])
  expect(links.add(frames, 's', alice)).toBe(frames)
})

test('a link is made once for all viewers of one principal, and for each principal its own', async () => {
  const asked: string[] = []
  const links = new SharedLinks(async (artifactId, session, { id }) => {
    asked.push(`${artifactId} ${session} ${id}`)
    return artifactId === 'secret' ? undefined : `/artifacts/${artifactId}?for=${id}`
  })
  const frames = frameBatch([
    frame('ack', {}),
    frame('artifact', { artifactId: 'a' }),
    frame('artifact', { artifactId: 'secret' }),
  ])
  const [one, other, his] = await Promise.all([
    links.add(frames, 's', alice),
    links.add(frames, 's', alice),
    links.add(frames, 's', bob),
  ])
  expect(other).toBe(one)
  expect(one[0]).toBe(frames[0])
  expect(one[1]).toMatchObject({ part: { data: { artifactId: 'a', url: '/artifacts/a?for=alice' } } })
  expect(one[2]).toEqual(frames[2])
  expect(his[1]).toMatchObject({ part: { data: { url: '/artifacts/a?for=bob' } } })
  expect(asked.toSorted()).toEqual(['a s alice', 'a s bob', 'secret s alice', 'secret s bob'])
})
