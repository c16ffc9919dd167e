import { Agent, request, type IncomingMessage } from 'node:http'
import type { Wanted } from '../server/answer.ts'

/** What a client has seen of an answer. */
export interface Answered {
  readonly firstByteMs: number
  readonly firstWordMs: number
  /** In how many pieces its words came. */
  readonly pieces: number
}

/** A client that talks: one message after another, in conversations of ten turns. */
export type Person = (wanted: Wanted) => Promise<Answered>

const agent = new Agent({ keepAlive: true })
const turnsOfConversation = 10

/** What a request needs besides its address. */
interface Sent {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A client of a server that answers a message by one response, which is the whole turn. */
function byRequest(url: string, send: (conversation: string, text: string) => Sent): Person {
  let conversation = ''
  let turns = 0
  return async (wanted) => {
    if (turns++ % turnsOfConversation === 0) conversation = crypto.randomUUID()
    const sent = send(conversation, JSON.stringify(wanted))
    const answer = new Answer()
    const response = await post(url + (sent.path ?? ''), sent)
    for await (const chunk of response) answer.take(String(chunk))
    return answer.complete(wanted)
  }
}

/** A client of servers on bare `node:http`. */
export function plainPerson(url: string): Person {
  return byRequest(url, (conversation, text) => ({ body: { conversation, text } }))
}

/** A client of an agent by AG-UI. Like all others, it sends the new message only. */
export async function aguiPerson(url: string): Promise<Person> {
  const { token } = await openSession(url)
  const headers = { authorization: `Bearer ${token}` }
  return byRequest(url, (threadId, content) => ({
    path: '/agui',
    headers,
    body: {
      threadId,
      runId: crypto.randomUUID(),
      messages: [{ id: crypto.randomUUID(), role: 'user', content }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    },
  }))
}

async function openSession(url: string): Promise<{ sessionId: string; token: string }> {
  const response = await post(`${url}/sessions`, { body: {} })
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return JSON.parse(text) as { sessionId: string; token: string }
}

function post(url: string, { headers = {}, body }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers }
    const sent = request(url, { method: 'POST', agent, headers: all })
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
        reject(new Error(`POST ${url} was answered with ${statusCode}.`))
      }
    })
    sent.end(JSON.stringify(body))
  })
}

/** What has come of an answer so far. */
class Answer {
  readonly #began = performance.now()
  #firstByteMs = Number.NaN
  #firstWordMs = Number.NaN
  #pieces = 0
  #text = ''

  take(chunk: string): void {
    const now = performance.now() - this.#began
    if (Number.isNaN(this.#firstByteMs)) this.#firstByteMs = now
    this.#text += chunk
    if (!chunk.includes('word')) return
    this.#pieces++
    if (Number.isNaN(this.#firstWordMs)) this.#firstWordMs = now
  }

  /** Fewer deltas would be another, cheaper answer. */
  complete({ deltas }: Wanted): Answered {
    const words = new Set(this.#text.match(/word\d+\./g))
    if (words.size !== deltas) {
      throw new Error(`${words.size} words arrived instead of ${deltas}: ${this.#text.slice(-2_000)}`)
    }
    return { firstByteMs: this.#firstByteMs, firstWordMs: this.#firstWordMs, pieces: this.#pieces }
  }
}
