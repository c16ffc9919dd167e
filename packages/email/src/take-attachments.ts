import { isBeachError, type ArtifactStore, type Part } from '@cool-ai/beach-core'
import type { Attachment } from 'postal-mime'
import type { ReadMail } from './read-mail.ts'

/** The files of a mail as parts, and lines about those that were not kept. */
export interface TakenAttachments {
  readonly parts: readonly Part[]
  readonly lines: readonly string[]
  /** Deletes the files again, when their mail turns out to be known. */
  discard(): Promise<void>
}

/** Keeps a mail's files. One that the store refuses is named in the message, so that the actor can say so. */
export async function takeAttachments(
  { attachments }: ReadMail,
  place: { readonly tenant: string; readonly session: string },
  { artifacts, max }: { readonly artifacts?: ArtifactStore | undefined; readonly max: number },
): Promise<TakenAttachments> {
  const files = attachments.filter(isFile)
  const parts: Part[] = []
  const kept: string[] = []
  const lines: string[] = []
  for (const [index, file] of files.entries()) {
    const name = file.filename ?? `file-${index + 1}`
    const refusal =
      index >= max ? `more than ${max} files` : artifacts === undefined ? 'this agent keeps no files' : undefined
    if (refusal !== undefined || artifacts === undefined) {
      lines.push(`[file not kept: ${label(name)}: ${refusal}]`)
      if (index > max) break
      continue
    }
    try {
      const content = bytesOf(file)
      const about = { name, mimeType: sniffType(content, file.mimeType), ...place }
      const { artifactId, mimeType, sizeBytes, sha256, name: safe } = await artifacts.put(content, about)
      kept.push(artifactId)
      parts.push({ data: { artifactId, mimeType, sizeBytes, sha256, name: safe }, metadata: { partType: 'artifact' } })
    } catch (error) {
      if (!isBeachError(error) || error.retryable) throw error
      lines.push(`[file not kept: ${label(name)}: ${error.message}]`)
    }
  }
  return {
    parts,
    lines,
    discard: async () => {
      for (const artifactId of kept) await artifacts?.delete(artifactId, place.tenant)
    },
  }
}

/** Not the pictures that a mail's HTML shows, such as a logo below a signature. */
function isFile({ disposition, related, mimeType }: Attachment): boolean {
  return disposition === 'attachment' || !(related === true && mimeType.startsWith('image/'))
}

function bytesOf({ content }: Attachment): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
}

function label(name: string): string {
  // oxlint-disable-next-line no-control-regex
  return name.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 100)
}

const signatures: readonly (readonly [type: string, at: number, bytes: string])[] = [
  ['application/pdf', 0, '%PDF-'],
  ['image/png', 0, '\u0089PNG\r\n'],
  ['image/jpeg', 0, '\u00ff\u00d8\u00ff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['application/zip', 0, 'PK\u0003\u0004'],
  ['application/x-dosexec', 0, 'MZ'],
  ['application/x-elf', 0, '\u007fELF'],
]
const insideZip = /^application\/(?:zip|vnd\.oasis\.opendocument\.[a-z]+|vnd\.openxmlformats-officedocument\.[a-z.]+)$/
const markup = ['<!doctype html', '<html', '<script', '<svg', '<?xml', '<body']

/**
 * The type of a file by its first bytes, where they tell it, whatever its sender declares. A file that is declared as a
 * picture or a document and does not begin like one is only bytes.
 */
export function sniffType(content: Uint8Array, declared: string): string {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 512)).toString('latin1')
  const found = signatures.find(([, at, bytes]) => head.startsWith(bytes, at))?.[0]
  const type = declared.toLowerCase()
  if (found === 'application/zip') return insideZip.test(type) ? type : found
  if (found !== undefined) return found
  const isNamed = signatures.some(([name]) => name === type) || insideZip.test(type)
  if (isNamed) return 'application/octet-stream'
  const start = head.trimStart().toLowerCase()
  const looksLikeMarkup = markup.some((mark) => start.startsWith(mark))
  return looksLikeMarkup && (type.startsWith('text/') || type.startsWith('image/')) ? 'text/html' : type
}
