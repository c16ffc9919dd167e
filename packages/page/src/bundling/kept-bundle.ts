import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import type { PageFiles } from '../page-file.ts'

interface Kept {
  readonly sources: string
  readonly files: PageFiles
}

const repository = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * What `bundle` gives, kept under `name`: loading Vite and bundling take longer than all else at an agent's start. It is bundled
 * again when a source of the repository or a version of a dependency has changed.
 */
export async function keptBundle(
  name: string,
  bundle: () => Promise<PageFiles>,
  root = repository,
): Promise<PageFiles> {
  const place = join(root, 'node_modules', '.cache', 'bundles', hash(name))
  const sources = fingerprint(root)
  const kept = readKept(place)
  if (kept?.sources === sources) return kept.files
  const files = await bundle()
  keep(place, { sources, files })
  return files
}

/** Changes whenever a file does that a bundle may be made of: where each is, how long it is and when it was written. */
function fingerprint(root: string): string {
  const paths = [
    join(root, 'package-lock.json'),
    ...filesIn(join(root, 'packages')),
    ...filesIn(join(root, 'examples')),
  ]
  const lines = paths.map((path) => {
    const { size, mtimeMs } = statSync(path)
    return `${path} ${size} ${mtimeMs}`
  })
  return hash(lines.join('\n'))
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
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(draft, serialize(kept))
    renameSync(draft, place)
  } catch {
    // The next start bundles again.
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
