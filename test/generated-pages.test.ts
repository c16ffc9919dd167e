import { readFileSync } from 'node:fs'
import { errorCatalogue } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { readFigures } from '../bench/performance/figures.ts'
import { pageOf, plotsOf } from '../bench/performance/page.ts'
import { deliveryTable } from '../scripts/docs/delivery-table.ts'
import { shippedPages } from '../scripts/docs/shipped-pages.ts'

const page = (name: string) => readFileSync(new URL(`../docs/${name}.md`, import.meta.url), 'utf8')

test('the page about delivery has the table that the code has; `npm run docs` writes it', () => {
  expect(page('explanation/delivery')).toContain(`\n\n${deliveryTable()}\n\n`)
})

test('the page about performance and its plots say what was measured; `npm run bench -- peers --page` writes them', () => {
  const figures = readFigures()
  expect(page('performance')).toBe(pageOf(figures))
  for (const [name, plot] of plotsOf(figures)) {
    expect(readFileSync(new URL(`../docs/screenshots/${name}.svg`, import.meta.url), 'utf8')).toBe(plot)
  }
})

test('docs/errors.md has every code with its status, cause and cure, and no other', () => {
  const rows = [...page('errors').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (yes|no) \| ([^|]+) \| ([^|]+) \|$/gm)]
  const listed = Object.fromEntries(
    rows.map(([, code = '', status, retryable]) => [code, { status: Number(status), retryable: retryable === 'yes' }]),
  )
  expect(listed).toEqual(errorCatalogue)
  expect(rows.length).toBe(Object.keys(errorCatalogue).length)
})

test('the pages of exports ship short declarations, and leave long ones to the types of the packages', () => {
  const short = '```ts\ntype Id = string;\n```\n'
  const long = '```ts\ninterface Wide {\n    a: 1;\n    b: 2;\n}\n```\n'
  const text = `# Exports\n\n## beach\n\n### Id\n\nAn id.\n\n${short}\n### Wide\n\nIs wide.\n\n${long}\n### Last\n\nIs last.\n`
  const pages = ['reference/beach', 'guides/tools'].map((place) => ({ place, title: place, text }))
  const [exports, guide] = shippedPages(pages)
  expect(exports?.text).toContain(`### Id\n\nAn id.\n\n${short}\n### Wide\n\nIs wide.\n\n### Last`)
  expect(exports?.text).toContain('dist/**/*.d.ts')
  expect(guide?.text).toBe(text)
})
