import type { ArtifactStore, Originator } from '@cool-ai/beach-core'
import type { StoredArtifact } from '@cool-ai/beach-core/ports'
import type { PhoneChannelOptions } from './phone-options.ts'

/** For whom files are: a participant of a session. */
export interface FileReader {
  readonly to: Originator
  readonly session: string
}

type FileSource = Pick<PhoneChannelOptions, 'artifacts' | 'artifactLink'>

/** A stored file, if it is of this session, or of none. */
export async function findFile(
  artifacts: ArtifactStore | undefined,
  artifactId: string,
  { to, session }: FileReader,
): Promise<StoredArtifact | undefined> {
  const found = await artifacts?.get(artifactId, to.principal.tenant)
  const isForeign = found?.artifact.session !== undefined && found.artifact.session !== session
  return isForeign ? undefined : found
}

/** A link to a file that works from anywhere; undefined when there is none. */
export async function fileLink(
  { artifactLink }: FileSource,
  artifactId: string,
  { to, session }: FileReader,
): Promise<string | undefined> {
  const link = await artifactLink?.(artifactId, session, to.principal)
  return link !== undefined && /^https?:\/\//.test(link) ? link : undefined
}

/** A link to a text that is too long to be sent, kept as a file of the session for it. */
export async function textLink(source: FileSource, text: string, reader: FileReader): Promise<string | undefined> {
  const { artifacts, artifactLink } = source
  if (artifacts === undefined || artifactLink === undefined) return undefined
  const about = { name: 'answer.txt', mimeType: 'text/plain', tenant: reader.to.principal.tenant }
  const { artifactId } = await artifacts.put(new TextEncoder().encode(text), { ...about, session: reader.session })
  return fileLink(source, artifactId, reader)
}
