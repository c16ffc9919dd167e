import { connect } from '@cool-ai/beach-client'
import { useEnvelope } from '@cool-ai/beach-client/react'
import type { Page } from 'playwright-core'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { dictated, echo, serveAgent } from './agent.ts'
import { bundle } from './bundle.ts'
import type * as App from './react-app.ts'

declare const app: typeof App

let code = ''
beforeAll(async () => {
  // Only when it is built for development does React run effects twice.
  const entry = `import * as app from './react-app.ts'\nObject.assign(globalThis, { app })`
  code = (await bundle(entry, 'development')).code
})

/** A tab with the React page of an agent, and a session of its own. */
async function tab(context: TestContext, actors: Parameters<typeof serveAgent>[1]['actors'], markup = '') {
  const page = (path: string) => {
    if (path === '/app.js') return new Response(code, { headers: { 'content-type': 'text/javascript' } })
    const html = `<!doctype html><title>x</title><div id="root">${markup}</div><script type="module" src="/app.js"></script>`
    return path === '/' ? new Response(html, { headers: { 'content-type': 'text/html' } }) : undefined
  }
  const { url } = await serveAgent(context, { actors, page })
  const browser = await newBrowser(context)
  const opened = await browser.newPage()
  opened.setDefaultTimeout(30_000)
  await opened.goto(url)
  const open = () =>
    opened.evaluate(async () => {
      const response = await fetch('/sessions', { method: 'POST' })
      const { sessionId } = (await response.json()) as { sessionId: string }
      return sessionId
    })
  return { opened, open }
}

const lines = (opened: Page, id = 'view') => opened.locator(`#${id} li`).allTextContents()
const connected = (opened: Page) => opened.locator('.connection', { hasText: 'open' }).first().waitFor()

