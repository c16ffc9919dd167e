import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { postTransport } from './post-transport.ts'
import { sessionTransport, type FlowSession } from './session-transport.ts'
import { socketTransport } from './socket-transport.ts'
import type { ReceivedEvent } from './transport.ts'

const never = new AbortController().signal
const said = { v: 1 as const, events: [] }

/** A server that answers every request alike; what it was asked is kept. */
function server(answer: () => Response) {
  const requests: { url: string; headers: Record<string, string>; body: unknown }[] = []
  const fetch = (async (url: URL, { headers, body }: { headers: Record<string, string>; body: string }) => {
    requests.push({ url: String(url), headers, body: JSON.parse(body) })
    return answer()
  }) as unknown as typeof globalThis.fetch
  return { requests, fetch }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers })

describe('postTransport', () => {
  test('posts what is said to the thread, with headers that are asked for anew', async () => {
    const { requests, fetch } = server(() => json({ results: [{ eventId: 'e', status: 'applied', seq: 2 }] }, 202))
    let count = 0
    const headers = async () => ({ authorization: `Bearer ${++count}` })
    const transport = postTransport({ url: 'https://shop.example/base/', threadId: 't', headers, fetch })
    expect(await transport.send(said, never)).toEqual({ results: [{ eventId: 'e', status: 'applied', seq: 2 }] })
    await transport.send(said, never)
    expect(requests).toMatchObject([
      {
        url: 'https://shop.example/base/intentflow/events',
        headers: { authorization: 'Bearer 1', 'content-type': 'application/json' },
        body: { threadId: 't', v: 1, events: [] },
      },
      { headers: { authorization: 'Bearer 2' } },
    ])
  })

  test('takes results for an answer, whatever the status', async () => {
    const rejected = { eventId: 'e', status: 'rejected', code: 'STATE_CONFLICT' }
    const { fetch } = server(() => json({ results: [rejected] }, 409))
    const transport = postTransport({ url: 'https://shop.example', threadId: 't', fetch })
    expect(await transport.send(said, never)).toEqual({ results: [rejected] })
  })

  test('says what was refused, and whether it may be tried again', async () => {
    const answers = [
      json({ error: { code: 'UNAUTHENTICATED', message: 'Send a credential.' } }, 401),
      json({ error: { code: 'TOO_MANY', message: 'Slower.' } }, 429, { 'retry-after': '7' }),
      new Response('<h1>Bad gateway</h1>', { status: 502 }),
      new Response('<h1>Welcome to this hotel</h1>'),
    ]
    const { fetch } = server(() => answers.shift() ?? json({}))
    const transport = postTransport({ url: 'https://shop.example', threadId: 't', fetch })
    const errors = [
      { code: 'UNAUTHENTICATED', message: 'Send a credential.', status: 401, retryable: false },
      { code: 'TOO_MANY', status: 429, retryable: true, retryAfterMs: 7_000 },
      { code: 'UNREACHABLE', status: 502, retryable: true },
      { code: 'UNREACHABLE', retryable: true },
    ]
    for (const error of errors) await expect(transport.send(said, never)).rejects.toMatchObject(error)
  })

  test('follows by a run, until that ends or fails', async () => {
    const events = [{ type: 'RUN_STARTED' }, { type: 'STATE_SNAPSHOT', snapshot: {} }]
    const stream = (all: object[]) =>
      new Response(all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      })
    const answers = [stream(events), stream([...events, { type: 'RUN_ERROR', message: 'Cut off.' }])]
    const { fetch, requests } = server(() => answers.shift() ?? json({}))
    const transport = postTransport({ url: 'https://shop.example', threadId: 't', fetch })
    const received: ReceivedEvent[] = []
    let opened = 0
    const reported = { opened: () => void opened++, event: (event: ReceivedEvent) => void received.push(event) }
    await transport.follow?.({ v: 1, known: [] }, reported, never)
    expect(received).toEqual(events)
    await expect(transport.follow?.({ v: 1, known: [] }, reported, never)).rejects.toMatchObject({
      message: 'Cut off.',
    })
    expect(opened).toBe(2)
    expect(requests[0]).toMatchObject({
      url: 'https://shop.example/agui',
      body: { threadId: 't', messages: [], forwardedProps: { intentflow: { v: 1, known: [], subscribe: true } } },
    })
  })

  test('says what is wrong with an address', async () => {
    const transport = postTransport({ url: 'shop', threadId: 't' })
    await expect(transport.send(said, never)).rejects.toMatchObject({ code: 'BAD_REQUEST', retryable: false })
  })
})

