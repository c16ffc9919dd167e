import { createHmac } from 'node:crypto'
import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { ArtifactUrls } from './artifact-urls.ts'

const secret = new Uint8Array(32).fill(7)
const artifactId = 'art_abcdefghijkmnpqrstuvwxyz23'
const artifact = { artifactId, tenant: 'acme & söhne+1' }

function setUp(options: { publicUrl?: string } = {}) {
  const clock = new SimulatedClock(1_000_000)
  return { clock, urls: new ArtifactUrls({ secret, clock, ...options }) }
}

describe('a link', () => {
  test('says which artifact of which tenant it is for, and until when', () => {
    const { urls } = setUp()
    const url = urls.sign(artifact, { expiresAt: 1_000_500 })
    expect(url).toMatch(
      /^\/artifacts\/art_\w+\?expires=1000500&tenant=acme%20%26%20s%C3%B6hne%2B1&signature=[\w-]{43}$/,
    )
    expect(urls.verify(url)).toEqual({ status: 'valid', ...artifact, expiresAt: 1_000_500 })
    expect(urls.verify(new URL(url, 'https://anywhere.example:99'))).toMatchObject({ status: 'valid' })
  })

  test('expires at its time, not after it', async () => {
    const { urls, clock } = setUp()
    const url = urls.sign(artifact, { expiresAt: 1_000_500 })
    await clock.advance(499)
    expect(urls.verify(url)).toMatchObject({ status: 'valid' })
    await clock.advance(1)
    expect(urls.verify(url)).toEqual({ status: 'expired' })
  })

  test('is not valid with any parameter altered, missing or doubled, and then it is not even expired', () => {
    const { urls } = setUp()
    for (const expiresAt of [1_000_500, 999_000]) {
      const signed = new URL(urls.sign(artifact, { expiresAt }), 'http://x')
      const altered: [string, (url: URL) => void][] = [
        ['another id', (url) => (url.pathname = `/artifacts/${artifactId.replace('c', 'd')}`)],
        ['an escaped id', (url) => (url.pathname = `/artifacts/${artifactId.replace('a', '%61')}`)],
        ['another place', (url) => (url.pathname = `/artifact/${artifactId}`)],
        ['a path after the id', (url) => (url.pathname += '/x')],
        ['another case', (url) => (url.pathname = `/artifacts/${artifactId.toUpperCase()}`)],
        ['a later time', (url) => url.searchParams.set('expires', '2000000')],
        ['the same time in other words', (url) => url.searchParams.set('expires', `0${expiresAt}`)],
        ['the same time with a fraction', (url) => url.searchParams.set('expires', `${expiresAt}.0`)],
        ['no number', (url) => url.searchParams.set('expires', 'NaN')],
        ['another tenant', (url) => url.searchParams.set('tenant', 'other')],
        ['no tenant', (url) => url.searchParams.set('tenant', '')],
        ['no signature', (url) => url.searchParams.set('signature', '')],
        ['a longer signature', (url) => url.searchParams.append('signature', 'x')],
        ['a padded signature', (url) => url.searchParams.set('signature', `${url.searchParams.get('signature')}=`)],
        ['letters of another size', (url) => (url.search = url.search.replace(/[^=]*$/, (text) => swapCase(text)))],
        ...['expires', 'tenant', 'signature'].flatMap((name): [string, (url: URL) => void][] => [
          [`${name} missing`, (url) => url.searchParams.delete(name)],
          [`${name} twice`, (url) => url.searchParams.append(name, url.searchParams.get(name) ?? '')],
        ]),
      ]
      for (const [what, alter] of altered) {
        const url = new URL(signed)
        alter(url)
        expect(urls.verify(url), what).toEqual({ status: 'invalid' })
      }
    }
    for (const text of ['', '/', 'http://[', '/artifacts/', `/artifacts/${artifactId}`, '/artifacts/..%2f..%2fetc']) {
      expect(urls.verify(text), text).toEqual({ status: 'invalid' })
    }
  })

  test('each character of the signature counts', () => {
    const { urls } = setUp()
    const url = urls.sign(artifact, { expiresAt: 2_000_000 })
    for (let index = url.length - 43; index < url.length; index++) {
      const other = url[index] === 'A' ? 'B' : 'A'
      expect(urls.verify(url.slice(0, index) + other + url.slice(index + 1))).toEqual({ status: 'invalid' })
    }
  })

  test('needs our secret, and no other thing that it signs will do', () => {
    const { urls, clock } = setUp()
    const foreign = new ArtifactUrls({ secret: new Uint8Array(32).fill(8), clock })
    expect(urls.verify(foreign.sign(artifact, { expiresAt: 2_000_000 }))).toEqual({ status: 'invalid' })
    const payload = JSON.stringify([artifactId, 'acme', '2000000'])
    for (const text of [payload, `beach-token:${payload}`]) {
      const signature = createHmac('sha256', secret).update(text).digest('base64url')
      const url = `/artifacts/${artifactId}?expires=2000000&tenant=acme&signature=${signature}`
      expect(urls.verify(url)).toEqual({ status: 'invalid' })
    }
  })

  test.each([
    ['https://agent.example', 'https://agent.example/artifacts/'],
    ['https://agent.example:8443/beach/', 'https://agent.example:8443/beach/artifacts/'],
  ])('begins with the configured address %s', (publicUrl, prefix) => {
    const { urls } = setUp({ publicUrl })
    const url = urls.sign(artifact, { expiresAt: 2_000_000 })
    expect(url.startsWith(prefix + artifactId)).toBe(true)
    expect(urls.verify(url)).toMatchObject({ status: 'valid' })
  })
})

test.each(['agent.example', '/beach', 'ftp://x', 'javascript:alert(1)', 'https://x?y', 'https://x#y', 'https://u:p@x'])(
  '%j is refused as an address for links',
  (publicUrl) => {
    expect(() => setUp({ publicUrl })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }))
  },
)

test('what could not be verified is not signed, and a short secret is refused', () => {
  const { urls, clock } = setUp()
  for (const expiresAt of [Number.NaN, Infinity, 0, -1, 1.5]) {
    expect(() => urls.sign(artifact, { expiresAt })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
  }
  expect(() => urls.sign({ artifactId: '../x', tenant: 't' }, { expiresAt: 2_000_000 })).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST' }),
  )
  expect(() => new ArtifactUrls({ secret: new Uint8Array(31), clock })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
  )
})

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
}
