import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'vitest'

/** One WebSocket, seen from the server. */
export interface ServerSocket {
  readonly request: IncomingMessage
  /** Text messages of the client, so far. */
  readonly received: string[]
  readonly closed: Promise<void>
  send(text: string): void
  close(code: number, reason?: string): void
  /** Breaks the connection without a word. */
  drop(): void
}

/** A server that takes WebSockets and says only what the test says; or that answers them with a status. */
export async function webSocketServer(context: TestContext, refuseWith?: number) {
  const sockets: ServerSocket[] = []
  let wake = () => {}
  const server = createServer()
  const all = new Set<Socket>()
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    all.add(socket)
    if (refuseWith !== undefined) return socket.end(`HTTP/1.1 ${refuseWith} No\r\nContent-Length: 0\r\n\r\n`)
    sockets.push(accept(request, socket))
    wake()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.onTestFinished(() => {
    for (const socket of all) socket.destroy()
    server.close()
  })
  const next = async (): Promise<ServerSocket> => {
    for (;;) {
      const socket = sockets.shift()
      if (socket !== undefined) return socket
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The next socket that has not been asked for yet. */
    next,
  }
}

function accept(request: IncomingMessage, socket: Socket): ServerSocket {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const protocol = request.headers['sec-websocket-protocol']?.split(',')[0]
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${createHash('sha1').update(key).digest('base64')}\r\n` +
      `${protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`}\r\n`,
  )
  const received: string[] = []
  let rest = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let frame = read(rest); frame !== undefined; frame = read(rest)) {
      rest = rest.subarray(frame.length)
      if (frame.opcode === 1) received.push(frame.payload.toString())
      if (frame.opcode === 8) socket.end(framed(8, frame.payload))
    }
  })
  return {
    request,
    received,
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    send: (text) => void socket.write(framed(1, Buffer.from(text))),
    close: (code, reason = '') => void socket.write(framed(8, Buffer.concat([twoBytes(code), Buffer.from(reason)]))),
    drop: () => void socket.destroy(),
  }
}

function twoBytes(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255])
}

/** Messages of tests are short: lengths of more than two bytes do not occur. */
function framed(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = length < 126 ? Buffer.from([0x80 | opcode, length]) : Buffer.from([0x80 | opcode, 126])
  return Buffer.concat([head, length < 126 ? Buffer.alloc(0) : twoBytes(length), payload])
}

function read(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] ?? 0) & 127
  const start = short < 126 ? 2 : 4
  if (bytes.length < start + 4) return undefined
  const size = short < 126 ? short : bytes.readUInt16BE(2)
  const length = start + 4 + size
  if (bytes.length < length) return undefined
  const mask = bytes.subarray(start, start + 4)
  const payload = bytes.subarray(start + 4, length).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return { opcode: (bytes[0] ?? 0) & 15, payload: Buffer.from(payload), length }
}
