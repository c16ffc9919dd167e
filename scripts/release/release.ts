import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installFigures } from '../../bench/install.ts'
import { runTutorial } from '../docs/run-tutorial.ts'
import { checkResolution } from './check-resolution.ts'
import { checkTypes } from './check-types.ts'
import { checkVersions } from './check-versions.ts'
import { freePort } from '../../packages/testing/src/free-port.ts'
import { installed } from './install.ts'
import { tryTemplates } from './try-templates.ts'
import { manifestsOf, root, type Workspace } from './workspaces.ts'

/*
 * Releases all packages together: `npm run release`. It builds them, checks each as it would be published, packs them,
 * installs the tarballs into a new project outside of this repository, compiles a program there that imports every entry
 * point, follows the tutorial in it, and makes a project of each template. Only then it publishes the very tarballs that
 * were tried. `--dry-run` ends there; with `--built` it takes what was built before.
 */
const isDryRun = process.argv.includes('--dry-run')
const packages = manifestsOf('packages')
const command = 'node_modules/@cool-ai/beach/dist/command/beach.js'
const run = (...args: readonly string[]) => execFileSync('npm', args, { cwd: root, stdio: 'inherit' })

async function step(what: string, work: () => void | Promise<void>): Promise<void> {
  const began = performance.now()
  await work()
  console.log(`release: ${what} (${((performance.now() - began) / 1_000).toFixed(1)} s)`)
}

await step('versions', () => checkVersions(packages))
await step('built', () => {
  if (isDryRun && process.argv.includes('--built')) return
  // Types of sources that are gone stay in `dist`; what is published must not have them.
  if (!isDryRun) for (const { folder } of packages) forget(folder)
  run('run', 'build')
  run('run', 'publint')
})
const tarballs = join(root, 'build/packages')
rmSync(tarballs, { recursive: true, force: true })
mkdirSync(tarballs, { recursive: true })
await step('packed', () => {
  const workspaces = packages.map(({ folder }) => `--workspace=${folder}`)
  execFileSync('npm', ['pack', '--silent', `--pack-destination=${tarballs}`, ...workspaces], { cwd: root })
})
await step('imports resolve to modules and their types', async () => {
  for (const one of packages) await checkResolution(tarballOf(one), one.manifest)
})

await step('what a greeter installs', async () => {
  const figures = await installFigures()
  const over = figures.filter(({ value, goal, isExact }) => isExact && value > goal)
  for (const { name, value, goal } of figures)
    console.log(`  ${name}: ${Number(value.toPrecision(3))} (at most ${goal})`)
  if (over.length > 0) throw new Error(`More than its goal: ${over.map(({ name }) => name).join(', ')}.`)
})

const project = mkdtempSync(join(tmpdir(), 'beach-release-'))
try {
  await step('installed into a new project', () => installed(project, packages.map(tarballOf)))
  await step('types of every entry point, by TypeScript 5.9 and 7', () => checkTypes(project, packages))
  const tutorial = {
    page: join(root, 'docs/tutorial.md'),
    folder: project,
    port: await freePort(),
    command: join(project, command),
  }
  await step('the tutorial', () => runTutorial(tutorial))
  const packed = packages.map((one) => ({ tarball: tarballOf(one), manifest: one.manifest }))
  await step('a project of each template', () => tryTemplates(project, packed))
} finally {
  rmSync(project, { recursive: true, force: true })
}
if (isDryRun) {
  console.log(`release: ${packages.length} packages of ${packages[0]?.manifest.version} could be published.`)
} else {
  for (const one of packages) run('publish', tarballOf(one), '--access=public', '--provenance')
}

function forget(folder: string): void {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  for (const state of globSync('*.tsbuildinfo', { cwd: folder })) rmSync(join(folder, state))
}

function tarballOf({ manifest }: Workspace): string {
  return join(tarballs, `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`)
}
