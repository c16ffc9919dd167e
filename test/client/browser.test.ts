import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type * as Client from '@cool-ai/beach-client'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { eventParser, type ServerEvent } from '../../packages/client/src/reliability/event-parser.ts'
import { newBrowser } from '../support/browser.ts'
import { frailConnection } from '../support/frail-connection.ts'
import { dictated, serveAgent } from './agent.ts'
import { bundle } from './bundle.ts'

declare const client: typeof Client
declare const conversation: Client.Conversation

let code = ''
beforeAll(async () => {
  const all = await bundle(`import * as client from '@cool-ai/beach-client'\nObject.assign(globalThis, { client })`)
  code = all.code
})

function page(path: string): Response | undefined {
  if (path === '/client.js') return new Response(code, { headers: { 'content-type': 'text/javascript' } })
  const html = '<!doctype html><title>x</title><script type="module" src="/client.js"></script>'
  return path === '/' ? new Response(html, { headers: { 'content-type': 'text/html' } }) : undefined
}

/** A tab with the minified client, behind a connection that can be cut, and an actor that says what it is told to. */
async function tab(context: TestContext) {
  const speech = dictated()
  const { port } = await serveAgent(context, { actors: { speech: speech.actor }, page })
  const wire = await frailConnection(context, port)
  const browser = await newBrowser(context)
  const opened = await browser.newPage()
  opened.setDefaultTimeout(30_000)
  await opened.goto(wire.url)
  return { speech, wire, browser, page: opened }
}

/** Connects the page, by its cookie, and leaves the conversation in it; with a stopped clock no pause ends by itself. */
async function connectIn(opened: Page, options: { via?: Client.Via; stopped?: boolean }): Promise<void> {
  await opened.evaluate(async ({ via, stopped }) => {
    const { sessionId } = await client.openSession()
    const clock = { now: () => Date.now(), timer: () => () => {} }
    const made = client.connect({ sessionId, ...(via && { via }), ...(stopped && { clock }), random: () => 0.02 })
    Object.assign(globalThis, { conversation: made })
  }, options)
}

async function until(opened: Page, state: Client.Connection['state']): Promise<void> {
  await opened.waitForFunction((wanted) => conversation.connection.state === wanted, state)
}

describe('in a browser', () => {
  test.for(['sse', 'websocket'] as const)('a text goes on over a cut connection, by %s', async (via, context) => {
    const { speech, wire, page: opened } = await tab(context)
    await connectIn(opened, { via })
    await until(opened, 'open')
    await opened.evaluate(() => conversation.send('hello'))
    const words = ['One ', 'two ', 'three.']
    for (const [index, word] of words.entries()) {
      speech.say(word)
      const sofar = words.slice(0, index + 1).join('')
      await opened.waitForFunction((text) => conversation.stream.parts.at(-1)?.text === text, sofar)
      wire.cut()
    }
    speech.end()
    await opened.waitForFunction(() => conversation.stream.turns[0]?.settled)
    const parts = await opened.evaluate(() => conversation.stream.parts.map(({ role, text }) => [role, text]))
    expect(parts).toEqual([
      ['user', 'hello'],
      ['agent', words.join('')],
    ])
    expect(await opened.evaluate(() => conversation.pending.length)).toBe(0)
  })

  test('a conversation without a choice is by WebSocket', async (context) => {
    const { page: opened } = await tab(context)
    await connectIn(opened, {})
    await until(opened, 'open')
    expect(await opened.evaluate(() => conversation.connection.via)).toBe('websocket')
  })

  test.for(['sse', 'websocket'] as const)(
    'without a network it says so, and when the network is back it connects at once, by %s',
    async (via, context) => {
      const { wire, browser, page: opened } = await tab(context)
      await connectIn(opened, { via, stopped: true })
      await until(opened, 'open')
      await browser.setOffline(true)
      wire.cut()
      await until(opened, 'offline')
      await opened.evaluate(() => void conversation.send('typed without a network'))
      await opened.waitForFunction(() => conversation.pending[0]?.state === 'waiting')
      await browser.setOffline(false)
      await until(opened, 'open')
      await opened.waitForFunction(() => conversation.pending.length === 0)
      expect(await opened.evaluate(() => conversation.stream.parts[0]?.text)).toBe('typed without a network')
    },
  )

  test('when the page is seen again it connects at once', async (context) => {
    const { wire, page: opened } = await tab(context)
    await connectIn(opened, { via: 'sse', stopped: true })
    await until(opened, 'open')
    wire.cut()
    await until(opened, 'waiting')
    await opened.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await until(opened, 'open')
  })

  test('what the agent refuses is the error of the conversation', async (context) => {
    const { page: opened } = await tab(context)
    await opened.evaluate(() => {
      Object.assign(globalThis, { conversation: client.connect({ sessionId: 'sess_none' }) })
    })
    await until(opened, 'closed')
    expect(await opened.evaluate(() => conversation.connection.error?.status)).toBe(404)
  })
})

/** Streams of server-sent events that differ in all that can differ; made from a seed, so that they are always the same. */
function streams(count: number): Uint8Array[] {
  let state = 42
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const pick = (from: readonly string[]) => from[below(from.length)] ?? ''
  const ends = ['\n', '\r', '\r\n']
  const names = ['data', 'data', 'data', 'event', 'id', 'other', '', ' data']
  const separators = [':', ': ', ':  ', '']
  const values = ['', 'x', 'part', 'é', '🏖', ' y ', 'a:b', '7', '\0', 'end']
  const line = () => pick(names) + pick(separators) + pick(values) + pick(ends)
  const event = () => Array.from({ length: below(6) }, line).join('') + pick(ends) + pick(ends)
  return Array.from({ length: count }, () => {
    const text = pick(['', '\uFEFF', '\uFEFF\uFEFF']) + Array.from({ length: 8 }, event).join('')
    return new TextEncoder().encode(`${text}\n\ndata: the end\n\n`)
  })
}

test('server-sent events are read as the browser reads them', async (context) => {
  const all = streams(200)
  const ours = all.map((bytes) => {
    const events: ServerEvent[] = []
    const parser = eventParser({ event: (event) => events.push(event) })
    for (const byte of bytes) parser.push(Uint8Array.of(byte))
    return events
  })
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' })
    response.end(all[Number(request.url?.slice(1))])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await newBrowser(context)
  const opened = await browser.newPage()
  const read = await opened.evaluate(
    async ({ from, count, types }) => {
      const events: { type: string; data: string; lastEventId: string }[][] = []
      for (let index = 0; index < count; index++) {
        const source = new EventSource(`${from}/${index}`)
        const seen: { type: string; data: string; lastEventId: string }[] = []
        for (const name of types) {
          source.addEventListener(name, ({ type, data, lastEventId }: MessageEvent<string>) =>
            seen.push({ type, data, lastEventId }),
          )
        }
        await new Promise((resolve) => source.addEventListener('error', resolve))
        source.close()
        events.push(seen)
      }
      return events
    },
    { from: url, count: all.length, types: [...new Set(ours.flat().map(({ type }) => type))] },
  )
  const received = (events: ServerEvent[]) =>
    events.map(({ type, data, lastEventId }) => JSON.stringify([type, data, lastEventId]))
  expect(read.map(received)).toEqual(ours.map(received))
  expect(read.flat().length).toBeGreaterThan(500)
})
