import { call } from '../http.ts'
import { WebSocket } from 'ws'
import type { Wanted } from '../server/answer.ts'
import { Answer, type Answered } from './answer.ts'
import { openSession } from './open-session.ts'
import { turnsOfConversation, type Person } from './talks.ts'

/** A conversation whose answers come on a stream that stays open. */
interface Conversation {
  /** Sends a message; what comes is given to the receiver until that is true. */
  say(text: string, receive: (chunk: string) => boolean): Promise<void>
  close(): void
}

/** A client of an agent by server-sent events: a POST for each message, and one stream. */
export function ssePerson(url: string, turns = turnsOfConversation): Person {
  return inConversations(
    async () => {
      const { sessionId, token } = await openSession(url)
      const headers = { authorization: `Bearer ${token}` }
      const stream = await call(`${url}/sessions/${sessionId}/events`, { headers })
      const reading = reader()
      stream.on('data', (chunk: string) => reading.take(chunk))
      stream.once('error', reading.fail)
      return {
        async say(text, receive) {
          const received = reading.until(receive)
          const sent = call(`${url}/sessions/${sessionId}/messages`, { headers, body: { text } })
          const [accepted] = await Promise.all([sent, received])
          accepted.resume()
        },
        close: () => stream.destroy(),
      }
    },
    'event: settled',
    turns,
  )
}

/** A client of an agent by WebSocket. */
export function webSocketPerson(url: string): Person {
  return inConversations(async () => {
    const { sessionId, token } = await openSession(url)
    const headers = { authorization: `Bearer ${token}` }
    return overSocket(`${url}/sessions/${sessionId}/ws`, headers)
  }, '"kind":"settled"')
}

/** A client of the provider loop by WebSocket. */
export function plainSocketPerson(url: string): Person {
  return inConversations(() => overSocket(url, {}), '"kind":"settled"')
}

async function overSocket(url: string, headers: Readonly<Record<string, string>>): Promise<Conversation> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'beach.v1', { headers })
  const reading = reader()
  socket.on('message', (data: Buffer) => reading.take(data.toString()))
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  socket.on('error', reading.fail)
  return {
    async say(text, receive) {
      const received = reading.until(receive)
      socket.send(JSON.stringify({ type: 'send', id: '1', text }))
      await received
    },
    close: () => socket.terminate(),
  }
}

function inConversations(open: () => Promise<Conversation>, end: string, turnsEach = turnsOfConversation): Person {
  let conversation: Conversation | undefined
  let turns = 0
  const talk = async (wanted: Wanted): Promise<Answered> => {
    if (conversation === undefined || turns === turnsEach) {
      conversation?.close()
      conversation = await open()
      turns = 0
    }
    turns++
    const answer = new Answer()
    await conversation.say(JSON.stringify(wanted), (chunk) => {
      answer.take(chunk)
      return answer.hasEnded(end)
    })
    return answer.complete(wanted)
  }
  return Object.assign(talk, { leave: () => conversation?.close() })
}

/** Gives what comes to the one who waits for it. */
function reader() {
  let receive: ((chunk: string) => boolean) | undefined
  let fail = (_: Error) => {}
  let done = () => {}
  return {
    take(chunk: string): void {
      if (receive?.(chunk) !== true) return
      receive = undefined
      done()
    },
    fail: (error: Error): void => fail(error),
    until: (next: (chunk: string) => boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        receive = next
        done = resolve
        fail = reject
      }),
  }
}
