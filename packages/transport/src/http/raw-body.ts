import { BeachError } from '@cool-ai/beach-core'

/**
 * The bytes of a request's body as they were sent, at most so many; a larger body is refused before it is read to its
 * end. A body that is compressed is refused: what it would grow to is not known.
 */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') {
    throw new BeachError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without Content-Encoding.')
  }
  const tooLarge = () => new BeachError('TOO_LARGE', `The body is larger than ${most} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge()
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of request.body ?? []) {
      size += piece.byteLength
      if (size > most) throw tooLarge()
      pieces.push(piece)
    }
  } catch (error) {
    if (error instanceof BeachError) throw error
    throw new BeachError('BAD_REQUEST', 'The body could not be read to its end.', { cause: error })
  }
  return Buffer.concat(pieces)
}
