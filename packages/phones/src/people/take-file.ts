import { BeachError, type ArtifactStore, type Part } from '@cool-ai/beach-core'

/** A file on its way in. */
export interface IncomingFile {
  readonly name: string
  readonly mimeType: string
  readonly tenant: string
  readonly session: string
}

/** Keeps the body of an answer as an artifact, at most `max` bytes of it; a larger one is refused, and nothing of it stays. */
export async function takeFile(
  artifacts: ArtifactStore,
  response: Response,
  about: IncomingFile,
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
): Promise<Part> {
  const { artifactId, mimeType, sizeBytes, name, sha256 } = await artifacts.put(bounded(response, max), about, signal)
  return { data: { artifactId, mimeType, sizeBytes, name, sha256 }, metadata: { partType: 'artifact' } }
}

async function* bounded(response: Response, max: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > max) throw new BeachError('TOO_LARGE', `The file is larger than ${max} bytes.`)
    yield chunk
  }
}
