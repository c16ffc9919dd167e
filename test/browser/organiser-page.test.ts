import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { ServerProcess } from '../support/server-process.ts'
import { ChatPage } from './chat-page.ts'

/** Both agents, for all tests: each has guests of its own. */
let server: ServerProcess
let organiserUrl: string
beforeAll(async () => {
  const program = 'examples/demo/start.mjs'
  server = new ServerProcess({ program, port: await freePort(2), variables: { BEACH_SCRIPT_MS: '0' } })
  organiserUrl = `http://127.0.0.1:${server.port + 1}`
  await server.start()
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(`${task.name}: the server said\n${server.output}`)
})
afterAll(() => server[Symbol.asyncDispose]())

test.concurrent('the pages of both agents lead to each other, and one books through the other', async (context) => {
  const { expect } = context
  const browser = await newBrowser(context, { viewport: { width: 390, height: 800 } })
  const travel = await ChatPage.open(browser, server.url)
  const sidebar = ({ page }: ChatPage) =>
    page
      .locator('.app > .side :is(nav, .foot) :is(.entry > a, .row, .closed)')
      .evaluateAll((nodes) => nodes.map((node) => node.textContent.replace('link in terminal', '')))
  await travel.page.locator('.closed').last().waitFor({ state: 'attached' })
  const listed = await sidebar(travel)
  await travel.button('Menu').click()
  await travel.page.getByRole('dialog').getByRole('link', { name: 'Organiser' }).click()
  await travel.page.waitForURL(`${organiserUrl}/`)

  const organiser = await ChatPage.open(browser, organiserUrl)
  const { page } = organiser
  expect(await organiser.overflow()).toBe(0)
  expect(await sidebar(organiser), 'the sidebar is the same').toEqual(listed)
  expect(listed.join()).toContain('Example Coffee')
  expect(await page.locator('.suggestions').innerText()).toBe(
    'What is in my week\nAsk travel for flights to Corfu in August and put them in my week\nAdd dentist on Thursday at 10:00',
  )
  await organiser.say('ask travel to add BA 2043')
  await organiser.settled(1)
  // It is Sally's basket, and not Baxter's to fill and to book.
  const basket = page.getByRole('group', { name: 'From Sally of ExampleTravel' })
  await basket.getByText('Total £374.00').waitFor()
  expect(await organiser.button(/^Basket/).count()).toBe(0)
  await organiser.say('ask travel to book it')
  const card = page.locator('.dock .approval')
  await card.waitFor()
  expect(await card.innerText()).toMatch(
    /ExampleTravel: Book BA 2043 London Gatwick to Corfu, Sat 15 Aug 08:45, British Airways, direct, 2 passengers, £374\.00\?\s+Asked by Baxter[\s\S]*Total\s+£374\.00/,
  )
  await card.getByRole('button', { name: 'Approve', exact: true }).click()
  await organiser.settled(2)
  expect(await page.locator('main').innerText()).toContain('ExampleTravel says: Booked. Your reference is ET-')
  await organiser.say('ask travel for flights to Corfu in August and put them in my week')
  await organiser.settled(3)
  // Several flights were found, and one of them is flown.
  expect(await page.locator('.week').count()).toBe(0)
  await organiser.button('easyJet EJ4521 to Corfu').click()
  await organiser.settled(4)
  expect(await page.locator('.week').innerText()).toMatch(
    /Sat 15 Aug[\s\S]*06:15[\s\S]*easyJet EJ4521 to Corfu from ExampleTravel/,
  )
  expect(await organiser.overflow()).toBe(0)
  expect([...travel.errors, ...organiser.errors]).toEqual([])
})

