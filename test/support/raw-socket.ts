import { once } from 'node:events'
import { request, type IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'vitest'

/** A handshake's outcome: the server's refusal, or a connection on which anything can be written. */
export type Handshake =
  | { readonly status: 101; readonly socket: Duplex; readonly headers: IncomingHttpHeaders }
  | {
      readonly status: number
      readonly body: unknown
      readonly headers: IncomingHttpHeaders
      readonly socket?: undefined
    }

const key = 'dGhlIHNhbXBsZSBub25jZQ=='

/** Asks for a WebSocket by hand, with any headers. */
export async function handshake(
  test: TestContext,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Handshake> {
  const sent = request(url, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
      ...headers,
    },
  })
  sent.end()
  return new Promise((resolve, reject) => {
    sent.once('error', reject)
    sent.once('upgrade', (response, socket) => {
      socket.on('error', () => {})
      test.onTestFinished(() => void socket.destroy())
      resolve({ status: 101, socket, headers: response.headers })
    })
    sent.once('response', (response) => {
      const status = response.statusCode ?? 0
      text(response).then((body) => resolve({ status, body: parsed(body), headers: response.headers }), reject)
    })
  })
}

/** A connection by hand that must come to be. */
export async function connected(
  test: TestContext,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Duplex> {
  const { status, socket } = await handshake(test, url, headers)
  if (socket === undefined) throw new Error(`The upgrade was answered with ${status}.`)
  return socket
}

/** A frame as clients send it, masked with zeros; the opcode's byte may be anything. */
export function clientFrame(firstByte: number, payload: Uint8Array | string): Buffer {
  const bytes = Buffer.from(payload)
  const length =
    bytes.length < 126
      ? Buffer.from([0x80 | bytes.length])
      : Buffer.from([0x80 | 126, bytes.length >> 8, bytes.length & 0xff])
  return Buffer.concat([Buffer.from([firstByte]), length, Buffer.alloc(4), bytes])
}

/** The code of the close frame with which the server ends a connection; 1006 when it just ends. */
export async function closeCodeOf(socket: Duplex): Promise<number> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.resume()
  await once(socket, 'close')
  const bytes = Buffer.concat(chunks)
  for (let place = 0; place + 2 <= bytes.length;) {
    const opcode = (bytes[place] ?? 0) & 0x0f
    const short = (bytes[place + 1] ?? 0) & 0x7f
    const [length, header] =
      short < 126
        ? [short, 2]
        : short === 126
          ? [bytes.readUInt16BE(place + 2), 4]
          : [Number(bytes.readBigUInt64BE(place + 2)), 10]
    if (opcode === 8) return bytes.readUInt16BE(place + header)
    place += header + length
  }
  return 1006
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return body
  }
}
