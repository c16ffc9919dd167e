import { BeachError } from '@cool-ai/beach-core'

/** The body as it came, at most `most` bytes of it; a larger one is refused before it is read to its end. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const tooLarge = () => new BeachError('TOO_LARGE', `The body is larger than ${most} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size > most) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof BeachError) throw error
    throw new BeachError('BAD_REQUEST', 'The body could not be read.', { cause: error })
  }
  return Buffer.concat(chunks)
}