// Document 001, "Part 3 — UI surface": Baxter's user sees the surface that Sally has made, and uses it.
test.concurrent('a user of Baxter sees Sally’s flight cards under her name, and presses their buttons', async (context) => {
  const { expect } = context
  for (const width of [390, 1_400]) {
    const browser = await newBrowser(context, { viewport: { width, height: 900 } })
    const organiser = await ChatPage.open(browser, organiserUrl)
    const { page } = organiser
    const said = () => page.locator('.response').last().innerText()
    await organiser.say('ask travel for flights to Corfu in August')
    await organiser.settled(1)
    const flights = page.getByRole('group', { name: 'From Sally of ExampleTravel' }).first()
    const add = flights.getByRole('button', { name: 'Add: British Airways BA 2043' })
    await add.waitFor()
    await organiser.picture(`organiser-surface-${width}`)
    expect(await flights.innerText()).toBe('From Sally of ExampleTravel')
    await flights.getByText('08:45 to 14:20, direct').waitFor()
    // The page's own form of the same data is not shown next to it.
    expect(await page.locator('.flight-results').count()).toBe(0)

    await flights.getByRole('slider').fill('3')
    await add.dblclick()
    await organiser.settled(2)
    const basket = page.getByRole('group', { name: 'From Sally of ExampleTravel' }).nth(1)
    await basket.getByText('£561.00').first().waitFor()
    await organiser.picture(`organiser-surface-pressed-${width}`)
    expect(await said()).toMatch(/ExampleTravel says: Your basket comes to £561\.00/)
    expect(await page.locator('.response').count(), 'a double click is one message').toBe(2)

    // What Sally must have approved is asked for by Baxter, in the dock, and decided there.
    await basket.getByRole('button', { name: /^Book/ }).click()
    const card = page.locator('.dock .approval')
    await card.waitFor()
    expect(await card.innerText()).toMatch(
      /ExampleTravel: Book BA 2043 London Gatwick to Corfu, Sat 15 Aug 08:45, British Airways, direct, 3 passengers, £561\.00\?\s+Asked by Baxter[\s\S]*Total\s+£561\.00/,
    )
    await organiser.picture(`organiser-surface-approval-${width}`)
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    await organiser.settled(3)
    expect(await said()).toMatch(/ExampleTravel says: Booked\. Your reference is ET-/)

    // A page that is loaded anew shows the same.
    await page.reload()
    await organiser.connected()
    await add.waitFor()
    expect(await organiser.overflow()).toBe(0)
    expect(organiser.errors).toEqual([])
  }
})

test.concurrent.for([390, 1_400])(
  'what another agent shows is under its name, and no button takes it to the wrong one, at %i pixels',
  async (width, context) => {
    const { expect } = context
    const browser = await newBrowser(context, { viewport: { width, height: 900 } })
    const organiser = await ChatPage.open(browser, organiserUrl)
    const { page } = organiser
    await organiser.picture(`organiser-welcome-${width}`)

    await organiser.say('ask travel to book it')
    await organiser.settled(1)
    await organiser.picture(`organiser-empty-${width}`)
    expect(await page.locator('.response').innerText()).toMatch(/Your basket is empty/)
    const shown = page.getByRole('group', { name: 'From Sally of ExampleTravel' })
    await shown.getByText('Your basket is empty.').waitFor()
    expect(await page.locator('.domain-data').count()).toBe(0)

    await organiser.say('ask travel for flights to Atlantis and put them in my week')
    const replies = page.getByRole('group', { name: 'Quick replies' })
    await replies.waitFor()
    await organiser.idle()
    await organiser.picture(`organiser-question-${width}`)
    await replies.getByRole('button', { name: 'Lisbon' }).click()
    await replies.getByRole('button', { name: /^easyJet/ }).click()
    await organiser.settled(4)
    await organiser.picture(`organiser-flights-${width}`)
    await shown.getByText(/to Lisbon, /).waitFor()
    expect(await page.getByRole('button', { name: /^Choose/ }).count()).toBe(0)
    expect(await page.locator('.week').innerText()).toMatch(/from ExampleTravel/)

    await organiser.say('remove EJ4521')
    await organiser.settled(5)
    await organiser.picture(`organiser-removed-${width}`)
    await organiser.say('add dentist on 2026-13-45 at 99:99')
    await organiser.settled(6)
    await organiser.say('ask travel to add BA 2043')
    await organiser.settled(7)
    await organiser.picture(`organiser-package-${width}`)
    await organiser.say('ask travel to book it')
    await page.locator('.dock .approval').waitFor()
    await organiser.picture(`organiser-approval-${width}`)
    expect(await organiser.overflow()).toBe(0)
    expect(organiser.errors).toEqual([])
  },
)
