import { simulatedRuntime, type Principal } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { artifactLinks } from './artifact-links.ts'
import { ArtifactUrls } from './artifact-urls.ts'
import { MemoryArtifactStore } from './memory-artifact-store.ts'

const secret = new Uint8Array(32).fill(7)
const reader: Principal = { kind: 'user', id: 'ann', tenant: 'acme' }

function setUp(options: { publicUrl?: string; expiresInMs?: number } = {}) {
  const runtime = simulatedRuntime()
  const artifacts = new MemoryArtifactStore({ runtime })
  const put = async (session?: string) => {
    const about = { name: 'a.txt', mimeType: 'text/plain', tenant: 'acme', ...(session !== undefined && { session }) }
    return (await artifacts.put(Buffer.from('x'), about)).artifactId
  }
  const { clock } = runtime
  const verify = async (url: string | undefined) => new ArtifactUrls({ secret, clock }).verify(url ?? '')
  return { clock, put, verify, link: artifactLinks({ artifacts, secret, clock, ...options }) }
}

test('leads to the artifacts of a session and to those of none, and to no others', async () => {
  const { link, put, verify, clock } = setUp({ publicUrl: 'https://agent.example/beach' })
  for (const id of [await put('sess_1'), await put()]) {
    const url = await link(id, 'sess_1', reader)
    expect(url).toMatch(/^https:\/\/agent\.example\/beach\/artifacts\/art_/)
    expect(await verify(url)).toMatchObject({ status: 'valid', artifactId: id, expiresAt: clock.now() + 86_400_000 })
  }
  expect(await link(await put('sess_2'), 'sess_1', reader)).toBeUndefined()
  expect(await link(await put(), 'sess_1', { ...reader, tenant: 'other' })).toBeUndefined()
  expect(await link('art_aaaaaaaaaaaaaaaaaaaaaaaaaa', 'sess_1', reader)).toBeUndefined()
})

test('an artifact link expires; without `publicUrl` it is a path', async () => {
  const { link, put, verify, clock } = setUp({ expiresInMs: 1_000 })
  const url = await link(await put(), 'sess_1', reader)
  expect(url).toMatch(/^\/artifacts\//)
  await clock.advance(1_000)
  expect(await verify(url)).toEqual({ status: 'expired' })
})
