import { describe, expect, it } from 'vitest'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'

const url = exampleAgent(travelAgent, { BEACH_SCRIPT_MS: '2' })

describe.concurrent('the page of the travel agent', () => {
  it('books: ask, clarify, results, sort, choose, book, approve in another tab, confirmation, files', async (test) => {
    const browser = await newBrowser(test, { viewport: { width: 1_280, height: 800 } })
    const chat = await ChatPage.open(browser, url())
    const { page } = chat
    await chat.say('find me flights from London to Corfu in August')
    await chat.button('Gatwick').click()
    await chat.settled(1)
    const numbers = async () => (await page.locator('.flight .carrier .minor').allInnerTexts()).join(', ')
    expect(await numbers(), 'as the agent has them, direct ones first').toBe('EJ4521, BA 2043, A3 601')
    await chat.button('Price').click()
    expect(await numbers()).toBe('EJ4521, A3 601, BA 2043')
    await chat.button('Departure').click()
    expect(await numbers()).toBe('EJ4521, BA 2043, A3 601')
    await chat.button('Shortest').click()
    expect(await numbers()).toBe('BA 2043, EJ4521, A3 601')
    expect(await page.locator('.sorting [aria-pressed=true]').innerText()).toBe('Shortest')

    await chat.button('Choose British Airways BA 2043').click()
    await chat.settled(2)
    const basket = page.getByRole('complementary', { name: 'Basket' })
    expect(await basket.innerText()).toMatch(/BA 2043 London Gatwick to Corfu[\s\S]*£374[\s\S]*Total\s+£374\.00/)
    expect(await page.locator('.flight', { hasText: 'BA 2043' }).innerText()).toContain('In your basket')
    await basket.getByRole('button', { name: 'Book it' }).click()

    const other = await ChatPage.open(browser, url())
    const card = other.page.locator('.dock .approval')
    await card.waitFor()
    expect(await card.innerText()).toMatch(
      /Book BA 2043 London Gatwick to Corfu, .*, 2 passengers, £374\.00\?\s+Asked by Sally\.[\s\S]*Basket\s+pkg_\w+\s+Total\s+£374\.00/,
    )
    await page.locator('.dock .approval').waitFor()
    expect(await page.title()).toBe('Your decision is needed · ExampleTravel')
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    await chat.settled(3)
    expect(await page.title()).toBe('ExampleTravel · Beach')
    expect(await page.locator('.dock .approval').count(), 'nothing is left to decide').toBe(0)
    expect(await page.locator('.record').innerText()).toMatch(/^Book BA 2043 .*: approved on a page, \d\d:\d\d\.$/)
    expect(await other.page.locator('.record').innerText()).toMatch(/^Book BA 2043 .*: you approved this\.$/)
    expect(await page.locator('.booked').innerText()).toMatch(/Booked\s+ET-\w+[\s\S]*BA 2043[\s\S]*£374\.00/)
    expect(await basket.count(), 'what is booked is not in the basket').toBe(0)

    await page.locator('#text').focus()
    await chat.say('make an itinerary')
    await chat.settled(4)
    await page.getByRole('button', { name: /^Preview of .*\.ics$/ }).click()
    await page.locator('.preview', { hasText: 'BA 2043 London Gatwick to Corfu' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Download .*\.ics$/ }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^itinerary-.*\.ics$/)
    expect([...chat.errors, ...other.errors, ...(await chat.seen()).violations]).toEqual([])
  })

  it('does nothing that was denied, and says so', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    await chat.say('add BA 2043')
    await chat.settled(1)
    await chat.say('book it')
    await chat.button('Deny').waitFor()
    await chat.page.locator('#text').focus()
    await chat.say('what can you do?')
    const note = chat.page.getByText('Answered once the request is decided')
    await note.waitFor()
    await chat.button('Deny').click()
    await chat.settled(3)
    expect(await note.count()).toBe(0)
    expect(await chat.page.locator('.record').innerText()).toMatch(/^Book BA 2043 .*: you denied this\.$/)
    expect(await chat.page.locator('.response').nth(1).innerText()).toMatch(/^I have not booked it\./)
    expect(await chat.page.evaluate(() => document.activeElement?.id)).toBe('text')
  })

  it('shows how far research has come, its sections as they are found, and their sources as footnotes', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    await chat.say('research Corfu')
    const bar = page.getByRole('progressbar', { name: 'Research on Corfu' })
    // Read at one moment: the next section may come while this one is looked at.
    const moment = await page.waitForFunction(() => {
      const shown = document.querySelector<HTMLProgressElement>('.progress progress')
      const titles = [...document.querySelectorAll<HTMLElement>('.section h3')].map(({ innerText }) => innerText)
      return shown?.value === 2 && titles.length === 2 ? { max: shown.max, titles } : undefined
    })
    expect(await moment.jsonValue()).toEqual({
      max: 4,
      titles: ['Culture in Corfu 1', 'Getting to and around Corfu 2'],
    })
    await chat.settled(1)
    expect(await bar.count()).toBe(0)
    const notes = page.getByRole('list', { name: 'Sources' }).getByRole('listitem')
    expect(await notes.count()).toBe(4)
    await page.getByRole('link', { name: 'Source 3' }).click()
    expect(await notes.nth(2).evaluate((node) => node === document.activeElement)).toBe(true)
    const link = notes.nth(2).getByRole('link')
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ])
    expect(await page.evaluate(() => location.hash)).toBe('')
    expect(chat.errors).toEqual([])
  })

  it('has a basket that things are put into and taken out of', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 390, height: 844 } }), url())
    const { page } = chat
    await chat.say('hotels in Corfu')
    await chat.settled(1)
    await chat.button('Price').click()
    const prices = (await page.locator('.offer .amount').allInnerTexts()).map((text) =>
      Number(text.replaceAll(/\D/g, '')),
    )
    expect(prices).toEqual(prices.toSorted((one, other) => one - other))
    await chat.button('Choose Liston House').click()
    await chat.settled(2)
    await page.getByRole('button', { name: /^Basket: £/ }).click()
    const basket = page.getByRole('dialog', { name: 'Basket' })
    expect(await basket.innerText()).toMatch(/Liston House[\s\S]*7 nights/)
    await basket.getByRole('button', { name: 'Remove Liston House' }).click()
    await chat.settled(3)
    expect(await basket.count()).toBe(0)
    expect(await page.locator('.response').last().innerText()).toMatch(/^Your basket is empty\./)
    expect(await page.getByRole('button', { name: /^Basket/ }).count()).toBe(0)
  })

  it('is never wider than a phone, whatever it shows', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 360, height: 640 } }), url())
    const { page } = chat
    const steps = [
      'flights to Corfu in August',
      'hotels in Lisbon',
      'cruises in the Adriatic',
      'add BA 2043',
      'book it',
    ]
    for (const [index, text] of steps.entries()) {
      await chat.say(text)
      if (text === 'book it') await page.locator('.approval').waitFor()
      else await chat.settled(index + 1)
      expect(await chat.overflow(), text).toBe(0)
    }
    const edges = await page
      .locator('.head > *, .card, .approval, .approval button, .compose')
      .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().right))
    for (const edge of edges) expect(edge).toBeLessThanOrEqual(360)
    const small = await page
      .locator('.approval button, .compose button, .choose button')
      .evaluateAll((nodes) =>
        nodes.filter((node) => node.getBoundingClientRect().height < 32).map((node) => node.textContent),
      )
    expect(small, 'everything can be hit with a thumb').toEqual([])
    expect(await chat.button('Approve').isDisabled(), 'the end of the request is not seen yet').toBe(true)
    await page.locator('.approval .end').scrollIntoViewIfNeeded()
    await chat.button('Approve').click()
    await chat.settled(5)
    await chat.say('make an itinerary')
    await chat.settled(6)
    expect(await chat.overflow()).toBe(0)
    await page.setViewportSize({ width: 320, height: 640 })
    const isWhole = await page.locator('.head h1').evaluate((name) => name.scrollWidth <= name.clientWidth)
    expect([await chat.overflow(), isWhole], 'the name is whole on the smallest phones').toEqual([0, true])
  })

  it('keeps the height of its cards however long the conversation is', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 375, height: 600 } }), url())
    for (let count = 1; count <= 3; count++) {
      await chat.say('find me flights to Corfu in August')
      await chat.settled(count)
    }
    const heights = await chat.page.locator('.flight').evaluateAll((nodes) => nodes.map((node) => node.clientHeight))
    expect(heights).toHaveLength(9)
    for (const height of heights) expect(height).toBeGreaterThan(60)
  })
})
