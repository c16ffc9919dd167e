import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Installs the frameworks on first use: they are no dependencies of this repository, which stays small without them. */
export function installPeers(): void {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return
  console.error('The frameworks are installed in bench/peers, once (about 1 GB).')
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The versions that are installed of the servers' packages. */
export function versionsOf(contenders: readonly { readonly package?: string }[]): Record<string, string> {
  const names = contenders.flatMap(({ package: name }) => name ?? [])
  return Object.fromEntries(
    names.map((name) => {
      const { version } = JSON.parse(readFileSync(`${folder}node_modules/${name}/package.json`, 'utf8')) as {
        version: string
      }
      return [name, version]
    }),
  )
}

/** Users run what is published, and not the sources. */
export function buildPackages(): void {
  console.error('The packages are built.')
  execFileSync('npm', ['run', 'build'], { cwd: fileURLToPath(new URL('../..', import.meta.url)) })
}
