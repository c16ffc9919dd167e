import { expect, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { newDatabase } from '../support/postgres.ts'
import { startServer } from '../support/server-process.ts'
import { ChatPage } from './chat-page.ts'

test('a page at one process shows what another page says at another process, and goes on there when its own has ended', async (context) => {
  const database = await newDatabase()
  context.onTestFinished(() => database[Symbol.asyncDispose]())
  const BEACH_SECRET = 'pages-share-this-secret-of-32-bytes'
  const variables = { BEACH_STORE: database.url, BEACH_SECRET, BEACH_SCRIPT_MS: '5' }
  const [a, b] = await Promise.all([startServer(context, { variables }), startServer(context, { variables })])
  // Cookies do not tell ports apart: both pages are of one person.
  const browser = await newBrowser(context)
  const first = await ChatPage.open(browser, a.url)
  await first.say('hello from A')
  await first.settled(1)
  // What a page remembers is its origin's: the other one is told which conversation it is.
  const session = await first.session()
  await browser.addInitScript((id) => localStorage.setItem('beach.session', id), session)
  const second = await ChatPage.open(browser, b.url)
  await second.settled(1)
  await second.say('hello from B')
  await Promise.all([first.settled(2), second.settled(2)])
  expect(await first.page.locator('body').innerText()).toContain('hello from B')
  expect(await a.stop()).toBe(0)
  await second.say('A has gone')
  await second.settled(3)
})
