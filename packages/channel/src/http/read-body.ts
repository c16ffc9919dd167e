import type { IncomingMessage } from 'node:http'
import { BeachError, isBeachError, systemClock, type Clock } from '@cool-ai/beach-core'
import { PendingBodies, type PendingBody } from './pending-bodies.ts'
import { notesOf, remoteNetwork } from './request-source.ts'

/** How long any body may take to come. */
const bodyMs = 15_000
/** For requests without notes: what is held of them is bounded too. */
const ofProcess = new PendingBodies()

/** How a body is read. */
export interface Reading {
  readonly clock?: Clock | undefined
  /** True when the sender is authenticated: its body does not count against the limit of the others. */
  readonly isKnown?: boolean
}

/**
 * The bytes of a request's body as they were sent, at most so many, if they arrive in time; a larger body is refused
 * before it is read to its end. A compressed body is refused: its decompressed size is unknown.
 */
export async function readBytes(request: Request, max: number, reading: Reading = {}): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') {
    throw new BeachError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without Content-Encoding.')
  }
  return readBody(request, max, reading)
}

/** The same without a check of its encoding. */
export function readBody(
  request: Request,
  max: number,
  { clock = systemClock, isKnown = false }: Reading = {},
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const { incoming, pendingBodies = ofProcess } = notesOf(request)
    let bytes: Uint8Array = new Uint8Array(0)
    let size = 0
    let stop = () => {}
    let cancel = () => {}
    let isOver = false
    let pending: PendingBody | undefined
    const over = () => {
      isOver = true
      stop()
      cancel()
      if (pending !== undefined) pendingBodies.release(pending)
    }
    const fail = (error: unknown) => {
      over()
      const message = 'The body could not be read to its end.'
      reject(isBeachError(error) ? error : new BeachError('BAD_REQUEST', message, { cause: error }))
    }
    if (Number(request.headers.get('content-length') ?? 0) > max) return fail(tooLarge(max))
    if (!isKnown) pending = pendingBodies.hold(remoteNetwork(request), fail)
    if (isOver) return
    cancel = clock.timer(bodyMs, () => fail(late()))
    const sink: PieceSink = {
      piece: (piece) => {
        if (isOver) return
        if (size + piece.byteLength > max) return fail(tooLarge(max))
        // Most bodies arrive in one piece, which is not shared.
        bytes = size === 0 ? piece : withPiece(bytes, size, piece)
        size += piece.byteLength
        if (pending !== undefined) pendingBodies.grow(pending, bytes.byteLength)
      },
      end: () => {
        if (isOver) return
        over()
        resolve(bytes.subarray(0, size))
      },
      fail,
    }
    const isFresh = incoming !== undefined && !incoming.destroyed && !incoming.readableDidRead && !request.bodyUsed
    stop = isFresh ? fromNode(incoming, sink) : fromWeb(request, sink)
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

/** Where the pieces of a body go. At its end or its failure, the sink stops the source. */
interface PieceSink {
  readonly piece: (bytes: Uint8Array) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
}

/** Hands each piece of a body on as it arrives; the returned function, called any number of times, ends that. */
function fromNode(incoming: IncomingMessage, { piece, end, fail }: PieceSink): () => void {
  const onClose = () => {
    if (incoming.complete) end()
    else fail(new Error('The connection was closed.'))
  }
  incoming.on('data', piece)
  incoming.on('end', end)
  incoming.on('error', fail)
  incoming.on('close', onClose)
  return () => {
    incoming.off('data', piece)
    incoming.off('end', end)
    incoming.off('error', fail)
    incoming.off('close', onClose)
    if (!incoming.readableEnded) incoming.pause()
  }
}

/** The same for a Web-standard body. */
function fromWeb(request: Request, sink: PieceSink): () => void {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let isStopped = false
  const read = async () => {
    reader = request.body?.getReader()
    for (;;) {
      const next = await reader?.read()
      if (isStopped) return
      if (next === undefined || next.done) return sink.end()
      sink.piece(next.value)
    }
  }
  read().catch((error: unknown) => {
    if (!isStopped) sink.fail(error)
  })
  return () => {
    isStopped = true
    reader?.cancel().catch(() => {})
  }
}

const firstBytes = 4 * 1024

/**
 * Adds a piece to the bytes so far. All of it takes about as much memory as has arrived, however small the pieces are:
 * a buffer for each of them would cost a hundred times what it holds.
 */
function withPiece(held: Uint8Array, size: number, piece: Uint8Array): Uint8Array {
  const all = size + piece.byteLength
  let bytes = held
  if (all > held.byteLength) {
    bytes = Buffer.allocUnsafeSlow(Math.max(firstBytes, all, held.byteLength * 2))
    bytes.set(held.subarray(0, size))
  }
  bytes.set(piece, size)
  return bytes
}
