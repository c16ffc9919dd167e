import { expect, test } from 'vitest'
import { buildPage } from './build-page.ts'

const request = (path: string) => new Request(`http://127.0.0.1${path}`)

test('what an agent is called is a text, whatever it looks like', async () => {
  const name = '%ABOUT% %AGENT% $& <b>'
  const page = await buildPage(() => ({ name, suggestions: [], links: [] }))
  const html = (await (await page('/', request('/')))?.text()) ?? ''
  expect(html).toContain('<title>%ABOUT% %AGENT% $&amp; &lt;b> · Beach</title>')
  const json = /<script[^>]*type="application\/json"[^>]*>([^<]*)<\/script>/.exec(html)?.[1] ?? ''
  expect(JSON.parse(json)).toEqual({ name, suggestions: [], links: [] })
})

test('a window that opened the page has no leased session on it', async () => {
  const page = await buildPage(() => ({ name: 'Agent', suggestions: [], links: [] }))
  for (const path of ['/', '/icon.svg']) {
    const headers = (await page(path, request(path)))?.headers
    if (headers !== undefined) expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin')
  }
  const first = await page('/', request('/'))
  expect(first?.headers.get('cross-origin-opener-policy')).toBe('same-origin')
})