/** A WebSocket whose other end is the test. */
class HandSocket extends EventTarget {
  static made: HandSocket[] = []
  readonly sent: { type: string; [member: string]: unknown }[] = []
  isClosed = false
  readonly url: string
  readonly protocols: readonly string[]

  constructor(url: URL, protocols: readonly string[]) {
    super()
    this.url = String(url)
    this.protocols = protocols
    HandSocket.made.push(this)
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as { type: string })
  }

  close(): void {
    this.isClosed = true
  }

  says(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }

  closes(code: number, reason = ''): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }))
  }
}

describe('socketTransport', () => {
  function line(token?: string | (() => string)) {
    const clock = new SimulatedClock()
    const transport = socketTransport({
      url: 'https://shop.example',
      threadId: 't',
      clock,
      WebSocket: HandSocket as unknown as typeof WebSocket,
      token,
    })
    const received: ReceivedEvent[] = []
    const following = () => {
      const over = transport.follow?.(
        { v: 1, known: [] },
        { opened() {}, event: (event) => void received.push(event) },
        never,
      )
      over?.catch(() => {})
      return over
    }
    const socket = () => {
      const last = HandSocket.made.at(-1)
      if (last === undefined) throw new Error('There is no socket.')
      return last
    }
    return { clock, transport, received, following, socket }
  }

  test('greets, hears, and gets an answer for each thing that it says', async () => {
    const { clock, transport, received, following, socket } = line('secret')
    void following()
    await clock.advance(0)
    expect(socket()).toMatchObject({ url: 'wss://shop.example/intentflow/ws', protocols: ['intentflow.v1'] })
    await expect(transport.send(said, never)).rejects.toMatchObject({ code: 'UNREACHABLE', retryable: true })
    socket().dispatchEvent(new Event('open'))
    expect(socket().sent).toEqual([{ type: 'hello', threadId: 't', token: 'secret', v: 1, known: [] }])
    socket().says({ type: 'RUN_STARTED' })
    socket().says({ type: 'CUSTOM', name: 'intentflow.results', value: { results: [] } })
    const [one, other] = [transport.send(said, never), transport.send({ v: 1, known: [] }, never)]
    const [, first, second] = socket().sent
    expect(second).toMatchObject({ type: 'said', said: { known: [] } })
    socket().says({
      type: 'CUSTOM',
      name: 'intentflow.results',
      id: second?.id,
      value: { results: [], activeFlows: {} },
    })
    socket().says({
      type: 'CUSTOM',
      name: 'intentflow.results',
      id: first?.id,
      value: { error: { code: 'BAD_REQUEST', message: 'No.' } },
    })
    expect(await other).toEqual({ results: [], activeFlows: {} })
    await expect(one).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'No.' })
    expect(received).toEqual([{ type: 'RUN_STARTED' }])
  })

  test('asks for a sign of life after a while of silence, and gives up when there is none', async () => {
    const { clock, transport, following, socket } = line()
    const over = following()
    await clock.advance(0)
    socket().dispatchEvent(new Event('open'))
    socket().says({ type: 'RUN_STARTED' })
    await clock.advance(30_000)
    expect(socket().sent.at(-1)).toEqual({ type: 'ping' })
    socket().says({ type: 'pong' })
    await clock.advance(30_000)
    expect(socket().sent.filter(({ type }) => type === 'ping')).toHaveLength(2)
    const asked = expect(transport.send(said, never)).rejects.toMatchObject({ code: 'UNREACHABLE' })
    await clock.advance(10_000)
    await expect(over).rejects.toMatchObject({ code: 'UNREACHABLE' })
    await asked
    expect(socket().isClosed).toBe(true)
    expect(clock.next()).toBeUndefined()
  })

  test('gives up a WebSocket that does not open', async () => {
    const { clock, following } = line()
    const over = following()
    await clock.advance(10_000)
    await expect(over).rejects.toMatchObject({ message: 'The WebSocket did not open in time.' })
  })

  test('a token that has become too old is asked for anew; one that never was good is refused', async () => {
    let count = 0
    const { clock, following, socket } = line(() => `token ${++count}`)
    const refused = following()
    await clock.advance(0)
    socket().closes(4_401, 'The token is unknown.')
    await expect(refused).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
      message: 'The token is unknown.',
      retryable: false,
    })
    const expired = following()
    await clock.advance(0)
    socket().says({ type: 'RUN_STARTED' })
    socket().closes(4_401, 'Too old.')
    await expect(expired).rejects.toMatchObject({ code: 'UNREACHABLE', retryable: true })
    expect(count).toBe(2)
  })
})

