import type { StoredArtifact } from '@cool-ai/beach-core/ports'
import type { ArtifactReference } from '@cool-ai/beach-protocol'
import type { Content } from './contents.ts'

const mebibyte = 1024 * 1024

interface MediaKind {
  readonly kind: 'image' | 'audio' | 'video' | 'document'
  readonly maxBytes: number
}

/** The media types that the Cloud API accepts, and as what. */
const kinds: Readonly<Record<string, MediaKind>> = {
  'image/jpeg': { kind: 'image', maxBytes: 5 * mebibyte },
  'image/png': { kind: 'image', maxBytes: 5 * mebibyte },
  'audio/aac': { kind: 'audio', maxBytes: 16 * mebibyte },
  'audio/amr': { kind: 'audio', maxBytes: 16 * mebibyte },
  'audio/mpeg': { kind: 'audio', maxBytes: 16 * mebibyte },
  'audio/mp4': { kind: 'audio', maxBytes: 16 * mebibyte },
  'audio/ogg': { kind: 'audio', maxBytes: 16 * mebibyte },
  'video/mp4': { kind: 'video', maxBytes: 16 * mebibyte },
  'video/3gpp': { kind: 'video', maxBytes: 16 * mebibyte },
}
const documents: ReadonlySet<string> = new Set([
  'text/plain',
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
])
/** More would have to be held in memory than one answer is worth; larger ones are linked. */
const maxDocumentBytes = 16 * mebibyte

/** As what a file is sent; undefined when it cannot be. */
export function mediaKindOf({ artifact }: StoredArtifact): MediaKind['kind'] | undefined {
  const type = artifact.mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const found = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (found !== undefined && artifact.sizeBytes <= found.maxBytes) return found.kind
  return documents.has(type) && artifact.sizeBytes <= maxDocumentBytes ? 'document' : undefined
}

/** The bytes of a file, for its upload. */
export async function blobOf(stored: StoredArtifact): Promise<Blob> {
  const type = stored.artifact.mimeType.split(';', 1)[0]?.trim() ?? 'application/octet-stream'
  return new Blob([await new Response(stored.open() as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer()], {
    type,
  })
}

export function mediaContent(kind: MediaKind['kind'], id: string, { name }: ArtifactReference): Content {
  const named = kind === 'document' && name !== undefined ? { filename: name } : {}
  const caption = (kind === 'image' || kind === 'video') && name !== undefined ? { caption: name.slice(0, 1_000) } : {}
  return { type: kind, [kind]: { id, ...named, ...caption } }
}
