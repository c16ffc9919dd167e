import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '@cool-ai/beach-core'
import type { ErrorRuntime } from '../http/error-id.ts'
import { errorResponse } from '../http/responses.ts'

/** Answers a request for an upgrade with an error, as any other request is answered. */
export async function refuseUpgrade(socket: Duplex, error: unknown, runtime: ErrorRuntime | Logger): Promise<void> {
  const response = errorResponse(error, runtime)
  const body = Buffer.from(await response.text())
  const headers = [...response.headers, ['content-length', String(body.length)], ['connection', 'close']]
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  socket.on('error', () => {})
  // A client that does not read the answer, or does not close, is disconnected.
  socket.once('finish', () => socket.destroy())
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]))
}
