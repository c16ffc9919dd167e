import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { answerTo } from '../../examples/hello/hello-actor.ts'
import { newBrowser } from '../support/browser.ts'
import { frailConnection } from '../support/frail-connection.ts'
import { startServer } from '../support/server-process.ts'
import { ChatPage } from './chat-page.ts'
import { expectGrowth, story } from './hello-story.ts'

/** Still slow enough to be met in the middle of an answer. */
const quicker = { variables: { BEACH_SCRIPT_MS: '20' } }

describe.concurrent('the chat page, when the server goes away and comes back', () => {
  it.for([
    ['killed', 'kill9'],
    ['stopped', 'stop'],
  ] as const)('ends with the whole answer, once, after the server was %s in mid-answer', async ([, end], test) => {
    const server = await startServer(test, quicker)
    const chat = await ChatPage.open(await newBrowser(test), server.url)
    await chat.say('Can you survive this?')
    await chat.speaking(200)
    await server[end]()
    await chat.disconnected()
    await chat.picture(`light-6-${end}`)
    const before = (await chat.seen()).responses
    await server.start()
    await chat.wake()
    await chat.connected()
    await chat.settled()

    const whole = answerTo('Can you survive this?')
    expect(await chat.parts()).toEqual(story('Can you survive this?'))
    const { responses, doubled } = await chat.seen()
    expect(doubled).toEqual([])
    expect(responses.slice(0, before.length)).toEqual(before)
    // The actor's second run starts with its first word, in the place of what its first run had said.
    expectGrowth(responses, whole, 1)

    await chat.page.reload()
    await chat.settled()
    expect(await chat.parts(), 'the log says the same').toEqual(story('Can you survive this?'))
  })

  it.for([
    ['the message is under way', (chat: ChatPage) => chat.page.waitForRequest('**/messages')],
    ['the message is acknowledged', (chat: ChatPage) => chat.page.locator('.ack').waitFor()],
  ] as const)('answers once when the server is killed while %s', async ([, moment], test) => {
    const server = await startServer(test, quicker)
    const chat = await ChatPage.open(await newBrowser(test), server.url)
    const come = moment(chat)
    await chat.say('Did you get this?')
    await come
    await server.kill9()
    await chat.disconnected()
    await server.start()
    await chat.wake()
    await chat.settled()

    expect(await chat.parts()).toEqual(story('Did you get this?'))
    const { responses, doubled } = await chat.seen()
    expect(doubled).toEqual([])
    expectGrowth(responses, answerTo('Did you get this?'), 1)
  })

  it('sends a message that was typed while there was no server', async (test) => {
    const server = await startServer(test, quicker)
    const chat = await ChatPage.open(await newBrowser(test), server.url)
    await server.kill9()
    await chat.disconnected()
    await chat.say('Are you there?')
    expect(await chat.parts()).toEqual([{ kind: 'user pending', text: 'Are you there?' }])
    await chat.picture('light-7-pending')
    await server.start()
    await chat.wake()
    await chat.settled()

    expect(await chat.parts()).toEqual(story('Are you there?'))
    expect((await chat.seen()).doubled).toEqual([])
    await chat.page.reload()
    await chat.settled()
    expect(await chat.parts(), 'the log says the same').toEqual(story('Are you there?'))
  })

  it('sends a message once though the first reply to it was lost', async (test) => {
    const server = await startServer(test, quicker)
    const chat = await ChatPage.open(await newBrowser(test), server.url)
    const lose = async (route: Route) => {
      expect((await route.fetch()).status()).toBe(202)
      await route.abort()
    }
    await chat.page.route('**/messages', lose, { times: 1 })
    const second = chat.page.waitForResponse('**/messages')
    await chat.say('Once, please.')
    expect((await second).status()).toBe(202)
    await chat.settled()

    expect(await chat.parts()).toEqual(story('Once, please.'))
    expect((await chat.seen()).doubled).toEqual([])
  })

  it.for([
    ['resumes', 'websocket'],
    ['has only server-sent events, and is refused once', 'sse'],
  ] as const)('shows nothing twice when its connection is cut in mid-answer and %s', async ([, via], test) => {
    const server = await startServer(test, quicker)
    const connection = await frailConnection(test, server.port)
    const browser = await newBrowser(test)
    if (via === 'sse') await browser.addInitScript(() => Reflect.deleteProperty(globalThis, 'WebSocket'))
    const chat = await ChatPage.open(browser, connection.url)
    const refused: string[] = []
    await chat.say('Can you hear me?')
    await chat.speaking(60)
    if (via === 'sse') {
      const refuse = (route: Route) => {
        refused.push(route.request().url())
        return route.fulfill({ status: 503 })
      }
      await chat.page.route('**/events*', refuse, { times: 1 })
    }
    connection.cut()
    await chat.disconnected()
    await chat.connected()
    await chat.settled()

    expect(refused).toHaveLength(via === 'sse' ? 1 : 0)
    expect(await chat.parts()).toEqual(story('Can you hear me?'))
    const { responses, doubled } = await chat.seen()
    expect(doubled).toEqual([])
    expectGrowth(responses, answerTo('Can you hear me?'))
  })
})
