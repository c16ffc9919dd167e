import { once } from 'node:events'
import { createServer, get, IncomingMessage, ServerResponse, type Server } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { BeachError, SimulatedClock } from '@cool-ai/beach-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { noteRequest } from '../http/request-source.ts'
import { textEvents } from './event-stream.ts'
import { Heartbeats } from './stream-writer.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function served(source: AsyncGenerator<string, void, undefined>) {
  const clock = new SimulatedClock()
  const heartbeats = new Heartbeats(clock, 1_000)
  const onEnd = vi.fn<(isLeft: boolean) => void>()
  const onError = (error: unknown) => `failed: ${(error as Error).message}`
  let socket: Socket | null = null
  const server = createServer((_, response) => {
    ;({ socket } = response)
    const request = new Request('http://127.0.0.1/')
    noteRequest(request, { response })
    textEvents(request, source, { heartbeats, onError, onEnd })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  return {
    clock,
    onEnd,
    response,
    socket: socket as Socket | null,
    ended: () => vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce()),
  }
}

describe('events of a response of Node', () => {
  test('are written in order, and end it', async () => {
    const { response, ended } = await served(
      (async function* () {
        yield 'one'
        yield 'two'
      })(),
    )
    expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' })
    expect(await text(response)).toBe('data: one\n\ndata: two\n\n')
    await ended()
  })

  test('end with the error of their source, but for a reader that was too slow without a word', async () => {
    const failing = async (error: Error) => {
      const { response, ended } = await served(
        (async function* () {
          yield 'one'
          throw error
        })(),
      )
      const said = await text(response)
      await ended()
      return said
    }
    expect(await failing(new Error('oh'))).toBe('data: one\n\ndata: failed: oh\n\n')
    expect(await failing(new BeachError('SLOW_READER', 'slow'))).toBe('data: one\n\n')
  })

  test('have heartbeats in between, and end when the reader goes', async () => {
    const waiting = Promise.withResolvers<void>()
    const { response, clock, ended } = await served(
      (async function* () {
        yield 'one'
        await waiting.promise
      })(),
    )
    response.setEncoding('utf8')
    expect(await once(response, 'data')).toEqual(['data: one\n\n'])
    const beat = once(response, 'data')
    await clock.advance(1_000)
    expect(await beat).toEqual([':\n\n'])
    response.destroy()
    await ended()
    waiting.resolve()
  })

  test.each([
    ['ETIMEDOUT', false],
    ['EHOSTUNREACH', false],
    ['ECONNRESET', true],
  ])('of a connection that breaks with %s were left by the reader: %s', async (code, isLeft) => {
    const waiting = Promise.withResolvers<void>()
    const { response, socket, ended, onEnd } = await served(
      (async function* () {
        yield 'one'
        await waiting.promise
      })(),
    )
    response.on('error', () => {})
    socket?.destroy(Object.assign(new Error(code), { code }))
    await ended()
    expect(onEnd).toHaveBeenCalledWith(isLeft)
  })

  test('are taken from their source as fast as the reader reads', async () => {
    const max = 50
    let taken = 0
    const { response, ended } = await served(
      (async function* () {
        for (; taken < max; taken++) yield 'x'.repeat(1_000_000)
      })(),
    )
    await settled(() => taken)
    expect(taken).toBeLessThan(max)
    let size = 0
    for await (const chunk of response) size += (chunk as Buffer).length
    expect(size).toBe(max * 1_000_008)
    await ended()
  })

  test('are let go when the reader takes nothing for two heartbeats', async () => {
    let taken = 0
    const { response, clock, onEnd, ended } = await served(
      (async function* () {
        for (;;) {
          taken++
          yield 'x'.repeat(1_000_000)
        }
      })(),
    )
    await settled(() => taken)
    await clock.advance(1_500)
    expect(onEnd).not.toHaveBeenCalled()
    await clock.advance(1_000)
    await expect(text(response)).rejects.toThrow('aborted')
    await ended()
  })

  test('are not fetched for a reader that has gone before they begin, and the stream ends', async () => {
    const onEnd = vi.fn<() => void>()
    const returned = vi.fn<() => void>()
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    response.destroy()
    const request = new Request('http://127.0.0.1/')
    noteRequest(request, { response })
    const source: AsyncIterator<string> = {
      next: () => Promise.reject(new Error('fetched')),
      return: async () => {
        returned()
        return { done: true, value: undefined }
      },
    }
    textEvents(request, source, { heartbeats: new Heartbeats(new SimulatedClock(), 1), onError: String, onEnd })
    expect(onEnd).toHaveBeenCalledOnce()
    expect(returned).toHaveBeenCalledOnce()
  })
})

describe('events of a Web stream', () => {
  test('are fetched as they are read, and no more once the reader has gone', async () => {
    const onEnd = vi.fn<() => void>()
    let taken = 0
    async function* source() {
      for (;;) {
        taken++
        yield 'x'.repeat(100_000)
      }
    }
    const request = new Request('http://127.0.0.1/')
    const heartbeats = new Heartbeats(new SimulatedClock(), 1_000)
    const { body, headers } = textEvents(request, source(), { heartbeats, onError: String, onEnd })
    expect(headers.get('content-type')).toBe('text/event-stream')
    const reader = body?.getReader()
    for (let count = 1; count < 4; count++) {
      const read = await reader?.read()
      expect(read?.value?.byteLength).toBe(100_008)
      expect(taken).toBeLessThan(count + 2)
    }
    await reader?.cancel()
    expect(onEnd).toHaveBeenCalledOnce()
  })

  test('end with the error of their source', async () => {
    async function* source() {
      yield 'one'
      throw new Error('oh')
    }
    const onEnd = vi.fn<() => void>()
    const heartbeats = new Heartbeats(new SimulatedClock(), 1_000)
    const options = { heartbeats, onError: (error: unknown) => `failed: ${(error as Error).message}`, onEnd }
    const response = textEvents(new Request('http://127.0.0.1/'), source(), options)
    expect(await response.text()).toBe('data: one\n\ndata: failed: oh\n\n')
    expect(onEnd).toHaveBeenCalledOnce()
  })
})

/** Waits until a count stays as it is. */
async function settled(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
