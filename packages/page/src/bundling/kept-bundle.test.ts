import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { PageFiles } from '../page-file.ts'
import { keptBundle } from './kept-bundle.ts'

/** A repository with one source, and a bundler that numbers what it makes. */
function repository() {
  const root = mkdtempSync(join(tmpdir(), 'beach-bundle-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const page = join(root, 'examples', 'page')
  for (const folder of [page, join(root, 'packages')]) mkdirSync(folder, { recursive: true })
  for (const path of [join(root, 'package-lock.json'), join(page, 'page.css')]) writeFileSync(path, 'one')
  let count = 0
  const bundle = async (): Promise<PageFiles> =>
    new Map<string, string | Uint8Array<ArrayBuffer>>([
      ['/index.html', `bundle ${++count}`],
      ['/icon.svg', new Uint8Array([1, 2])],
    ])
  const again = async (name = 'page') => (await keptBundle(name, bundle, root)).get('/index.html')
  return { root, page, bundle, again }
}

test('a bundle is kept as it is while no source changes, and each under its name', async () => {
  const { root, bundle, again } = repository()
  const first = await keptBundle('page', bundle, root)
  expect(await keptBundle('page', bundle, root)).toEqual(first)
  expect(await again('other')).toBe('bundle 2')
  expect(await again()).toBe('bundle 1')
})

test.each<[string, (places: { root: string; page: string }) => void]>([
  ['a source is changed', ({ page }) => writeFileSync(join(page, 'page.css'), 'another')],
  ['a source is added', ({ page }) => writeFileSync(join(page, 'added.ts'), '')],
  ['a source is removed', ({ page }) => rmSync(join(page, 'page.css'))],
  ['a dependency has another version', ({ root }) => writeFileSync(join(root, 'package-lock.json'), 'another')],
  ['what was kept cannot be read', ({ root }) => damage(join(root, 'node_modules', '.cache', 'bundles'))],
])('a page is bundled again when %s', async (_, change) => {
  const places = repository()
  await places.again()
  change(places)
  expect(await places.again()).toBe('bundle 2')
  expect(await places.again()).toBe('bundle 2')
})

test('where nothing can be written, a page is bundled each time', async () => {
  const { root, again } = repository()
  writeFileSync(join(root, 'node_modules'), 'no folder')
  expect([await again(), await again()]).toEqual(['bundle 1', 'bundle 2'])
})

function damage(folder: string): void {
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'nothing of ours')
}
