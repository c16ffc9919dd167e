import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PageFiles } from '../page-file.ts'

/** The files as they are published: bundled when the package was built. */
export function chatPageFiles(): Promise<PageFiles> {
  return filesIn(fileURLToPath(new URL('../page/', import.meta.url)))
}

/** `<beach-chat>`, in the same way. */
export function chatElementFiles(): Promise<PageFiles> {
  return filesIn(fileURLToPath(new URL('../element/', import.meta.url)))
}

async function filesIn(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const read = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name)
      const isText = /\.(?:html|css|js|svg)$/.test(name)
      const content = isText ? await readFile(path, 'utf8') : new Uint8Array(await readFile(path))
      return [`/${path.slice(folder.length).replaceAll(sep, '/')}`, content] as const
    })
  return new Map(await Promise.all(read))
}
