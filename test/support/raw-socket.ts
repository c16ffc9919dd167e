import { request, type IncomingHttpHeaders } from 'node:http'
import { request as secureRequest } from 'node:https'
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
  tls: { readonly cert?: string; readonly key?: string } = {},
): Promise<Handshake> {
  const sent = (url.startsWith('https:') ? secureRequest : request)(url, {
    ...tls,
    // The servers of tests sign their own certificates.
    rejectUnauthorized: false,
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
    sent.once('upgrade', (response, socket, head) => {
      socket.on('error', () => {})
      // What came together with the answer.
      if (head.length > 0) socket.unshift(head)
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
  tls?: Parameters<typeof handshake>[3],
): Promise<Duplex> {
  const { status, socket } = await handshake(test, url, headers, tls)
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

/** A frame as servers send it. */
export interface ServerFrame {
  readonly opcode: number
  readonly payload: Buffer
}

/** The frames that come, until the connection ends. */
export async function* serverFrames(socket: Duplex): AsyncGenerator<ServerFrame> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer])
    for (let frame = firstFrame(bytes); frame !== undefined; frame = firstFrame(bytes)) {
      bytes = bytes.subarray(frame.end)
      yield frame
    }
  }
}

/** The code with which the server closes a connection, and its sentence; 1006 when it just ends. */
export async function closeOf(socket: Duplex): Promise<{ code: number; reason: string }> {
  for await (const { opcode, payload } of serverFrames(socket)) {
    if (opcode === 8) return { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString() }
  }
  return { code: 1006, reason: '' }
}

export async function closeCodeOf(socket: Duplex): Promise<number> {
  return (await closeOf(socket)).code
}

function firstFrame(bytes: Buffer): (ServerFrame & { readonly end: number }) | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] ?? 0) & 0x7f
  const start = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < start) return undefined
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const end = start + length
  return bytes.length < end ? undefined : { opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(start, end), end }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return body
  }
}
