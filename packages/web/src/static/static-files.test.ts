import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { staticFiles } from './static-files.ts'

const script = `export const words = [${"'the same again', ".repeat(400)}]\n`
const asked = (headers: Readonly<Record<string, string>> = {}) => new Request('http://agent.test/', { headers })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('a text is sent in the best form that its reader accepts, and is the same text', async () => {
  const serve = staticFiles()
  const plain = await serve(asked(), '/assets/main-abc.js', script)
  const br = await serve(asked({ 'accept-encoding': 'gzip, br' }), '/assets/main-abc.js', script)
  const gzip = await serve(asked({ 'accept-encoding': 'gzip' }), '/assets/main-abc.js', script)
  expect([plain, br, gzip].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'br', 'gzip'])
  expect([plain, br, gzip].map(({ headers }) => headers.get('vary'))).toEqual(Array(3).fill('accept-encoding'))
  expect(new Set([plain, br, gzip].map(({ headers }) => headers.get('etag'))).size).toBe(1)
  const [first, second, third] = [await bytesOf(plain), await bytesOf(br), await bytesOf(gzip)]
  expect(second.length).toBeLessThan(first.length / 10)
  expect(first.toString()).toBe(script)
  expect(brotliDecompressSync(second).toString()).toBe(script)
  expect(gunzipSync(third).toString()).toBe(script)
})

test('what compresses to nothing less is sent as it is', async () => {
  const serve = staticFiles()
  const all = asked({ 'accept-encoding': 'gzip, br' })
  const small = await serve(all, '/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  const picture = await serve(all, '/photo.webp', new Uint8Array(5_000))
  expect(small.headers.get('content-encoding')).toBeNull()
  expect(picture.headers.get('content-encoding')).toBeNull()
  expect(picture.headers.get('content-type')).toBe('image/webp')
})

test('a file with a hash in its name is kept, the rest is asked for again and answered with 304', async () => {
  const serve = staticFiles({ headers: (name) => ({ 'x-name': name }) })
  const page = '<!doctype html><title>Agent</title>'
  expect((await serve(asked(), '/assets/a-1.css', 'a{}')).headers.get('cache-control')).toBe(
    'public, max-age=31536000, immutable',
  )
  const first = await serve(asked(), '/index.html', page)
  expect(first.headers.get('cache-control')).toBe('private, no-cache')
  const etag = first.headers.get('etag') ?? ''
  const again = await serve(asked({ 'if-none-match': `"other", ${etag}` }), '/index.html', page)
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect(again.headers.get('x-name')).toBe('/index.html')
  const changed = await serve(asked({ 'if-none-match': etag }), '/index.html', `${page}!`)
  expect([changed.status, await changed.text()]).toEqual([200, `${page}!`])
})
