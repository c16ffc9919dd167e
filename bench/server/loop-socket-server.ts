import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { control } from './control.ts'
import { providerLoop } from './provider-loop.ts'

/** The provider loop behind a WebSocket: each message is a turn. */
const server = createServer()
const sockets = new WebSocketServer({ server })
sockets.on('connection', (socket) => {
  socket.on('message', (data: Buffer) => {
    void (async () => {
      const { text } = JSON.parse(data.toString()) as { text: string }
      for await (const delta of providerLoop(text)) socket.send(JSON.stringify({ kind: 'delta', text: delta }))
      socket.send(JSON.stringify({ kind: 'settled' }))
    })()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) control(`http://127.0.0.1:${address.port}`)
})
