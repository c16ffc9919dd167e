import { createServer, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { control } from './control.ts'

/** A message of a conversation, as a framework without a server of its own gets it. */
export interface Asked {
  readonly conversation: string
  readonly text: string
}

/** Answers every POST by a turn, on bare `node:http`: for frameworks that leave HTTP to their users. */
export function serveTurns(turn: (asked: Asked, response: ServerResponse) => Promise<void>): void {
  const server = createServer((request, response) => {
    void json(request)
      .then((body) => turn(body as Asked, response))
      .catch((error: unknown) => {
        console.error(error)
        response.destroy()
      })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) control(`http://127.0.0.1:${address.port}`)
  })
}

/** Begins an answer of server-sent events. */
export function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
}

export function writeEvent(response: ServerResponse, event: unknown): void {
  response.write(`data: ${JSON.stringify(event)}\n\n`)
}
