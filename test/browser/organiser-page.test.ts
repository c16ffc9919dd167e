import { expect, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startServer } from '../support/server-process.ts'
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
  await travel.button('Menu').click()
  await travel.page.getByRole('dialog').getByRole('link', { name: 'Organiser' }).click()
  await travel.page.waitForURL(`http://127.0.0.1:${port + 1}/`)

  const organiser = await ChatPage.open(browser, `http://127.0.0.1:${port + 1}`)
  const { page } = organiser
  expect(await organiser.overflow()).toBe(0)
  expect(await page.locator('.suggestions').innerText()).toBe('What is in my week')
  await organiser.say('ask travel to add BA 2043')
  await organiser.settled(1)
  await organiser.say('ask travel to book it')
  const card = page.locator('.dock .approval')
  await card.waitFor()
  expect(await card.innerText()).toMatch(/Run example-travel-agent: book_package\?\s+Asked by Baxter[\s\S]*£374\.00/)
  await card.getByRole('button', { name: 'Approve', exact: true }).click()
  await organiser.settled(2)
  expect(await page.locator('main').innerText()).toContain('ExampleTravel says: Booked. Your reference is ET-')
  await organiser.say('ask travel for flights to Corfu in August and put them in my week')
  await organiser.settled(3)
  expect(await page.locator('.week').innerText()).toMatch(
    /Sat 15 Aug[\s\S]*06:15[\s\S]*easyJet EJ4521 from ExampleTravel/,
  )
  expect(await organiser.overflow()).toBe(0)
  expect([...travel.errors, ...organiser.errors]).toEqual([])
})
