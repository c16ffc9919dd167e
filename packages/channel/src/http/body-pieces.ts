import type { IncomingMessage } from 'node:http'
import { RequestNote } from './request-note.ts'

// A Web-standard body is a stream that is dear to make; most bodies are one small piece.
const noted = new RequestNote<IncomingMessage>('node request')

/** Notes for a request what its body comes in. For servers on Node. */
export function noteNodeRequest(request: Request, incoming: IncomingMessage): void {
  noted.set(request, incoming)
}

/** Where the pieces of a body go. */
export interface PieceSink {
  piece(bytes: Uint8Array): void
  end(): void
  fail(error: unknown): void
}

/** Gives each piece of a request's body as it comes; the returned function, called any number of times, ends that. */
export function eachPiece(request: Request, sink: PieceSink): () => void {
  const incoming = noted.get(request)
  const isFresh = incoming !== undefined && !incoming.destroyed && !incoming.readableDidRead && !request.bodyUsed
  return isFresh ? fromNode(incoming, sink) : fromWeb(request, sink)
}

function fromNode(incoming: IncomingMessage, sink: PieceSink): () => void {
  const onData = (piece: Buffer) => sink.piece(piece)
  const stop = () => {
    incoming.off('data', onData)
    incoming.off('end', onEnd)
    incoming.off('error', onError)
    incoming.off('close', onClose)
    if (!incoming.readableEnded) incoming.pause()
  }
  const onEnd = () => {
    stop()
    sink.end()
  }
  const onError = (error: unknown) => {
    stop()
    sink.fail(error)
  }
  const onClose = () => {
    if (incoming.complete) onEnd()
    else onError(new Error('The connection was closed.'))
  }
  incoming.on('data', onData)
  incoming.on('end', onEnd)
  incoming.on('error', onError)
  incoming.on('close', onClose)
  return stop
}

function fromWeb({ body }: Request, sink: PieceSink): () => void {
  const reader = body?.getReader()
  let isStopped = false
  const read = async () => {
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
