import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy on loopback that can break connections at chosen moments. */
export interface LosingProxy extends AsyncDisposable {
  readonly port: number
  /** Breaks the next connection that has an answer whose question matched, without passing the answer on. */
  loseAnswerTo(question: RegExp): Promise<void>
  /** Leads to another port from now on, and breaks all connections. */
  leadTo(port: number): void
}

export async function losingProxy(target: number): Promise<LosingProxy> {
  let port = target
  let wanted: { readonly question: RegExp; readonly done: () => void } | undefined
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let isLost = false
    const end = () => {
      for (const socket of [client, upstream]) {
        open.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
    client.on('data', (data) => {
      if (wanted?.question.test(data.toString('latin1')) === true) isLost = true
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (!isLost) return void client.write(data)
      wanted?.done()
      wanted = undefined
      end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    loseAnswerTo: (question) =>
      new Promise((resolve) => {
        wanted = { question, done: resolve }
      }),
    leadTo(other) {
      port = other
      for (const socket of open) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
