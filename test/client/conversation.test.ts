import { AgentError, connect, joinSession, openSession, type Connection } from '@cool-ai/beach-client'
import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { frailConnection } from '../support/frail-connection.ts'
import {
  booker,
  connected,
  converse,
  dictated,
  echo,
  opened,
  serveAgent,
  settled,
  shown,
  texts,
  until,
} from './agent.ts'

describe.for(['sse', 'websocket'] as const)('a conversation by %s', (via) => {
  test('opens, is sent to, and shows the answer while it is said', async (context) => {
    const speech = dictated()
    const { url } = await serveAgent(context, { actors: { speech: speech.actor } })
    const conversation = await converse(context, url, { via })
    const connections: Connection[] = []
    const deltas: string[] = []
    const settledTurns: string[] = []
    conversation.on('connection', (connection) => connections.push(connection))
    conversation.stream.on('delta', ({ text }) => deltas.push(text))
    conversation.stream.on('settled', ({ finalizedBy }) => settledTurns.push(finalizedBy ?? ''))
    expect(conversation.connection).toEqual({ state: 'connecting' })
    await opened(conversation)
    expect(connections).toEqual([{ state: 'open', via }])

    const posting = conversation.send('hello')
    expect(conversation.pending).toMatchObject([{ parts: [{ text: 'hello' }], state: 'sending' }])
    expect(await posting).toMatchObject({ duplicate: false })
    speech.say('Good ')
    await until(conversation, ({ parts }) => parts.at(-1)?.text === 'Good ')
    speech.say('day.')
    speech.end()
    const now = await settled(conversation)
    expect(texts(now)).toEqual(['hello', 'Good day.'])
    expect(now.turns).toMatchObject([{ settled: true, turnState: 'complete' }])
    expect(deltas).toEqual(['Good ', 'Good day.'])
    expect(settledTurns).toEqual(['complete'])
  })

  test('goes on with a text that was cut off in its middle, and an iteration does not notice', async (context) => {
    const speech = dictated()
    const { port } = await serveAgent(context, { actors: { speech: speech.actor } })
    const wire = await frailConnection(context, port)
    const conversation = await converse(context, wire.url, { via })
    const seen = shown(conversation)
    const iterated: (string | undefined)[] = []
    const reading = (async () => {
      for await (const { text } of conversation.stream) iterated.push(text)
    })()
    void conversation.send('hello')
    const words = ['One ', 'two ', 'three ', 'four ', 'five.']
    for (const [index, word] of words.entries()) {
      const sofar = words.slice(0, index + 1).join('')
      speech.say(word)
      await until(conversation, ({ parts }) => parts.at(-1)?.text === sofar)
      const lost = until(conversation, ({ connection }) => connection.state !== 'open')
      wire.cut()
      await lost
    }
    speech.end()
    expect(texts(await settled(conversation))).toEqual(['hello', words.join('')])
    const [, answer = []] = [...seen.values()]
    // It never shrank, and nothing in it was ever wrong.
    for (const [index, text] of answer.entries()) {
      expect(words.join('').startsWith(text)).toBe(true)
      expect(text.length).toBeGreaterThanOrEqual(answer[index - 1]?.length ?? 0)
    }
    conversation.close()
    await reading
    expect(iterated).toEqual(['hello', words.join('')])
  })

  test('has what was said while it was cut off, once', async (context) => {
    const { url, port } = await serveAgent(context, { actors: { echo } })
    const wire = await frailConnection(context, port)
    const session = await openSession({ url })
    const away = connected(context, { ...session, url: wire.url, via })
    const here = connected(context, { ...session, url, via })
    await Promise.all([opened(away), opened(here)])
    await here.send('first')
    await Promise.all([settled(away, 1), settled(here, 1)])
    wire.cut()
    for (const [index, text] of ['second', 'third'].entries()) {
      await here.send(text)
      await settled(here, index + 2)
    }
    const now = await settled(away, 3)
    expect(texts(now)).toEqual(['first', 'second', 'third'].flatMap((text) => [text, `You said ${text}`]))
    expect(new Set(now.parts.map(({ partId }) => partId)).size).toBe(now.parts.length)
  })

  test('asks only for what it has not seen', async (context) => {
    const { port } = await serveAgent(context, { actors: { echo } })
    const wire = await frailConnection(context, port)
    const asked: (string | null)[] = []
    class Noted extends WebSocket {
      constructor(address: string | URL, protocols?: string | string[]) {
        super(address, protocols)
        asked.push(new URL(address).searchParams.get('after'))
      }
    }
    const noting: typeof fetch = (input, init) => {
      if (init?.method !== 'POST') asked.push(new Headers(init?.headers).get('last-event-id'))
      return fetch(input, init)
    }
    const conversation = await converse(context, wire.url, { via, fetch: noting, WebSocket: Noted })
    await conversation.send('hello')
    await settled(conversation)
    const lost = until(conversation, ({ connection }) => connection.state !== 'open')
    wire.cut()
    await lost
    await opened(conversation)
    expect(asked).toEqual([null, conversation.stream.lastCursor])
    expect(conversation.stream.lastCursor).toMatch(/^\d+$/)
  })

  test('that is not there, or not the caller’s, ends with the agent’s error', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    const { sessionId } = await openSession({ url })
    const stranger = await openSession({ url })
    const cases = [
      [{ sessionId, token: stranger.token ?? '' }, 404, 'NOT_FOUND'],
      [{ sessionId: 'sess_none', token: stranger.token ?? '' }, 404, 'NOT_FOUND'],
      [{ sessionId, token: 'v1.bad.token' }, 401, 'UNAUTHENTICATED'],
    ] as const
    for (const [session, status, code] of cases) {
      const conversation = connected(context, { url, via, ...session })
      const waiting = conversation.send('hello?')
      const { connection } = await until(conversation, (now) => now.connection.state === 'closed')
      expect(connection.error).toBeInstanceOf(AgentError)
      expect(connection.error).toMatchObject({ code, status })
      await expect(Array.fromAsync(conversation.stream)).rejects.toBe(connection.error)
      await expect(waiting).rejects.toMatchObject({ code })
      await expect(conversation.send('again')).rejects.toBe(connection.error)
      await expect(conversation.approve('x')).rejects.toBe(connection.error)
    }
  })

  test('that may not have another stream waits for as long as it is told to, and then gets one', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo }, access: { limits: { streamsPerPrincipal: 1 } } })
    const session = await openSession({ url })
    const first = connected(context, { url, via, ...session })
    await opened(first)
    const second = connected(context, { url, via, ...session })
    const { connection } = await until(second, (now) => now.connection.state === 'waiting')
    expect(connection.error).toMatchObject({ code: 'TOO_MANY', status: 429 })
    first.close()
    await opened(second)
  })

  test('that has gone silent is made again', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    const clock = new SimulatedClock()
    const conversation = await converse(context, url, { via, clock })
    await opened(conversation)
    const silent = until(conversation, ({ connection }) => connection.state === 'waiting')
    // For the client much time passes in which the agent, whose time is real, sends nothing.
    await clock.advance(37_499)
    expect(conversation.connection.state).toBe('open')
    await clock.advance(1)
    expect((await silent).connection.error?.message).toContain('Nothing has come')
    await clock.advance(1_000)
    await opened(conversation)
    await conversation.send('hello')
    expect(texts(await settled(conversation))).toEqual(['hello', 'You said hello'])
  })

  test('that was closed is closed', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    const conversation = await converse(context, url, { via })
    await opened(conversation)
    let changes = 0
    conversation.on('connection', () => changes++)
    conversation.close()
    conversation.close()
    expect(conversation.connection).toEqual({ state: 'closed' })
    expect(changes).toBe(1)
    expect(await Array.fromAsync(conversation.stream)).toEqual([])
    await expect(conversation.send('hello?')).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

describe('without a choice', () => {
  test('a conversation is by WebSocket', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    const conversation = await converse(context, url)
    expect((await opened(conversation)).connection.via).toBe('websocket')
  })

  test('a conversation is by server-sent events where WebSockets do not get through', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    class Blocked extends WebSocket {
      constructor(address: string | URL, protocols?: string | string[]) {
        super(Object.assign(new URL(address), { port: '1' }), protocols)
      }
    }
    const conversation = await converse(context, url, { WebSocket: Blocked })
    expect((await opened(conversation)).connection.via).toBe('sse')
    await conversation.send('hello')
    expect(texts(await settled(conversation))).toEqual(['hello', 'You said hello'])
  })
})

