import { createServer, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { control } from './control.ts'
import { spokenPart, type Fanned } from './fanned.ts'

const viewers = new Set<ServerResponse>()

/** The least that a program can do: it keeps responses open, and writes the same event to each of them. */
const server = createServer((request, response) => {
  if (request.method === 'POST') {
    void json(request).then(async (body) => {
      response.writeHead(202).end()
      const { parts, everyMs } = JSON.parse((body as { text: string }).text) as Fanned
      for (let n = 0; n < parts; n++) {
        await setTimeout(everyMs)
        say(n)
      }
    })
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': bare\n\n')
  viewers.add(response)
  response.once('close', () => viewers.delete(response))
})

function say(n: number): void {
  const part = { text: spokenPart(), metadata: { partType: 'response' } }
  const data = { role: 'agent', partId: `turn_a.${n}.0`, turnId: 'turn_a', turnState: 'awaiting', part, at: 0 }
  const event = `event: part\nid: ${n}\ndata: ${JSON.stringify(data)}\n\n`
  for (const response of viewers) response.write(event)
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) control(`http://127.0.0.1:${address.port}`)
})
