import { describe, expect, it } from 'vitest'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'
import { oddAgent } from './odd-agent.ts'

const url = exampleAgent(oddAgent)

describe.concurrent('the chat page', () => {
  it('says that a text is too long, and loses nothing of it', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    const field = page.getByRole('textbox', { name: 'Your message' })
    const long = 'word '.repeat(4_000)
    await field.fill(`${long}end`)
    await page
      .getByRole('alert')
      .filter({ hasText: 'This message has 20,003 characters, and at most 20,000' })
      .waitFor()
    expect(await chat.button('Send').isDisabled()).toBe(true)
    await field.press('Enter')
    await page.reload()
    await chat.connected()
    expect(await field.inputValue()).toBe(`${long}end`)
    await page.getByRole('alert').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await field.fill(long)
    await field.press('Enter')
    await chat.settled(1)
    expect((await page.locator('.mine').innerText()).length, 'all of it was sent').toBe(long.trim().length)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('offers no second attempt at what fails again', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    await chat.say('refused')
    const fault = chat.page.getByRole('group', { name: 'Error' })
    await fault.getByRole('button', { name: 'New conversation' }).waitFor()
    expect(await fault.innerText()).toContain('The provider refused the key.')
    expect(await fault.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })

  it('shows once that something is under way, offline too', async (test) => {
    const browser = await newBrowser(test)
    const chat = await ChatPage.open(browser, url())
    const { page } = chat
    await chat.say('stays')
    await page.locator('.dots').waitFor()
    await page.route('**/messages', (route) => route.abort())
    await chat.say('And this?')
    await page.locator('.delivery', { hasText: 'Waiting for the connection' }).waitFor()
    expect(await page.locator('.dots').count()).toBe(1)
  })

  it('says that a link is for this computer only, and shows any other as a QR code', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    await chat.button('Continue on another device').click()
    const sheet = page.getByRole('dialog', { name: 'Continue on another device' })
    await sheet.getByText('This link works on this computer only').waitFor()
    expect(await sheet.getByRole('img', { name: /QR code/ }).count()).toBe(0)
    expect(await barriersOn(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Close' }).click()
    const link = { url: 'https://agent.example/#join=abc', code: 'abc', expiresAt: Date.now() + 600_000 }
    await page.route('**/links', (route) => route.fulfill({ status: 201, json: link }))
    await chat.button('Continue on another device').click()
    await sheet.getByRole('img', { name: /QR code/ }).waitFor()
    expect(await sheet.getByText('This link works on this computer only').count()).toBe(0)
    expect(await barriersOn(page)).toEqual([])
    expect(chat.errors).toEqual([])
  })

  it('opens from the menu of a phone what lies over the page', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 320, height: 640 } }), url())
    const { page } = chat
    for (const name of ['Continue on another device', 'Keyboard']) {
      await chat.button('Menu').click()
      await page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name }).click()
      const sheet = page.getByRole('dialog', { name })
      await sheet.getByRole('heading', { name }).waitFor()
      await page.getByRole('dialog', { name: 'Menu' }).waitFor({ state: 'hidden' })
      expect(await barriersOn(page), name).toEqual([])
      expect(await sheet.isVisible(), name).toBe(true)
      expect(await chat.overflow()).toBe(0)
      await sheet.getByRole('button', { name: 'Close' }).click()
    }
  })

  it('asks before it follows a link, without a barrier', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), `${url()}/#join=abc`)
    await chat.page.getByRole('dialog', { name: 'Join a conversation' }).waitFor()
    expect(await barriersOn(chat.page)).toEqual([])
  })

  it('leads to all that waits for the user, and back', async (test) => {
    const browser = await newBrowser(test)
    const chat = await ChatPage.open(browser, url())
    const { page } = chat
    await page.goto(`${url()}/approvals`)
    await page.getByText('Nothing waits for your decision.').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.goto(url())
    await chat.connected()
    await page.locator('#text').focus()
    await chat.say('pay')
    await page.locator('.dock .approval').waitFor()
    const link = page
      .getByRole('complementary', { name: 'Agents and conversations' })
      .getByRole('link', { name: /^Approvals/ })
    await link.filter({ hasText: /1\s*waiting/ }).click()
    await page.getByRole('heading', { name: 'One decision waits for you' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await barriersOn(page)).toEqual([])
    expect(await chat.overflow()).toBe(0)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Denied.').waitFor()
    await page.getByRole('link', { name: 'Odd' }).click()
    await page.locator('.record', { hasText: 'denied on a page' }).waitFor()
  })
})
