import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

type Ranges = Record<string, string>

/** What scripts read of a `package.json`. */
export interface Manifest {
  name: string
  version: string
  description?: string
  license?: string
  keywords?: readonly string[]
  homepage?: string
  bugs?: string
  repository?: { readonly directory?: string }
  publishConfig?: { readonly provenance?: boolean }
  exports?: Readonly<Record<string, string | { readonly types?: string; readonly default?: string }>>
  dependencies?: Ranges
  devDependencies?: Ranges
  peerDependencies?: Ranges
  peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface Workspace {
  /** Where its `package.json` is. */
  readonly path: string
  readonly folder: string
  readonly manifest: Manifest
}

/** The workspaces in a folder of this repository, by name; `.` for the repository itself. */
export function manifestsOf(folder: string): Workspace[] {
  const paths = globSync(folder === '.' ? 'package.json' : `${folder}/*/package.json`, { cwd: root })
  return paths.toSorted().map((found) => {
    const path = join(root, found)
    return { path, folder: join(path, '..'), manifest: JSON.parse(readFileSync(path, 'utf8')) as Manifest }
  })
}