describe('what is sent', () => {
  test('arrives once though the first answer to it was lost', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    let lost = 0
    const conversation = await converse(context, url, {
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (init?.method !== 'POST' || lost++ > 0) return response
        throw new TypeError('The answer was lost.')
      },
    })
    expect(await conversation.send('once')).toMatchObject({ duplicate: true })
    expect(texts(await settled(conversation))).toEqual(['once', 'You said once'])
    expect(lost).toBe(2)
  })

  test('is not shown twice when it has come back before its answer', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const conversation = await converse(context, url, {
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (init?.method === 'POST') await answered
        return response
      },
    })
    const posting = conversation.send('hello')
    const doubled: unknown[] = []
    conversation.stream.on('part', () => doubled.push(...conversation.pending))
    expect(texts(await settled(conversation))).toEqual(['hello', 'You said hello'])
    expect(doubled).toEqual([])
    answer()
    expect(await posting).toMatchObject({ duplicate: false })
    expect(conversation.pending).toEqual([])
  })

  test('is shown while there is no connection, and arrives in order when there is one again', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo }, turns: { whileBusy: 'queue' } })
    let isCut = true
    const conversation = await converse(context, url, {
      via: 'sse',
      fetch: async (input, init) => {
        if (isCut) throw new TypeError('There is no network.')
        return fetch(input, init)
      },
    })
    const sent = ['one', 'two', 'three'].map((text) => conversation.send(text))
    const { pending } = await until(conversation, (now) => now.pending[0]?.state === 'waiting')
    expect(pending.map(({ parts, state }) => [parts[0]?.text, state])).toEqual([
      ['one', 'waiting'],
      ['two', 'waiting'],
      ['three', 'waiting'],
    ])
    isCut = false
    await Promise.all(sent)
    const now = await until(
      conversation,
      ({ pending: left, turns }) => left.length === 0 && turns.every((t) => t.settled),
    )
    const said = now.parts.filter(({ role }) => role === 'user')
    expect(said.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  })

  test('fails with the agent’s error when it is refused', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    const conversation = await converse(context, url)
    const sending = conversation.send([{ text: 'x', metadata: { partType: 'unheard-of' } }])
    await expect(sending).rejects.toMatchObject({ code: 'INVALID_PART', status: 422 })
    expect(conversation.pending).toMatchObject([{ state: 'failed', error: { code: 'INVALID_PART' } }])
    conversation.pending[0]?.discard()
    expect(conversation.pending).toEqual([])
    await expect(conversation.send('')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(conversation.send([{ data: { amount: 1n } }])).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  test('comes back with its parts and their metadata', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    const conversation = await converse(context, url)
    await conversation.send([{ text: 'a', metadata: { lang: 'en' } }, { text: 'b' }])
    const { parts } = await settled(conversation)
    const mine = parts.filter(({ role }) => role === 'user')
    expect(mine).toMatchObject([
      { text: 'a', partType: 'message', metadata: { lang: 'en' } },
      { text: 'b', partType: 'message' },
    ])
  })
})

