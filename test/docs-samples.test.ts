import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { samplesIn } from '../scripts/docs/samples.ts'
import { root } from '../scripts/release/workspaces.ts'

const folder = join(root, 'build/samples')
const samples = globSync('docs/**/*.md', { cwd: root }).flatMap((page) =>
  samplesIn(join(root, page), ['ts']).flatMap(({ runs, line, code }) =>
    runs ? [{ place: `${page}:${line}`, code }] : [],
  ),
)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('pages have samples that run', () => {
  expect(samples.length).toBeGreaterThan(8)
})

test.for(samples)('the sample at $place does what it says', async ({ place, code }) => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${place.replaceAll(/[/.:]/g, '-')}.ts`)
  writeFileSync(file, code)
  await import(file)
})
