import { describe, expect, it } from 'vitest'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'

const url = exampleAgent(travelAgent, { BEACH_SCRIPT_MS: '0' })

describe('a surface of the travel agent on the page', () => {
  it('takes what the user sets on it, and its button puts that into the basket, once', async (test) => {
    const browser = await newBrowser(test, { viewport: { width: 1_280, height: 1_000 } })
    const chat = await ChatPage.open(browser, url())
    const { page } = chat
    await chat.say('research Corfu')
    await chat.settled(1)
    const surface = page.locator('.surface')
    const add = surface.getByRole('button', { name: /^Add: / }).first()
    await add.waitFor()
    await add.scrollIntoViewIfNeeded()
    await chat.picture('activities')
    const day = surface.locator('input[type=date]')
    await day.fill('2026-08-20')
    await day.press('Tab')
    await add.dblclick()
    await chat.settled(2)
    const basket = page.getByRole('complementary', { name: 'Basket' })
    await basket.waitFor()
    await chat.picture('activity-added')
    expect(await basket.innerText()).toMatch(/20 Aug/)
    expect(await page.locator('.response').count(), 'a double click is one message').toBe(2)
    expect(chat.errors).toEqual([])
  })
})
