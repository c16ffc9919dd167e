import { expect, test } from 'vitest'
import { pageFile, type PageFiles } from './page-file.ts'

const page = '<title>%AGENT% · Beach</title><script id="about" type="application/json">%ABOUT%</script>'
const files: PageFiles = new Map([
  ['/index.html', page],
  ['/icon.svg', '<svg/>'],
])

test('the name of an agent is a text, whatever it looks like', () => {
  const about = { name: '%ABOUT% %AGENT% $& <b>', suggestions: ['</script>'], links: [] }
  const html = pageFile(files, '/', about)?.content ?? ''
  expect(html).toContain('<title>%ABOUT% %AGENT% $&amp; &lt;b> · Beach</title>')
  const json = /<script[^>]*type="application\/json"[^>]*>([^<]*)<\/script>/.exec(String(html))?.[1] ?? ''
  expect(JSON.parse(json)).toEqual(about)
})

test('other files are as they are, and what the page has not is nothing', () => {
  const about = { name: 'Agent', suggestions: [], links: [] }
  expect(pageFile(files, '/icon.svg', about)).toEqual({ name: '/icon.svg', content: '<svg/>' })
  for (const path of ['/other', '/../icon.svg', '//']) expect(pageFile(files, path, about), path).toBeUndefined()
})
