import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('the checklist has every feature once, and every file that it names is there', () => {
  const text = readFileSync(join(root, 'docs/intentflow-checklist.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (\d+) \| [^|]+ \| (.+) \|$/gm)].map(([, number, where]) => ({ number, where }))
  expect(rows.map(({ number }) => Number(number))).toEqual(Array.from({ length: 105 }, (_, index) => index + 1))
  for (const { number, where = '' } of rows) {
    const files = [...where.matchAll(/`((?:src|test|packages|examples)\/[\w./-]+)`/g)].map(([, file]) => file ?? '')
    expect(files.length > 0 || where.startsWith('not for us'), `row ${number}`).toBe(true)
    for (const file of files) {
      const path = file.startsWith('src/') ? join('packages/intentflow', file) : file
      expect(existsSync(join(root, path)), `row ${number}: ${file}`).toBe(true)
    }
  }
})
