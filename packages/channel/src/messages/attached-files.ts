import type { Artifact, ArtifactStore } from '@cool-ai/beach-core'

/** A stored file with its bytes. */
interface AttachedFile {
  readonly artifact: Artifact
  readonly bytes: Buffer
}

/** The bytes of a file for an answer; undefined when it is too large, gone or not for this session: then it is linked. */
export type AttachFile = (artifactId: string) => Promise<AttachedFile | undefined>

interface AttachOptions {
  readonly artifacts: ArtifactStore
  readonly session: string
  readonly tenant: string
  /** What all files of one answer may have together. */
  readonly maxBytes?: number | undefined
}

/** How many bytes of files go with one answer, unless its channel was told otherwise. */
const maxAttachedBytes = 256 * 1024

/** Attaches files to one answer, as many as fit. Ask for one after the other: the first ones have the room. */
export function attaching({ artifacts, session, tenant, maxBytes = maxAttachedBytes }: AttachOptions): AttachFile {
  let room = maxBytes
  return async (artifactId) => {
    if (room <= 0) return undefined
    const stored = await artifacts.get(artifactId, tenant)
    if (stored === undefined) return undefined
    const { artifact } = stored
    const isForeign = artifact.session !== undefined && artifact.session !== session
    if (isForeign || artifact.sizeBytes > room) return undefined
    room -= artifact.sizeBytes
    try {
      return { artifact, bytes: Buffer.from(await new Response(stored.open()).arrayBuffer()) }
    } catch {
      // A file that cannot be read does not keep the answer back.
      room += artifact.sizeBytes
      return undefined
    }
  }
}
