import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Doors } from './doors.ts'
import { Finding, type Edge } from './edge.ts'

const action = {
  version: 'v0.9',
  action: { name: 'go', surfaceId: 's', sourceComponentId: 'b', timestamp: '2026-05-05T10:00:00Z', context: {} },
}
const requests = [
  { type: 'send', id: '1', key: 'k1', text: 'hello' },
  { type: 'send', id: '2', parts: [{ data: action, metadata: { partType: 'a2ui-action' } }] },
  { type: 'decide', id: '3', approvalId: 'appr_1', decision: 'granted', args: { a: 1 } },
  { type: 'cancel', id: '4', turnId: 'turn_1' },
  { type: 'ping', id: '5' },
]
const sliceRequests = [
  { id: '1', sessionId: 'sess_1', type: 'CUSTOM', name: 'counter.add', value: { by: 1 } },
  { type: 'CUSTOM', name: 'counter.add', value: [1, { a: null }] },
]

/** A connection to a path of the agent; when the agent closes it, the next frame has a new one. */
class Connection {
  readonly #url: string
  #socket: WebSocket | undefined
  readonly replies: string[] = []
  #onRead: () => void = () => {}

  constructor(url: string) {
    this.#url = url
  }

  /** Sends a frame, and waits until the agent has read it: it answers a ping in order, or closes. */
  async send(frame: string): Promise<void> {
    const socket = (this.#socket ??= await this.#open())
    this.replies.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onRead = resolve
    socket.send(frame)
    socket.ping()
    await promise
    if (socket.readyState !== WebSocket.OPEN) this.#socket = undefined
  }

  close(): void {
    this.#socket?.terminate()
  }

  async #open(): Promise<WebSocket> {
    const socket = new WebSocket(this.#url, { headers: { 'x-who': 'ann' } })
    socket.on('message', (data: Buffer) => void this.replies.push(data.toString()))
    socket.on('pong', () => this.#onRead())
    socket.on('close', () => this.#onRead())
    await once(socket, 'open')
    return socket
  }
}

/** The WebSockets of an agent that listens at this address. */
export function socketEdges(agent: Doors, url: string): { edges: Edge[]; close: () => void } {
  const at = url.replace('http', 'ws')
  const session = new Connection(`${at}/sessions/${agent.session}/ws`)
  const slice = new Connection(`${at}/counter/ws`)
  const take = (connection: Connection) => async (frame: string) => {
    agent.store.changes = []
    await connection.send(frame)
    const refused = connection.replies.find((reply) => /"type":"(?:error|refused)"/.test(reply))
    if (refused !== undefined && agent.store.changes.length > 0) {
      throw new Finding(`${refused.slice(0, 300)}, and yet ${agent.store.changes.join(', ')}`)
    }
    if (refused?.includes('"INTERNAL"') === true) throw new Finding(refused.slice(0, 300))
  }
  const edges = [
    { name: 'WebSocket of a session', samples: requests.map((each) => JSON.stringify(each)), take: take(session) },
    { name: 'WebSocket of a slice', samples: sliceRequests.map((each) => JSON.stringify(each)), take: take(slice) },
  ]
  return {
    edges,
    close() {
      session.close()
      slice.close()
    },
  }
}
