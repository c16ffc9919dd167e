import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { call } from './http.ts'
import type { Wanted } from './server/answer.ts'

/** Sends a message and reads the answer to its end. */
export type Talk = (wanted: Wanted, onDelta: (text: string) => void) => Promise<void>

/** Talks to a bare server: the answer is the response itself. */
export function talkToBare(url: string): Talk {
  return async (wanted, onDelta) => {
    const response = await call(`${url}/`, { body: { text: JSON.stringify(wanted) } })
    await readAnswer(events(response), wanted, onDelta)
  }
}

/** A session of an agent, which any of its processes answers for. */
export interface Conversation {
  /** Sends a message to a process; resolves when it is acknowledged. */
  send(url: string, wanted: Wanted): Promise<void>
  /** The session's events, from a process. */
  follow(url: string): Promise<AsyncIterator<StreamEvent>>
}

/** Opens a session with an agent. */
export async function openConversation(url: string): Promise<Conversation> {
  const opened = await call(`${url}/sessions`, { body: {} })
  const { sessionId, token } = (await json(opened)) as { sessionId: string; token: string }
  const path = `/sessions/${sessionId}`
  const headers = { authorization: `Bearer ${token}` }
  return {
    async send(to, wanted) {
      await json(await call(`${to}${path}/messages`, { headers, body: { text: JSON.stringify(wanted) } }))
    },
    async follow(from) {
      return events(await call(`${from}${path}/events`, { headers }))
    },
  }
}

/** Talks to Beach as its page does: a session, a stream that stays open, and a POST for each message. */
export async function talkToBeach(url: string): Promise<Talk> {
  const conversation = await openConversation(url)
  const stream = await conversation.follow(url)
  return async (wanted, onDelta) => {
    await Promise.all([conversation.send(url, wanted), readAnswer(stream, wanted, onDelta)])
  }
}

/**
 * The same with several processes of the agent: messages go to one, and the stream may come from another. A turn may run
 * in any of them, and where the stream comes from another one, words come together.
 */
export async function talkAcross(url: string, streamUrl: string): Promise<Talk> {
  const conversation = await openConversation(url)
  const stream = await conversation.follow(streamUrl)
  return async (wanted, onDelta) => {
    await Promise.all([conversation.send(url, wanted), readTurn(stream, onDelta)])
  }
}

/** All sessions talk at the same time, each one turn after another. */
export async function converse(people: readonly Talk[], turns: number, wanted: Wanted): Promise<void> {
  await Promise.all(
    people.map(async (talk) => {
      for (let turn = 0; turn < turns / people.length; turn++) await talk(wanted, () => {})
    }),
  )
}

export interface StreamEvent {
  readonly name: string
  readonly data: string
}

/** Reads until the turn settles; the stream itself stays open. */
export async function readTurn(
  stream: AsyncIterator<StreamEvent>,
  onDelta: (text: string) => void,
  onEvent: (event: StreamEvent) => void = () => {},
): Promise<void> {
  for (;;) {
    const { value, done } = await stream.next()
    if (done === true) throw new Error('The stream ended before the turn settled.')
    onEvent(value)
    if (value.name === 'delta') onDelta((JSON.parse(value.data) as { text: string }).text)
    else if (value.name === 'settled') return
  }
}

async function readAnswer(stream: AsyncIterator<StreamEvent>, { deltas }: Wanted, onDelta: (text: string) => void) {
  let received = 0
  await readTurn(stream, (text) => {
    received++
    onDelta(text)
  })
  // Fewer deltas would be another, cheaper answer.
  if (received !== deltas) throw new Error(`${received} deltas arrived instead of ${deltas}.`)
}

/** The server-sent events of a response. */
async function* events(response: IncomingMessage): AsyncGenerator<StreamEvent> {
  let rest = ''
  for await (const chunk of response) {
    const blocks = (rest + String(chunk)).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield parse(block)
  }
}

function parse(block: string): StreamEvent {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  return { name: fields.get('event') ?? '', data: fields.get('data') ?? '' }
}
