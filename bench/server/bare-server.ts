import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { answer } from './answer.ts'
import { control } from './control.ts'

/** The least that a program can do: it answers a POST with the deltas as they come, and keeps nothing. */
const server = createServer((request, response) => {
  void (async () => {
    const message = await messageOf(request)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    let offset = 0
    for await (const delta of answer(message)) {
      response.write(`event: delta\ndata: ${JSON.stringify({ partId: 'turn_a.0.0', offset, text: delta })}\n\n`)
      offset += delta.length
    }
    response.end('event: settled\ndata: {"turnState":"complete"}\n\n')
  })()
})

async function messageOf(request: IncomingMessage): Promise<string> {
  return (JSON.parse(await text(request)) as { text: string }).text
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) control(`http://127.0.0.1:${address.port}`)
})
