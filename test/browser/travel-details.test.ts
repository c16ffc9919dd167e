import { describe, expect, it } from 'vitest'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'

const url = exampleAgent(travelAgent, { BEACH_SCRIPT_MS: '2' })

describe.concurrent('the page of the travel agent', () => {
  it('has room for its name and for thumbs on the smallest phone', async (test) => {
    const browser = await newBrowser(test, { viewport: { width: 320, height: 640 }, hasTouch: true })
    const chat = await ChatPage.open(browser, url())
    // The welcome is higher than this window: it begins at its top.
    const picture = await chat.page.locator('.welcome img').boundingBox()
    const header = await chat.page.locator('header').first().boundingBox()
    expect(picture?.y).toBeGreaterThanOrEqual((header?.y ?? 0) + (header?.height ?? 0))
    const { page } = chat
    await page.locator('#text').focus()
    await chat.say('hotels in Corfu')
    await chat.settled(1)
    expect(
      await page
        .locator('.hotel b')
        .evaluateAll((names) => names.filter((name) => name.getBoundingClientRect().height > 30).length),
    ).toBe(0)
    await page.locator('#text').focus()
    await chat.say('add BA 2043')
    await chat.settled(2)
    const name = await page.locator('.head h1').evaluate((node) => node.scrollWidth - node.clientWidth)
    expect(name, 'the name is whole').toBe(0)
    const buttons = await page
      .locator('.head button')
      .filter({ visible: true })
      .evaluateAll((nodes) =>
        nodes.map((node) => node.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height)),
      )
    for (const size of buttons) expect(size).toBeGreaterThanOrEqual(32)
    expect(await chat.overflow()).toBe(0)
    expect(await barriersOn(page)).toEqual([])
    expect(chat.errors).toEqual([])
  })

  it('names the days of a stay, and writes dates as people do', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    await chat.say('hotels in Corfu')
    await chat.settled(1)
    expect(await page.locator('.results-head h3').innerText()).toMatch(
      /^Hotels in Corfu, \w{3} \d+ \w+ to \w{3} \d+ \w+, for 2 people$/,
    )
    await page
      .locator('.hotel')
      .first()
      .getByRole('button', { name: /^Choose/ })
      .click()
    await chat.settled(2)
    expect(await page.locator('.mine').last().innerText()).toMatch(
      /from \d+ \w+ 20\d\d to \d+ \w+ 20\d\d for 2 people$/,
    )
  })

  it('has the basket’s own button off while an approval is open', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 1_280, height: 800 } }), url())
    const { page } = chat
    await chat.say('add BA 2043')
    await chat.settled(1)
    const book = page.getByRole('complementary', { name: 'Basket' }).getByRole('button', { name: 'Book it' })
    await book.click()
    await page.locator('.dock .approval').waitFor()
    expect(await book.isDisabled()).toBe(true)
    await page.getByText('A request waits for your decision.').waitFor()
    await chat.button('Deny').and(page.locator(':enabled')).click()
    await chat.settled(2)
    expect(await book.isEnabled()).toBe(true)
  })

  it('has no barrier where results come twice and surfaces stand among them', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 390, height: 844 } }), url())
    const said = [
      'flights from Gatwick to Corfu in August',
      'hotels in Corfu',
      'cruises in the Adriatic',
      'hotels in Corfu',
    ]
    for (const [index, text] of [...said, 'cruises in the Adriatic'].entries()) {
      await chat.say(text)
      await chat.settled(index + 1)
    }
    await chat.page
      .getByRole('button', { name: /^Add: / })
      .first()
      .waitFor()
    expect(await barriersOn(chat.page)).toEqual([])
    expect(await chat.overflow()).toBe(0)
  })

  it('shows the browser’s answer as the page does, with its events behind a tab', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 1_280, height: 800 } }), url())
    const { page } = chat
    await chat.say('cruises in the Adriatic')
    await chat.settled(1)
    const surface = page.locator('#conversation beach-surface')
    await surface.waitFor()
    await chat.button('See what each channel gets').click()
    const browser = page.getByRole('region', { name: 'Browser', exact: true })
    await browser.locator('.shown-answer beach-surface').waitFor()
    expect(await surface.count(), 'the conversation keeps its own').toBe(1)
    expect(await browser.locator('.event').count()).toBe(0)
    await browser.getByRole('tab', { name: 'The page' }).focus()
    await page.keyboard.press('ArrowRight')
    await browser.locator('.event').first().waitFor()
    expect(await browser.getByRole('tab', { name: 'The events' }).getAttribute('aria-selected')).toBe('true')
    expect(await barriersOn(page)).toEqual([])
  })
})
