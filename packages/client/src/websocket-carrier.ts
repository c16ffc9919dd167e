import type { Clock, Frame } from '@cool-ai/beach-core'
import { unreachable, refusal } from './reliability/agent-error.ts'
import type { Carrier } from './reliability/connection.ts'
import type { Requests } from './reliability/requests.ts'

/** A WebSocket that some proxy swallows is given up early: there is another carrier. */
const openWithinMs = 5_000

/** Close codes from here on are 4000 and a status of HTTP. */
const refusedFrom = 4_400

/**
 * Browsers send no header of ours with a WebSocket, but names of subprotocols: a token that can be one goes there, where
 * it counts more than the page's cookie. Others are said in a first message.
 */
const isProtocolName = /^[\w!#$%&'*+.^`|~-]+$/

export interface WebSocketCarrierOptions {
  readonly clock: Clock
  readonly WebSocket: typeof globalThis.WebSocket
}

export function webSocketCarrier(requests: Requests, session: string, options: WebSocketCarrierOptions): Carrier {
  return (after, events, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const url = requests.urlOf(`${session}/ws`)
    url.protocol = url.protocol.replace('http', 'ws')
    if (after !== undefined) url.searchParams.set('after', after)
    const { token = '' } = requests
    const inProtocols = isProtocolName.test(token)
    const socket = new options.WebSocket(url, ['beach.v1', ...(inProtocols ? [`bearer.${token}`] : [])])
    let over = false
    let isReady = false
    // At once, before the promise settles: frames that follow a lost one must not be taken.
    const fail = (error: unknown) => {
      over = true
      reject(error)
    }
    const aborted = () => fail(signal.reason)
    const late = () => fail(unreachable('The WebSocket did not open in time.'))
    const cancelTimer = options.clock.timer(openWithinMs, late)
    signal.addEventListener('abort', aborted)
    socket.addEventListener('open', () => {
      if (token !== '' && !inProtocols) socket.send(JSON.stringify({ type: 'hello', token }))
    })
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (over) return
      events.activity()
      try {
        const message = JSON.parse(data) as Frame | Ready | { readonly type: '' }
        if ('kind' in message) events.frame(message)
        else if (message.type === 'ready') {
          cancelTimer()
          isReady = true
          events.opened('websocket', message.heartbeatMs)
        }
      } catch (error) {
        fail(error)
      }
    })
    socket.addEventListener('close', ({ code, reason }) => {
      if (code >= refusedFrom) fail(refusal(code - 4_000, reason))
      else if (code === 1_006 || !isReady) fail(unreachable('The WebSocket broke, or did not open.'))
      else resolve()
    })
    return promise.finally(() => {
      cancelTimer()
      signal.removeEventListener('abort', aborted)
      socket.close()
    })
  }
}

interface Ready {
  readonly type: 'ready'
  readonly heartbeatMs: number
}
