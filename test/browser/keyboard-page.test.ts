import { expect, test } from 'vitest'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'

const url = exampleAgent(travelAgent, { BEACH_SCRIPT_MS: '2' })

test('a journey is found, chosen, booked and approved with the keyboard alone', async (context) => {
  const chat = await ChatPage.open(await newBrowser(context, { viewport: { width: 1_280, height: 800 } }), url())
  const { page } = chat
  const { keyboard } = page
  const focused = () =>
    page.evaluate(() => {
      const node = document.activeElement
      return node?.getAttribute('aria-label') ?? (node?.id || node?.textContent)
    })
  /** Presses a key until something has the focus; everything with the focus must be seen to have it. */
  const reach = async (name: string, key: string) => {
    const passed: unknown[] = []
    while ((await focused()) !== name) {
      passed.push(await focused())
      if (passed.length > 60) throw new Error(`${name} cannot be reached by ${key}: ${passed.join(', ')}`)
      await keyboard.press(key)
      const marked = await page.evaluate(() => {
        const node = document.activeElement
        if (node === null || node === document.body) return true
        const { outlineStyle } = getComputedStyle(node)
        return outlineStyle !== 'none' || node.closest('.compose') !== null
      })
      expect(marked, `the focus can be seen on ${String(await focused())}`).toBe(true)
    }
  }

  // The first thing on the page leads past everything else.
  expect(await page.locator('a, button, textarea').first().innerText()).toBe('Skip to the message field')
  await reach('Skip to the message field', 'Shift+Tab')
  await keyboard.press('Enter')
  expect(await focused()).toBe('text')

  await keyboard.type('find me flights from London to Corfu in August')
  await keyboard.press('Enter')
  await page.getByRole('group', { name: 'Quick replies' }).waitFor()
  await reach('Gatwick', 'Shift+Tab')
  await keyboard.press('Enter')
  expect(await focused(), 'the focus is where one goes on').toBe('text')
  await chat.settled(1)

  await reach('Departure', 'Shift+Tab')
  await keyboard.press('Space')
  expect(await page.locator('.flight .carrier .minor').allInnerTexts()).toEqual(['EJ4521', 'BA 2043', 'A3 601'])
  await reach('Choose British Airways BA 2043', 'Tab')
  await keyboard.press('Enter')
  await chat.settled(2)
  await chat.say('book it')
  await page.locator('.approval').waitFor()
  expect(await focused(), 'a decision does not take the focus from a user who types').toBe('text')
  await chat.button('Approve').and(page.locator(':enabled')).waitFor()
  await reach('Deny', 'Shift+Tab')
  await reach('Approve', 'Tab')
  await keyboard.press('Enter')
  await chat.settled(3)
  expect(await focused()).toBe('text')
  expect(await page.locator('.booked').innerText()).toContain('ET-')

  // Dialogs keep the focus, and give it back.
  await reach('Keyboard', 'Shift+Tab')
  await keyboard.press('Enter')
  const sheet = page.getByRole('dialog', { name: 'Keyboard' })
  await sheet.waitFor()
  for (let count = 0; count < 4; count++) {
    await keyboard.press('Tab')
    expect(
      await sheet.evaluate((node) => node.contains(document.activeElement) || document.activeElement === document.body),
    ).toBe(true)
  }
  await keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  expect(await focused()).toBe('Keyboard')

  // Escape stops what runs, wherever the focus is.
  await page.locator('#text').focus()
  await chat.say('research Corfu')
  await page.locator('.progress').waitFor()
  await keyboard.press('Escape')
  await page.locator('.stopped').waitFor()
  await chat.idle()
  expect(chat.errors).toEqual([])
})
