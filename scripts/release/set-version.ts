import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestsOf, root } from './workspaces.ts'

/*
 * Gives all workspaces one version, and their dependencies on each other exactly that one: `npm run set-version -- 0.7.0`.
 * The packages are released together.
 */
const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
  console.error('Say which version, as in `npm run set-version -- 0.7.0`.')
  process.exit(1)
}
const manifests = [...manifestsOf('packages'), ...manifestsOf('examples')]
const own = new Set(manifests.map(({ manifest }) => manifest.name))
const groups = ['dependencies', 'devDependencies', 'peerDependencies'] as const

for (const { path, manifest } of [...manifests, ...manifestsOf('.')]) {
  for (const group of groups) {
    const named = manifest[group]
    if (named === undefined) continue
    manifest[group] = Object.fromEntries(
      Object.entries(named).map(([name, range]) => [name, own.has(name) ? version : range]),
    )
  }
  writeFileSync(path, `${JSON.stringify({ ...manifest, version }, undefined, 2)}\n`)
}
const file = join(root, 'packages/core/src/version.ts')
writeFileSync(file, readFileSync(file, 'utf8').replace(/'[^']*'/, `'${version}'`))
execFileSync('npm', ['install', '--package-lock-only', '--prefer-offline', '--no-audit', '--no-fund'], {
  cwd: root,
  stdio: 'inherit',
})
console.log(`${manifests.length} workspaces have version ${version}.`)
