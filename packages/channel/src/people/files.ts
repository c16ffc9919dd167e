import { BeachError, type ArtifactStore, type Originator, type Part } from '@cool-ai/beach-core'
import type { StoredArtifact } from '@cool-ai/beach-core/ports'
import type { ArtifactReference } from '@cool-ai/beach-protocol'
import { visibleText } from '@cool-ai/beach-protocol/visible-text'
import type { ContextOptions } from '../channel-start.ts'

/** The recipient of files: a participant of a session. */
export interface FileReader {
  readonly to: Originator
  readonly session: string
}

/** Where files come from. */
export type FileSource = Pick<ContextOptions, 'artifacts' | 'artifactLink'>

/** A stored file, if it is of this session, or of none. */
export async function findFile(
  artifacts: ArtifactStore | undefined,
  artifactId: string | undefined,
  { to, session }: FileReader,
): Promise<StoredArtifact | undefined> {
  if (artifactId === undefined) return undefined
  const found = await artifacts?.get(artifactId, to.principal.tenant)
  const isForeign = found?.artifact.session !== undefined && found.artifact.session !== session
  return isForeign ? undefined : found
}

/** A file by its name, with a link to it where there is one. */
export async function namedFile(
  source: FileSource,
  { artifactId, url }: Pick<ArtifactReference, 'artifactId' | 'url'>,
  name: string,
  reader: FileReader,
): Promise<string> {
  const own = artifactId === undefined ? undefined : await fileLink(source, artifactId, reader)
  const link = own ?? (isWebLink(url) ? visibleText(url) : undefined)
  return link === undefined ? `${name} (cannot be sent here)` : `${name}: ${link}`
}

/** A link to a file that works from anywhere; undefined when there is none. */
async function fileLink({ artifactLink }: FileSource, artifactId: string, { to, session }: FileReader) {
  const link = await artifactLink?.(artifactId, session, to.principal)
  return isWebLink(link) ? link : undefined
}

/** False for a path, which leads nowhere from a phone or a chat. */
export function isWebLink(link: string | undefined): link is string {
  return link !== undefined && /^https?:\/\//i.test(link)
}

interface IncomingFile {
  readonly name: string
  readonly mimeType: string
  readonly tenant: string
  readonly session: string
}

/**
 * Stores the body of an answer as an artifact, at most `max` bytes of it; a larger one is refused, and nothing of it
 * stays.
 */
export async function takeFile(
  artifacts: ArtifactStore,
  response: Response,
  about: IncomingFile,
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
): Promise<Part> {
  const { artifactId, mimeType, sizeBytes, name, sha256 } = await artifacts.put(bounded(response, max), about, signal)
  return { data: { artifactId, mimeType, sizeBytes, name, sha256 }, metadata: { partType: 'artifact' } }
}

/** What the name of a file ends with by its type. */
export function extensionOf(mimeType: string): string {
  return /\/([a-z0-9]{1,8})(?:$|[;+.-])/.exec(mimeType)?.[1] ?? 'bin'
}

async function* bounded(response: Response, max: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > max) throw new BeachError('TOO_LARGE', `The file is larger than ${max} bytes.`)
    yield chunk
  }
}