describe('useEnvelope', () => {
  test('shows a conversation while it goes on, and each message once', async (context) => {
    const speech = dictated()
    const { opened, open } = await tab(context, { speech: speech.actor })
    const sessionId = await open()
    await opened.evaluate((id) => app.show({ sessionId: id }), sessionId)
    await connected(opened)
    await opened.evaluate(() => {
      const doubled: string[] = []
      Object.assign(globalThis, { doubled })
      new MutationObserver(() => {
        const texts = [...document.querySelectorAll('li')].map((node) => node.textContent)
        if (new Set(texts).size < texts.length) doubled.push(texts.join(' | '))
      }).observe(document, { subtree: true, childList: true, characterData: true })
    })
    await opened.locator('button').click()
    speech.say('Good ')
    await opened.locator('li', { hasText: 'Good' }).waitFor()
    expect(await lines(opened)).toEqual(['hello from view', 'Good '])
    expect(await opened.locator('.running').textContent()).toBe('1')
    speech.say('day.')
    speech.end()
    await opened.locator('.running', { hasText: '0' }).waitFor()
    expect(await lines(opened)).toEqual(['hello from view', 'Good day.'])
    expect(await opened.evaluate(() => (globalThis as unknown as { doubled: string[] }).doubled)).toEqual([])
    expect(await opened.evaluate(() => app.watched.problems)).toEqual([])
  })

  test('has one connection in strict mode, keeps its functions, and closes when it is unmounted', async (context) => {
    const { opened, open } = await tab(context, { echo })
    const sessionId = await open()
    await opened.evaluate((id) => app.show({ sessionId: id }), sessionId)
    await connected(opened)
    await opened.locator('button').click()
    await opened.locator('li.agent').waitFor()
    await opened.waitForFunction(() => app.watched.sockets === 1)
    // Strict mode renders everything twice, the first time for nothing.
    const functions = await opened.evaluate(() => app.watched.functions.size)
    expect(functions).toBeLessThanOrEqual(10)
    const same = await opened.evaluate((id) => {
      const before = app.watched.results.at(-1)
      app.show({ sessionId: id })
      return { same: app.watched.results.at(-1) === before, functions: app.watched.functions.size }
    }, sessionId)
    expect(same).toEqual({ same: true, functions })
    await opened.evaluate(() => app.unmount())
    await opened.waitForFunction(() => app.watched.sockets === 0)
    expect(await opened.evaluate(() => app.watched.problems)).toEqual([])
  })

  test('shows the other session when it is given another one, and nothing of the first', async (context) => {
    const { opened, open } = await tab(context, { echo })
    const [first, second] = [await open(), await open()]
    await opened.evaluate((id) => app.show({ sessionId: id }), first)
    await connected(opened)
    await opened.locator('button').click()
    await opened.locator('li.agent').waitFor()
    const shown = await opened.evaluate((id) => {
      app.show({ sessionId: id })
      return document.querySelectorAll('li').length
    }, second)
    expect(shown).toBe(0)
    await connected(opened)
    await opened.waitForFunction(() => app.watched.sockets === 1)
    await opened.evaluate((id) => app.show({ sessionId: id }), first)
    await opened.locator('li.agent').waitFor()
    expect(await lines(opened)).toEqual(['hello from view', 'You said hello from view'])
  })

  test('never shows two states of one conversation at once', async (context) => {
    const speech = dictated()
    const { opened, open } = await tab(context, { speech: speech.actor })
    const sessionId = await open()
    await opened.evaluate((id) => app.showPair({ sessionId: id }), sessionId)
    await connected(opened)
    await opened.locator('#left button').click()
    const words = Array.from({ length: 50 }, (_, index) => `word ${index} `)
    for (const word of words) speech.say(word)
    speech.end()
    await opened.locator('#right .running', { hasText: '0' }).waitFor()
    await opened.waitForFunction(
      (text) => document.querySelector('#right .agent')?.textContent === text,
      words.join(''),
    )
    expect(await lines(opened, 'left')).toEqual(await lines(opened, 'right'))
    expect(await opened.evaluate(() => app.watched.torn)).toEqual([])
  })

  test('takes over what a server has rendered', async (context) => {
    const { View } = await import('./react-app.ts')
    const markup = renderToString(createElement(View, { given: { sessionId: 'sess_x' }, id: 'view' }))
    const { opened, open } = await tab(context, { echo }, markup)
    expect(await opened.locator('.connection').textContent()).toBe('connecting')
    const sessionId = await open()
    await opened.evaluate((id) => app.hydrate({ sessionId: id }), sessionId)
    await connected(opened)
    await opened.locator('button').click()
    await opened.locator('li.agent').waitFor()
    expect(await opened.evaluate(() => app.watched.problems)).toEqual([])
  })
})

describe('on a server', () => {
  test('nothing is connected, and what is shown is the beginning', () => {
    const Shown = () => {
      const { parts, turns, pending, connection, approvals, state } = useEnvelope({ sessionId: 'sess_x' })
      return JSON.stringify([parts, turns, pending, connection, [...approvals], state])
    }
    // Without an address a connection could not even be begun here.
    expect(renderToString(createElement(Shown)).replaceAll('&quot;', '"')).toBe(
      '[[],[],[],{"state":"connecting"},[],{}]',
    )
  })

  test('a conversation that is there already shows the beginning too, so that the browser can take over', () => {
    const fetch = () => new Promise<Response>(() => {})
    const conversation = connect({ url: 'http://agent.example', sessionId: 'sess_x', via: 'sse', fetch })
    const Shown = () => useEnvelope(conversation).connection.state
    conversation.close()
    expect(renderToString(createElement(Shown))).toBe('connecting')
  })

  test('nothing can be sent', async () => {
    let sent: Promise<unknown> | undefined
    const Shown = () => {
      sent = useEnvelope({ sessionId: 'sess_x' }).send('hello')
      sent.catch(() => {})
      return null
    }
    renderToString(createElement(Shown))
    await expect(sent).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })
})