describe('an approval', () => {
  async function asked(context: Parameters<typeof serveAgent>[0]) {
    const { url } = await serveAgent(context, { actors: { booker } })
    const conversation = await converse(context, url)
    void conversation.send('book it')
    const { parts } = await until(conversation, ({ turns }) => turns.at(-1)?.turnState === 'suspended')
    const request = parts.find(({ partType }) => partType === 'approval-request')
    const { approvalId = '' } = (request?.data ?? {}) as { approvalId?: string }
    return { conversation, approvalId, url }
  }

  test('is granted once, and a second decision is told that it came too late', async (context) => {
    const { conversation, approvalId } = await asked(context)
    expect(await conversation.approve(approvalId)).toBe('decided')
    expect(await conversation.approve(approvalId)).toBe('already')
    expect(await conversation.deny(approvalId, 'too late')).toBe('already')
    const now = await settled(conversation)
    expect(texts(now).at(-1)).toBe('booked')
    expect([...now.approvals]).toEqual([[approvalId, 'granted']])
  })

  test('is denied with a reason', async (context) => {
    const { conversation, approvalId } = await asked(context)
    expect(await conversation.deny(approvalId, 'too expensive')).toBe('decided')
    expect(texts(await settled(conversation)).at(-1)).toContain('too expensive')
  })

  test('that does not exist is not found', async (context) => {
    const { conversation } = await asked(context)
    expect(await conversation.approve('approval/../x')).toBe('notFound')
  })
})