describe('sessionTransport', () => {
  const render = (instanceId: string) => ({
    partType: 'intentflow.render',
    data: { instanceId, intentId: 'a.b', props: {}, displayMode: 'inline', seq: 0, at: 1 },
  })
  const action = {
    partType: 'intentflow.action',
    data: { actionId: 'a', action: 'share', config: {}, responseRequired: false },
  }

  /** A session whose stream the test moves. */
  function session(tell: FlowSession['tell'] = async () => ({ heard: { results: [] } })) {
    const listeners: { name: string; tell: (part: never) => void }[] = []
    const stream = {
      parts: [] as { partType: string; data: unknown }[],
      began: undefined as { seq: number; shown: Record<string, unknown> } | undefined,
      lastCursor: undefined as string | undefined,
      on(name: string, listener: (part: never) => void) {
        listeners.push({ name, tell: listener })
        return () => {}
      },
    }
    const part = (one: { partType: string; data: unknown; role?: string }, cursor: number) => {
      stream.parts.push(one)
      stream.lastCursor = String(cursor)
      for (const { name, tell: reported } of listeners) if (name === 'part') reported(one as never)
    }
    const begin = (seq: number, activeFlows: object) => {
      stream.began = { seq, shown: { activeFlows } }
      for (const { name, tell: reported } of listeners) if (name === 'state') reported(undefined as never)
    }
    return { transport: sessionTransport({ stream, tell }), part, begin }
  }

  test('shows how things stand, and does nothing again of what had happened before', () => {
    const { transport, part, begin } = session()
    const received: ReceivedEvent[] = []
    transport.listen?.((event) => received.push(event))
    begin(20, { flow_2: { intentId: 'a.b', seq: 3 } })
    part(render('flow_1'), 10)
    part(action, 12)
    expect(received).toEqual([
      { type: 'STATE_SNAPSHOT', snapshot: { activeFlows: { flow_2: { intentId: 'a.b', seq: 3 } } } },
    ])
    part(action, 21)
    part(render('flow_3'), 22)
    // As if a person's message could be an event of the server's.
    part({ ...render('flow_4'), role: 'user' }, 23)
    expect(received.slice(1)).toMatchObject([{ name: 'intentflow.action' }, { name: 'intentflow.render' }])
  })

  test('knows what there is by what the session has shown', async () => {
    const { transport, part, begin } = session()
    begin(20, { flow_2: { intentId: 'a.b', seq: 3 } })
    part(render('flow_1'), 10)
    const active = async () => Object.keys((await transport.send({ v: 1, known: [] }, never)).activeFlows ?? {})
    expect(await active()).toEqual(['flow_2'])
    part({ partType: 'intentflow.dismiss', data: { instanceId: 'flow_1', reason: 'completed', seq: 1 } }, 15)
    part(render('flow_3'), 22)
    expect(await active()).toEqual(['flow_2', 'flow_3'])
  })

  test('says what the agent has refused', async () => {
    const refusal = Object.assign(new Error('Not you.'), { code: 'FORBIDDEN', status: 403, retryable: false })
    const refusing = session(() => Promise.reject(refusal))
    await expect(refusing.transport.send(said, never)).rejects.toMatchObject({ code: 'FORBIDDEN', retryable: false })
    const plain = session(async () => ({ messageId: 'm', seq: 3 }))
    await expect(plain.transport.send(said, never)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })
})
