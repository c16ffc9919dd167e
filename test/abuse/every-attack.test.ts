import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/attacks.md', root), 'utf8')
const rows = [...page.matchAll(/^\| (?<id>[A-Z]\d\d) \| (?<attack>.+?) \| .+? \| (?<tests>.+) \|$/gm)].map(
  ({ groups: { id = '', attack = '', tests = '' } = {} }) => ({ id, attack, tests }),
)

/** The attacks that were given to us to withstand; the page may have more. */
const given = {
  E: '01 02 04 05 07 08 10 11 13 14 16 17 19 20 22 23',
  W: '01 02 04 05 07 08 10',
  T: '01 03 04 06',
  H: '01 03 04 06 07 09 10',
  C: '01 02 04 05',
  S: '02 03 05 06 08 09',
  B: '01 02 04 05',
  A: '01 02 04 05 07 08',
  M: '01 02 04 05',
  D: '02 03 05 06 08',
  U: '01 03 04',
  L: '01 02',
  R: '01 02',
}

test('docs/attacks.md has each of the given attacks once', () => {
  const ids = rows.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const wanted = Object.entries(given).flatMap(([kind, numbers]) => numbers.split(' ').map((number) => kind + number))
  expect(wanted.filter((id) => !ids.includes(id))).toEqual([])
})

test.each(rows)('$id, $attack: its tests are there', ({ tests }) => {
  const named = tests.split(', [').map((one) => /^\[?(?<file>[^\]]+)\]\([^)]+\): (?<title>.+)$/.exec(one)?.groups)
  expect(named.length).toBeGreaterThan(0)
  for (const { file = '', title = '' } of named.map((one) => one ?? {})) {
    expect(readFileSync(new URL(file, root), 'utf8'), file).toContain(title)
  }
})
