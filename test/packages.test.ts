import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownOptions } from '../packages/beach/src/options/known-options.ts'
import { checkVersions } from '../scripts/release/check-versions.ts'
import { manifestsOf, root } from '../scripts/release/workspaces.ts'

const packages = manifestsOf('packages')

test('all packages have one version, and depend on each other in exactly that one', () => {
  expect(() => checkVersions(packages)).not.toThrow()
  const [first] = packages
  if (first === undefined) throw new Error('There are no packages.')
  const later = { ...first, manifest: { ...first.manifest, dependencies: { '@cool-ai/beach-testing': '^0.6.0' } } }
  expect(() => checkVersions([later, ...packages.slice(1)])).toThrow(/set-version/)
})

test('every package has a licence, a README, and what a registry shows of it', () => {
  const licence = readFileSync(join(root, 'LICENSE'), 'utf8')
  const wrong = packages.flatMap(({ folder, manifest }) => {
    const place = folder.slice(root.length)
    const { keywords, homepage, bugs, license, publishConfig, repository } = manifest
    const isWhole =
      readFileSync(join(folder, 'LICENSE'), 'utf8') === licence &&
      readFileSync(join(folder, 'README.md'), 'utf8').includes(`npm install`) &&
      license === 'Apache-2.0' &&
      (keywords?.length ?? 0) > 3 &&
      homepage === `https://github.com/cool-ai/beach/tree/main/${place}#readme` &&
      bugs === 'https://github.com/cool-ai/beach/issues' &&
      repository?.directory === place &&
      publishConfig?.provenance === true
    return isWhole ? [] : [manifest.name]
  })
  expect(wrong).toEqual([])
  expect(packages.length).toBeGreaterThan(20)
})

test('the table in the README of @cool-ai/beach has every option of createBeach', () => {
  const readme = readFileSync(join(root, 'packages/beach/README.md'), 'utf8')
  const table = readme.split('The options of `createBeach`')[1]?.split('\n\n')[1] ?? ''
  const { data, turns, protocols, approvals, access, inspect, audit, telemetry, page } = knownOptions
  const groups = [knownOptions, data, turns, protocols, approvals, access, inspect, audit, telemetry, page]
  const earlier: ReadonlySet<string> = new Set(['card', 'approvalFollowUps'])
  const names = groups.flatMap((group) => Object.keys(group)).filter((name) => !earlier.has(name))
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(table))).toEqual([])
})

test('on a Node that is too old, the store says which one is needed', () => {
  const tooOld = `data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })")}`
  const args = [
    '--conditions=@cool-ai/source',
    `--import=${tooOld}`,
    '--eval',
    "import('@cool-ai/beach-session/sqlite')",
  ]
  expect(() => execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' })).toThrow(
    'Beach needs Node 22.18 or later, and this is Node 20.20.2.',
  )
})
