import { expect, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { freePort, startServer } from '../support/server-process.ts'
import { ChatPage } from './chat-page.ts'

test('the pages of both agents lead to each other, and one books through the other', async (context) => {
  const port = await freePort(2)
  const server = await startServer(context, {
    program: 'examples/demo/start.mjs',
    port,
    variables: { BEACH_SCRIPT_MS: '0' },
  })
  const browser = await newBrowser(context, { viewport: { width: 390, height: 800 } })
  const travel = await ChatPage.open(browser, server.url)
  const link = travel.page.getByRole('navigation').getByRole('link', { name: 'Organiser' })
  expect(await link.getAttribute('href')).toBe(`http://127.0.0.1:${port + 1}`)
  const organiser = await ChatPage.open(browser, `http://127.0.0.1:${port + 1}`)
  const { page } = organiser
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth])
  expect(widths[0]).toBe(widths[1])

  await organiser.say('ask travel to add BA 2043')
  await organiser.settled(1)
  await organiser.say('ask travel to book it')
  const card = page.locator('.approval')
  await card.getByRole('button', { name: 'Approve' }).waitFor()
  expect(await card.innerText()).toMatch(/May I run example-travel-agent: book_package\?[\s\S]*£374\.00/)
  await card.getByRole('button', { name: 'Approve' }).click()
  await organiser.settled(2)
  expect(await page.locator('main').innerText()).toContain('ExampleTravel says: Booked. Your reference is ET-')
  expect([...travel.errors, ...organiser.errors]).toEqual([])
})
