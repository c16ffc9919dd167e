import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Messages } from './postgres-messages.ts'

/**
 * A pooler in transaction mode, on loopback, as simple as it can be: a few connections to the server, and each
 * transaction of a client goes to another one of them. It keeps no prepared statements, and loses notifications.
 */
export async function transactionPooler(port: number, startup: Readonly<Record<string, string>>) {
  const idle: Backend[] = []
  const waiting: ((backend: Backend) => void)[] = []
  const release = (backend: Backend) => {
    const next = waiting.shift()
    if (next === undefined) idle.push(backend)
    else next(backend)
  }
  const backends = await Promise.all(Array.from({ length: 3 }, () => openBackend(port, startup)))
  for (const backend of backends) release(backend)
  // The one that waited longest: two transactions of a client in a row have two connections.
  const take = () =>
    new Promise<Backend>((resolve) => {
      const backend = idle.shift()
      if (backend === undefined) waiting.push(resolve)
      else resolve(backend)
    })
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => {}).on('close', () => open.delete(client))
    serveClient(client, take, release)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      for (const { socket } of backends) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Backend {
  readonly socket: Socket
  /** Runs a statement; gives its answer, and whether a transaction is still open. */
  ask(statement: Buffer): Promise<{ readonly answer: Buffer; readonly isOpen: boolean }>
}

const ok = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
const notification = 'A'

function serveClient(client: Socket, take: () => Promise<Backend>, release: (backend: Backend) => void): void {
  const messages = new Messages(false)
  let statement: Buffer[] = []
  let backend: Backend | undefined
  let order = Promise.resolve()
  const run = async (whole: Buffer) => {
    backend ??= await take()
    const { answer, isOpen } = await backend.ask(whole)
    client.write(answer)
    if (isOpen) return
    release(backend)
    backend = undefined
  }
  client.on('data', (data) => {
    for (const { type, bytes } of messages.add(data)) {
      if (type === '') client.write(Buffer.concat([ok, ready]))
      else statement.push(bytes)
      if (type !== 'S' && type !== 'Q') continue
      const whole = Buffer.concat(statement)
      statement = []
      order = order.then(() => run(whole))
    }
  })
}

async function openBackend(port: number, startup: Readonly<Record<string, string>>): Promise<Backend> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true).on('error', () => {})
  const messages = new Messages(true)
  let held: Buffer[] = []
  let resolve: (answered: { answer: Buffer; isOpen: boolean }) => void = () => {}
  socket.on('data', (data) => {
    for (const { type, bytes } of messages.add(data)) {
      if (type !== notification) held.push(bytes)
      if (type !== 'Z') continue
      resolve({ answer: Buffer.concat(held), isOpen: bytes.at(5) !== 0x49 })
      held = []
    }
  })
  const ask: Backend['ask'] = (statement) =>
    new Promise((settle) => {
      resolve = settle
      socket.write(statement)
    })
  const fields = Object.entries(startup).flatMap(([name, value]) => [name, value])
  const body = Buffer.from(`${fields.join('\0')}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8)
  head.writeInt32BE(196_608, 4)
  await ask(Buffer.concat([head, body]))
  return { socket, ask }
}
