import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { BeachError, type Clock } from '@cool-ai/beach-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { sseToNode } from './sse-to-node.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A clock whose timers run when they are told to. */
class Ticking implements Clock {
  #run = () => {}

  now(): number {
    return 0
  }

  timer(_: number, run: () => void): () => void {
    this.#run = run
    return () => (this.#run = () => {})
  }

  tick(): void {
    this.#run()
  }
}

async function served(source: AsyncGenerator<string, void, undefined>) {
  const clock = new Ticking()
  const onEnd = vi.fn<() => void>()
  const server = createServer((_, response) => {
    const onError = (error: unknown) => `failed: ${(error as Error).message}`
    sseToNode(response, { 'content-type': 'text/event-stream' }, source, { clock, heartbeatMs: 1, onError, onEnd })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  return { clock, onEnd, response }
}

describe('events of a response of Node', () => {
  test('are written in order, and end it', async () => {
    const { response, onEnd } = await served(
      (async function* () {
        yield 'one'
        yield 'two'
      })(),
    )
    expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' })
    expect(await text(response)).toBe('data: one\n\ndata: two\n\n')
    expect(onEnd).toHaveBeenCalledOnce()
  })

  test('end with the error of their source, but for a reader that was too slow without a word', async () => {
    const failing = async (error: Error) => {
      const { response, onEnd } = await served(
        (async function* () {
          yield 'one'
          throw error
        })(),
      )
      const said = await text(response)
      expect(onEnd).toHaveBeenCalledOnce()
      return said
    }
    expect(await failing(new Error('oh'))).toBe('data: one\n\ndata: failed: oh\n\n')
    expect(await failing(new BeachError('SLOW_READER', 'slow'))).toBe('data: one\n\n')
  })

  test('have heartbeats in between, and end when the reader goes', async () => {
    const waiting = Promise.withResolvers<void>()
    const { response, clock, onEnd } = await served(
      (async function* () {
        yield 'one'
        await waiting.promise
      })(),
    )
    response.setEncoding('utf8')
    expect(await once(response, 'data')).toEqual(['data: one\n\n'])
    clock.tick()
    expect(await once(response, 'data')).toEqual([':\n\n'])
    response.destroy()
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce())
    waiting.resolve()
  })

  test('are taken from their source as fast as the reader reads', async () => {
    const max = 50
    let taken = 0
    const { response, onEnd } = await served(
      (async function* () {
        for (; taken < max; taken++) yield 'x'.repeat(1_000_000)
      })(),
    )
    await settled(() => taken)
    expect(taken).toBeLessThan(max)
    let size = 0
    for await (const chunk of response) size += (chunk as Buffer).length
    expect(size).toBe(max * 1_000_008)
    expect(onEnd).toHaveBeenCalledOnce()
  })

  test('are let go when the reader takes nothing for two heartbeats', async () => {
    let taken = 0
    const { response, clock, onEnd } = await served(
      (async function* () {
        for (;;) {
          taken++
          yield 'x'.repeat(1_000_000)
        }
      })(),
    )
    await settled(() => taken)
    clock.tick()
    expect(onEnd).not.toHaveBeenCalled()
    clock.tick()
    expect(onEnd).toHaveBeenCalledOnce()
    await expect(text(response)).rejects.toThrow('aborted')
  })
})

/** Waits until a count stays as it is. */
async function settled(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
