import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where this package is: above `dist` or `src`, however deep this module is bundled. */
function ownFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

/** A file or folder of this package. */
export function ownFile(name: string): string {
  return join(ownFolder(), name)
}

export function ownVersion(): string {
  return (JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { readonly version: string }).version
}
