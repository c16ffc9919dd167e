import { Agent, request, type IncomingMessage } from 'node:http'

const agent = new Agent({ keepAlive: true })

/** What a request needs besides its address. */
export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON by POST; without one it is a GET. */
  readonly body?: unknown
}

/** A request on a connection that stays open; resolves when the answer begins, which must be a good one. */
export function call(url: string, { headers = {}, body }: Sent = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(url, { method, agent, headers: { 'content-type': 'application/json', ...headers } })
    sent.once('error', (error) => {
      // The server closed a resting connection just when it was used again: it has seen nothing of this request.
      if (sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET') resolve(call(url, { headers, body }))
      else reject(error)
    })
    sent.once('response', (response) => {
      response.setEncoding('utf8')
      const { statusCode = 0 } = response
      if (statusCode < 300) resolve(response)
      else {
        response.resume()
        reject(new Error(`${method} ${url} was answered with ${statusCode}.`))
      }
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
