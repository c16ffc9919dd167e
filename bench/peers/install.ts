import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Installs the frameworks on first use: they are no dependencies of this repository, which stays small without them. */
export function installPeers(): void {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return
  console.error('The frameworks are installed in bench/peers, once (about 1 GB).')
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}
