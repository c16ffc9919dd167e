import type { ArtifactStore, Envelope, Originator, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { decideDelivery } from '@cool-ai/beach-protocol/parts'
import { linkedParts, type ArtifactLink } from './artifact-links.ts'
import { attaching, type AttachFile } from './attached-files.ts'

/** Where the files of an envelope come from. */
export interface EnvelopeFiles {
  readonly partTypes: PartTypeRegistry
  readonly artifacts?: ArtifactStore | undefined
  readonly artifactLink?: ArtifactLink | undefined
  /** How many bytes of files are in one envelope; 256 kB when left out. */
  readonly attachBytes?: number | undefined
}

/**
 * The envelope for its receiver: each file has its link, and its bytes as `data.bytes`, in base64, as long as they fit and
 * its part type says that files are attached.
 */
export async function envelopeWithFiles(envelope: Envelope, to: Originator, files: EnvelopeFiles): Promise<Envelope> {
  const { artifacts, artifactLink, attachBytes: maxBytes, partTypes } = files
  const { sessionId: session } = envelope.meta
  const { principal } = to
  const linkOf = artifactLink && ((id: string) => artifactLink(id, session, principal))
  const linked = await linkedParts(envelope.parts, linkOf)
  const attach = artifacts && attaching({ artifacts, session, tenant: principal.tenant, maxBytes })
  if (attach === undefined) return { ...envelope, parts: linked }
  const parts: Part[] = []
  for (const part of linked) {
    const isAttached = isFile(part) && decideDelivery(part, to, partTypes) === 'attach'
    parts.push(isAttached ? await attached(part, attach) : part)
  }
  return { ...envelope, parts }
}

type FilePart = Part & { readonly data: { readonly artifactId: string } }

function isFile(part: Part): part is FilePart {
  const { data, metadata } = part
  if (metadata.partType !== 'artifact' || typeof data !== 'object' || data === null) return false
  return 'artifactId' in data && typeof data.artifactId === 'string'
}

async function attached(part: FilePart, attach: AttachFile): Promise<Part> {
  const file = await attach(part.data.artifactId)
  return file === undefined ? part : { ...part, data: { ...part.data, bytes: file.bytes.toString('base64') } }
}
