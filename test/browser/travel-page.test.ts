import { expect, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { startServer } from '../support/server-process.ts'
import { ChatPage } from './chat-page.ts'

test('a booking is asked for in one tab, approved in another, and ends with files to download', async (context) => {
  const server = await startServer(context, { program: 'examples/travel/start.mjs' })
  const browser = await newBrowser(context)
  const first = await ChatPage.open(browser, server.url)
  const { page } = first
  await first.say('find me flights to Corfu in August')
  await first.settled(1)
  const cells = await page.locator('.domain-data td').allInnerTexts()
  expect(cells).toEqual(expect.arrayContaining(['EJ4521', 'BA 2043', '2026-08-15 08:45', '187']))

  await first.say('add BA 2043')
  await first.settled(2)
  await first.say('book it')
  const second = await ChatPage.open(browser, server.url)
  const card = second.page.locator('.approval')
  await card.getByRole('button', { name: 'Approve' }).waitFor()
  expect(await card.innerText()).toMatch(/May I run book_package\?[\s\S]*£374\.00/)
  await card.getByRole('button', { name: 'Approve' }).click()
  await first.settled(3)
  expect(await page.locator('.approval').innerText()).toContain('This has been decided.')
  expect(await page.locator('.approval button').count()).toBe(0)

  await page.locator('#text').focus()
  await first.say('make an itinerary')
  await first.settled(4)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /\.ics/ }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^itinerary-.*\.ics$/)
  expect(first.errors).toEqual([])
})

test('tables keep their height however long the conversation is', async (context) => {
  const server = await startServer(context, {
    program: 'examples/travel/start.mjs',
    variables: { BEACH_SCRIPT_MS: '0' },
  })
  const chat = await ChatPage.open(await newBrowser(context, { viewport: { width: 375, height: 600 } }), server.url)
  for (let count = 1; count <= 3; count++) {
    await chat.say('find me flights to Corfu in August')
    await chat.settled(count)
  }
  const heights = await chat.page.locator('.domain-data').evaluateAll((nodes) => nodes.map((node) => node.clientHeight))
  expect(heights).toHaveLength(3)
  for (const height of heights) expect(height).toBeGreaterThan(60)
  expect(await chat.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
  const edges = await chat.page
    .locator('header > *')
    .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().right))
  for (const edge of edges) expect(edge).toBeLessThanOrEqual(375 - 16)
})
