import { BeachError, isBeachError, systemClock, type Clock } from '@cool-ai/beach-core'
import { eachPiece } from './body-pieces.ts'
import { ByteBuffer } from './byte-buffer.ts'
import { pendingBodiesOf, type PendingBody } from './pending-bodies.ts'
import { remoteNetwork } from './remote-address.ts'

/** How long any body may take to come. */
const bodyMs = 15_000

/** How a body is read. */
export interface Reading {
  readonly clock?: Clock
  /** True when it is known who sends it: nothing is held back for others then. */
  readonly isKnown?: boolean
}

/**
 * The bytes of a request's body as they were sent, at most so many, if they come in time; a larger body is refused before
 * it is read to its end. A body that is compressed is refused: what it would grow to is not known.
 */
export async function readBytes(request: Request, max: number, reading: Reading = {}): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') {
    throw new BeachError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without Content-Encoding.')
  }
  return readBody(request, max, reading)
}

/** The same without a look at its encoding. */
export async function readBody(request: Request, max: number, reading: Reading = {}): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > max) throw tooLarge(max)
  try {
    return await received(request, max, reading)
  } catch (error) {
    if (isBeachError(error)) throw error
    throw new BeachError('BAD_REQUEST', 'The body could not be read to its end.', { cause: error })
  }
}

function received(
  request: Request,
  max: number,
  { clock = systemClock, isKnown = false }: Reading,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const bytes = new ByteBuffer()
    let stop = () => {}
    let cancel = () => {}
    let isOver = false
    let held: PendingBody | undefined
    const over = () => {
      isOver = true
      stop()
      cancel()
      held?.release()
    }
    const fail = (error: unknown) => {
      over()
      reject(error)
    }
    if (!isKnown) held = pendingBodiesOf(request).hold(remoteNetwork(request), fail)
    if (isOver) return
    cancel = clock.timer(bodyMs, () => fail(late()))
    stop = eachPiece(request, {
      piece: (piece) => {
        if (isOver) return
        if (bytes.size + piece.byteLength > max) return fail(tooLarge(max))
        bytes.add(piece)
        held?.grow(bytes.held)
      },
      end: () => {
        if (isOver) return
        over()
        resolve(bytes.whole())
      },
      fail,
    })
    if (isOver) stop()
  })
}

function tooLarge(max: number): BeachError {
  return new BeachError('TOO_LARGE', `The body is larger than ${max} bytes.`)
}

function late(): BeachError {
  const message = `The body did not come within ${bodyMs / 1_000} seconds.`
  return new BeachError('BAD_REQUEST', message, { details: { close: true } })
}