test('another device joins by a link, once, and both see the same', async (context) => {
  const { url } = await serveAgent(context, { actors: { echo } })
  const here = await converse(context, url)
  await here.send('hello')
  await settled(here)
  const { code, expiresAt } = await here.link()
  expect(expiresAt).toBeGreaterThan(0)
  const session = await joinSession({ url, code })
  expect(session.sessionId).toBe(here.sessionId)
  const there = connected(context, { url, ...session })
  expect(texts(await settled(there))).toEqual(['hello', 'You said hello'])
  await there.send('from there')
  expect(texts(await settled(here, 2)).at(-1)).toBe('You said from there')
  await expect(joinSession({ url, code })).rejects.toMatchObject({ code: 'EXPIRED', status: 410 })
})

describe('cancelling', () => {
  test('stops the turn that runs, and says when none does', async (context) => {
    const speech = dictated()
    const { url } = await serveAgent(context, { actors: { speech: speech.actor } })
    const conversation = await converse(context, url)
    await opened(conversation)
    expect(await conversation.cancel()).toBe(false)
    void conversation.send('talk')
    speech.say('Well, ')
    await until(conversation, ({ parts }) => parts.at(-1)?.text === 'Well, ')
    expect(await conversation.cancel('turn_other')).toBe(false)
    expect(await conversation.cancel()).toBe(true)
    const { turns } = await settled(conversation)
    expect(turns).toMatchObject([{ finalizedBy: 'cancelled' }])
    expect(await conversation.cancel()).toBe(false)
  })
})

describe('bad input', () => {
  test.each([
    ['an address that is none', { url: 'nowhere' }],
    ['an address of another kind', { url: 'ftp://agent.example' }],
    ['a host without a scheme', { url: 'localhost:4747' }],
    ['no address in Node', {}],
    ['no session', { url: 'http://127.0.0.1:1', sessionId: '' }],
    ['a token with a line break', { url: 'http://127.0.0.1:1', token: 'a\nb' }],
  ])('%s is refused at once', (_what, options) => {
    expect(() => connect({ sessionId: 'sess_x', ...options })).toThrow(AgentError)
  })

  test('a listener’s error does not end the connection', async (context) => {
    const { url } = await serveAgent(context, { actors: { echo } })
    const conversation = await converse(context, url)
    const errors: unknown[] = []
    const note = (error: unknown) => errors.push(error)
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException').on('uncaughtException', note)
    context.onTestFinished(() => {
      process.removeListener('uncaughtException', note)
      for (const other of others) process.on('uncaughtException', other)
    })
    conversation.stream.on('part', () => {
      throw new Error('Mine.')
    })
    await conversation.send('hello')
    expect(texts(await settled(conversation))).toEqual(['hello', 'You said hello'])
    expect(errors.map(String)).toEqual(['Error: Mine.', 'Error: Mine.'])
  })
})
