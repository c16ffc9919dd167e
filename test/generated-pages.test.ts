import { readFileSync } from 'node:fs'
import { errorCatalogue } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { deliveryTable } from '../scripts/docs/delivery-table.ts'

const page = (name: string) => readFileSync(new URL(`../docs/${name}.md`, import.meta.url), 'utf8')

test('the page about delivery has the table that the code has; `npm run docs` writes it', () => {
  expect(page('explanation/delivery')).toContain(`\n\n${deliveryTable()}\n\n`)
})

test('docs/errors.md has every code with its status, cause and cure, and no other', () => {
  const rows = [...page('errors').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (yes|no) \| ([^|]+) \| ([^|]+) \|$/gm)]
  const listed = Object.fromEntries(
    rows.map(([, code = '', status, retryable]) => [code, { status: Number(status), retryable: retryable === 'yes' }]),
  )
  expect(listed).toEqual(errorCatalogue)
  expect(rows.length).toBe(Object.keys(errorCatalogue).length)
})
