import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestsOf, root } from './workspaces.ts'

/** What the tutorial has its reader install, and what the types of optional peers need. */
const besides = ['zod', '@types/node', '@types/react', '@types/pg', 'typescript']

/**
 * A project as a user has it: all tarballs, their peers and `@types/node`, from the registry that npm is set up for, in
 * the versions that this repository is tested with.
 */
export function installed(project: string, tarballs: readonly string[]): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>
  }
  const peers = manifestsOf('packages').flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {}))
  const own = new Set(manifestsOf('packages').map(({ manifest }) => manifest.name))
  const others = [...new Set([...peers, ...besides])].filter((name) => !own.has(name))
  const specs = others.map((name) => `${name}@${packages[`node_modules/${name}`]?.version ?? 'latest'}`)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'reader', private: true, type: 'module' }))
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--silent', '--ignore-scripts']
  execFileSync('npm', ['install', ...flags, ...tarballs, ...specs], {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}
