import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import type { TestContext } from 'vitest'

/** A way to a server that can be cut while both ends live on. */
export interface FrailConnection {
  readonly url: string
  /** Breaks all connections that are open now; new ones can be made at once. */
  cut(): void
}

/** Puts a relay in front of a port for one test. */
export async function frailConnection(test: TestContext, port: number): Promise<FrailConnection> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const relay = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    keep(near)
    keep(far)
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  test.onTestFinished(() => {
    relay.close()
    cut()
  })
  return { url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`, cut }
}
