import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'

/** The files of a bundle, by name. */
export type BundledFiles = ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>

interface Kept {
  readonly sources: string
  readonly files: BundledFiles
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const cache = join(root, 'node_modules', '.cache', 'bundles')

/**
 * What `bundle` gives, kept under `name`: loading Vite and bundling take longer than all else at an agent's start. It is bundled
 * again when a source of this repository or a version of a dependency has changed.
 */
export async function keptBundle(name: string, bundle: () => Promise<BundledFiles>): Promise<BundledFiles> {
  const place = join(cache, hash(name))
  const sources = fingerprint()
  const kept = readKept(place)
  if (kept?.sources === sources) return kept.files
  const files = await bundle()
  keep(place, { sources, files })
  return files
}

/** Changes whenever a file does that a bundle may be made of: where each is, how long it is and when it was written. */
function fingerprint(): string {
  const paths = [
    join(root, 'package-lock.json'),
    ...filesIn(join(root, 'packages')),
    ...filesIn(join(root, 'examples')),
  ]
  return hash(
    paths
      .map((path) => [path, statSync(path)] as const)
      .map(([path, { size, mtimeMs }]) => `${path} ${size} ${mtimeMs}`)
      .join('\n'),
  )
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [join(folder, entry.name)]
    return entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== 'dist'
      ? filesIn(join(folder, entry.name))
      : []
  })
}

function readKept(place: string): Kept | undefined {
  try {
    return deserialize(readFileSync(place)) as Kept
  } catch {
    return undefined
  }
}

/** Keeps a bundle whole or not at all, since others may start at the same time; where nothing can be written, nothing is kept. */
function keep(place: string, kept: Kept): void {
  const draft = `${place}.${process.pid}`
  try {
    mkdirSync(cache, { recursive: true })
    writeFileSync(draft, serialize(kept))
    renameSync(draft, place)
  } catch {
    // The next start bundles again.
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
