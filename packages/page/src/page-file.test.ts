import { expect, test } from 'vitest'
import { pageFile, type PageFiles } from './page-file.ts'

const page = '<head><title>%AGENT% · Beach</title></head><script id="about" type="application/json">%ABOUT%</script>'
const files: PageFiles = new Map([
  ['/index.html', page],
  ['/icon.svg', '<svg/>'],
])
const about = { name: 'Agent', suggestions: [], links: [] }

test('the name of an agent is a text, whatever it looks like', () => {
  const odd = { name: '%ABOUT% %AGENT% $& <b>', suggestions: ['</script>'], links: [] }
  const html = String(pageFile(files, '/', { about: odd })?.content)
  expect(html).toContain('<title>%ABOUT% %AGENT% $&amp; &lt;b> · Beach</title>')
  const json = /<script[^>]*type="application\/json"[^>]*>([^<]*)<\/script>/.exec(html)?.[1] ?? ''
  expect(JSON.parse(json)).toEqual(odd)
})

test('other files are as they are, and a path that the page does not have gives nothing', () => {
  expect(pageFile(files, '/icon.svg', { about })).toEqual({ name: '/icon.svg', content: '<svg/>' })
  for (const path of ['/index.html', '/other', '/assets/other', '/../icon.svg', '//', '/theme.css'])
    expect(pageFile(files, path, { about }), path).toBeUndefined()
})

test('an agent’s own styles are a file that the page loads last', () => {
  const content = { about, styles: ':root { --sea: #5b2a86 }' }
  expect(pageFile(files, '/theme.css', content)?.content).toBe(content.styles)
  expect(pageFile(files, '/', content)?.content).toContain('<link rel="stylesheet" href="./theme.css" /></head>')
  expect(pageFile(files, '/', { about })?.content).not.toContain('theme.css')
})
