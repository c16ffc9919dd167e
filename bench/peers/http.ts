import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

const agent = new Agent({ keepAlive: true })

/** What a request needs besides its address. */
export interface Sent {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A session of an agent, and the token of its owner. */
export interface OpenedSession {
  readonly sessionId: string
  readonly token: string
}

/** Opens a session of an agent; with a token, for the principal that it is of. */
export async function openSession(url: string): Promise<OpenedSession> {
  return JSON.parse(await text(await post(`${url}/sessions`, { body: {} }))) as OpenedSession
}

/** A POST, or a GET when there is no body. */
export function post(url: string, { headers = {}, body }: Omit<Sent, 'path'>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers }
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', agent, headers: all })
    sent.once('error', (error) => {
      // The server closed a resting connection just when it was used again: it has seen nothing of this request.
      if (sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET') resolve(post(url, { headers, body }))
      else reject(error)
    })
    sent.once('response', (response) => {
      response.setEncoding('utf8')
      const { statusCode = 0 } = response
      if (statusCode < 300) resolve(response)
      else {
        response.resume()
        reject(new Error(`${url} was answered with ${statusCode}.`))
      }
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
