import { createHmac } from 'node:crypto'
import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { ArtifactUrls } from './artifact-urls.ts'

const secret = new Uint8Array(32).fill(7)
const artifactId = 'art_abcdefghijkmnpqrstuvwxyz23'
const artifact = { artifactId, tenant: 'acme & söhne+1' }

/** Other places than the one that a link is for. */
const places: readonly [string, (url: URL) => void][] = [
  ['an escaped id', (url) => (url.pathname = `/artifacts/${artifactId.replace('a', '%61')}`)],
  ['another place', (url) => (url.pathname = `/artifact/${artifactId}`)],
  ['a path after the id', (url) => (url.pathname += '/x')],
  ['another case', (url) => (url.pathname = `/artifacts/${artifactId.toUpperCase()}`)],
]

function setUp(options: { publicUrl?: string } = {}) {
  const clock = new SimulatedClock(1_000_000)
  return { clock, urls: new ArtifactUrls({ secret, clock, ...options }) }
}

describe('a link', () => {
  test('is for one artifact of one tenant, until its time', async () => {
    const { urls } = setUp()
    const url = await urls.sign(artifact, { expiresAt: 1_000_500 })
    expect(url).toMatch(/^\/artifacts\/art_\w+\?token=[\w-]+\.[\w-]+\.[\w-]{43}$/)
    expect(await urls.verify(url)).toEqual({ status: 'valid', ...artifact, expiresAt: 1_000_500 })
    expect(await urls.verify(new URL(url, 'https://anywhere.example:99'))).toMatchObject({ status: 'valid' })
    expect(await urls.sign(artifact, { expiresAt: 1_000_500 }), 'the same whenever it is made').toBe(url)
  })

  test('expires at its time, not after it', async () => {
    const { urls, clock } = setUp()
    const url = await urls.sign(artifact, { expiresAt: 1_000_500 })
    await clock.advance(499)
    expect(await urls.verify(url)).toMatchObject({ status: 'valid' })
    await clock.advance(1)
    expect(await urls.verify(url)).toEqual({ status: 'expired' })
  })

  test('is not valid with its path or token altered, missing or doubled', async () => {
    const { urls } = setUp()
    const signed = new URL(await urls.sign(artifact, { expiresAt: 1_000_500 }), 'http://x')
    const altered: [string, (url: URL) => void][] = [
      ['another id', (url) => (url.pathname = `/artifacts/${artifactId.replace('c', 'd')}`)],
      ...places,
      ['no token', (url) => url.searchParams.set('token', '')],
      ['the token missing', (url) => url.searchParams.delete('token')],
      ['the token twice', (url) => url.searchParams.append('token', url.searchParams.get('token') ?? '')],
      ['a signature besides', (url) => url.searchParams.set('signature', 'x')],
    ]
    for (const [what, alter] of altered) {
      const url = new URL(signed)
      alter(url)
      expect(await urls.verify(url), what).toEqual({ status: 'invalid' })
    }
    for (const text of ['', '/', 'http://[', '/artifacts/', `/artifacts/${artifactId}`, '/artifacts/..%2f..%2fetc']) {
      expect(await urls.verify(text), text).toEqual({ status: 'invalid' })
    }
  })

  test('works while the secret that has signed it is listed', async () => {
    const { urls, clock } = setUp()
    const other = new Uint8Array(32).fill(8)
    const url = await urls.sign(artifact, { expiresAt: 2_000_000 })
    const verified = (secrets: Uint8Array[]) => new ArtifactUrls({ secret: secrets, clock }).verify(url)
    expect(await verified([other, secret])).toMatchObject({ status: 'valid' })
    expect(await verified([other])).toEqual({ status: 'invalid' })
  })

  test.each([
    ['https://agent.example', 'https://agent.example/artifacts/'],
    ['https://agent.example:8443/beach/', 'https://agent.example:8443/beach/artifacts/'],
  ])('begins with the configured address %s', async (publicUrl, prefix) => {
    const { urls } = setUp({ publicUrl })
    const url = await urls.sign(artifact, { expiresAt: 2_000_000 })
    expect(url.startsWith(prefix + artifactId)).toBe(true)
    expect(await urls.verify(url)).toMatchObject({ status: 'valid' })
  })
})

describe('a link of the form before JWTs', () => {
  const signed = (expires: string, tenant: string, purpose = 'beach-artifact-url:', key = secret) => {
    const text = `${purpose}${JSON.stringify([artifactId, tenant, expires])}`
    const signature = createHmac('sha256', key).update(text).digest('base64url')
    return new URL(`http://x/artifacts/${artifactId}?${new URLSearchParams({ expires, tenant, signature }).toString()}`)
  }

  test('works until its time, while its secret is listed', async () => {
    const { urls, clock } = setUp()
    expect(await urls.verify(signed('1000500', 'acme'))).toEqual({
      status: 'valid',
      artifactId,
      tenant: 'acme',
      expiresAt: 1_000_500,
    })
    expect(await urls.verify(signed('1000000', 'acme'))).toEqual({ status: 'expired' })
    const other = new Uint8Array(32).fill(8)
    expect(await new ArtifactUrls({ secret: [other, secret], clock }).verify(signed('1000500', 'acme'))).toMatchObject({
      status: 'valid',
    })
    expect(await new ArtifactUrls({ secret: other, clock }).verify(signed('1000500', 'acme'))).toEqual({
      status: 'invalid',
    })
  })

  test('is not valid with any parameter altered, missing or doubled, and then it is not even expired', async () => {
    const { urls } = setUp()
    for (const expires of ['1000500', '999000']) {
      const altered: [string, (url: URL) => void][] = [
        ['another id', (url) => (url.pathname = `/artifacts/${artifactId.replace('c', 'd')}`)],
        ...places,
        ['a later time', (url) => url.searchParams.set('expires', '2000000')],
        ['the same time in other words', (url) => url.searchParams.set('expires', `0${expires}`)],
        ['another tenant', (url) => url.searchParams.set('tenant', 'other')],
        ['no signature', (url) => url.searchParams.set('signature', '')],
        ...['expires', 'tenant', 'signature'].flatMap((name): [string, (url: URL) => void][] => [
          [`${name} missing`, (url) => url.searchParams.delete(name)],
          [`${name} twice`, (url) => url.searchParams.append(name, url.searchParams.get(name) ?? '')],
        ]),
      ]
      for (const [what, alter] of altered) {
        const url = signed(expires, 'acme')
        alter(url)
        expect(await urls.verify(url), what).toEqual({ status: 'invalid' })
      }
    }
    for (const purpose of ['', 'beach-token:']) {
      expect(await urls.verify(signed('2000000', 'acme', purpose))).toEqual({ status: 'invalid' })
    }
  })
})

test.each(['agent.example', '/beach', 'ftp://x', 'javascript:alert(1)', 'https://x?y', 'https://x#y', 'https://u:p@x'])(
  '%j is refused as an address for links',
  (publicUrl) => {
    expect(() => setUp({ publicUrl })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }))
  },
)

test('what could not be verified is not signed, and a short secret is refused', async () => {
  const { urls, clock } = setUp()
  for (const expiresAt of [Number.NaN, Infinity, 0, -1, 1.5]) {
    await expect(urls.sign(artifact, { expiresAt })).rejects.toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
  }
  await expect(urls.sign({ artifactId: '../x', tenant: 't' }, { expiresAt: 2_000_000 })).rejects.toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST' }),
  )
  expect(() => new ArtifactUrls({ secret: new Uint8Array(31), clock })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
  )
})
