import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

interface OldSession {
  readonly sessionId: string
  readonly token: string
}

/** What `make-folder.mjs` has noted of the folder that it made. */
export interface OldFolder {
  /** When it was made. */
  readonly at: number
  /** Two settled turns. */
  readonly talked: OldSession
  /** A turn that waits for an approval. */
  readonly asked: OldSession & { readonly approvalId: string }
  /** A flow that is open. */
  readonly ordered: OldSession
  /** A turn whose process was killed while a tool ran. */
  readonly killed: OldSession
  /** The link of an artifact, signed then. */
  readonly link: string
}

/** Puts the files of an old data folder into an empty one. */
export function unpackFolder(name: string, folder: string): OldFolder {
  const packed = readFileSync(new URL(`${name}.json.br`, import.meta.url))
  const { files, ...about } = JSON.parse(brotliDecompressSync(packed).toString()) as OldFolder & {
    readonly files: Readonly<Record<string, string>>
  }
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, Buffer.from(content, 'base64'))
  }
  return about
}
