import type { ArtifactStore, Part, Principal } from '@cool-ai/beach-core'
import { artifactName, artifactSchema } from '@cool-ai/beach-protocol'
import { visibleText } from '@cool-ai/beach-protocol/visible-text'
import type { MailFile } from './data-files.ts'

/** The files of an answer: those that are attached, and lines about those that are not. */
export interface AttachedArtifacts {
  readonly files: readonly MailFile[]
  readonly lines: readonly string[]
}

export interface ArtifactFilesOptions {
  readonly artifacts?: ArtifactStore | undefined
  readonly artifactLink?:
    | ((artifactId: string, session: string, principal: Principal) => Promise<string | undefined>)
    | undefined
  readonly maxBytes: number
}

/** The files of artifact parts, as many as fit; the others are linked, where links can be made. */
export async function artifactFiles(
  parts: readonly Part[],
  session: string,
  principal: Principal,
  { artifacts, artifactLink, maxBytes }: ArtifactFilesOptions,
): Promise<AttachedArtifacts> {
  const files: MailFile[] = []
  const lines: string[] = []
  let room = maxBytes
  for (const part of parts) {
    const reference = artifactSchema.safeParse(part.data).data
    if (reference === undefined) continue
    const { artifactId } = reference
    const name = artifactName(reference)
    const stored = artifactId === undefined ? undefined : await artifacts?.get(artifactId, principal.tenant)
    const isOurs = stored?.artifact.session === undefined || stored.artifact.session === session
    if (stored !== undefined && isOurs && stored.artifact.sizeBytes <= room) {
      const { name: filename, mimeType: contentType, sizeBytes } = stored.artifact
      room -= sizeBytes
      const content = async () => Buffer.from(await new Response(stored.open()).arrayBuffer())
      files.push({ filename, contentType, sizeBytes, content })
      continue
    }
    const id = isOurs ? stored?.artifact.artifactId : undefined
    const link = id === undefined ? reference.url : await artifactLink?.(id, session, principal)
    // A path alone is no link in a mail.
    const isLink = link !== undefined && /^https?:\/\//.test(link)
    lines.push(isLink ? `${visibleText(name)}: ${visibleText(link)}` : `${visibleText(name)} (not attached)`)
  }
  return { files, lines }
}
