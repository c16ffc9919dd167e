import { describe, expect, it } from 'vitest'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { newBrowser } from '../support/browser.ts'
import { barriersOn } from '../support/axe.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'

const links = () => [{ label: 'Organiser', url: 'http://127.0.0.1:4748' }]
const url = exampleAgent({ ...travelAgent, links }, { BEACH_SCRIPT_MS: '2' })

const sizes = {
  desktop: { width: 1_280, height: 800 },
  phone: { width: 390, height: 844 },
} as const

/** Those that the README shows. */
const pictured: ReadonlySet<string> = new Set([
  'welcome-desktop-light',
  'flights-desktop-light',
  'approval-desktop-light',
  'research-desktop-dark',
  'files-desktop-dark',
  'question-phone-light',
  'flights-phone-dark',
  'approval-phone-light',
  'inbox-phone-light',
])

// The main states, in which no user must meet a barrier. `UPDATE_SCREENSHOTS=1` makes the pictures of the README of them.
describe.concurrent('the main states of the page', () => {
  it.for([
    ['desktop', 'light'],
    ['desktop', 'dark'],
    ['phone', 'light'],
    ['phone', 'dark'],
  ] as const)('can be used by every user on a %s in %s colours', async ([size, colorScheme], test) => {
    const chat = await ChatPage.open(
      await newBrowser(test, { viewport: sizes[size], colorScheme, reducedMotion: 'reduce' }),
      url(),
    )
    const { page } = chat
    const look = async (state: string) => {
      expect(await barriersOn(page), state).toEqual([])
      expect(await chat.overflow(), state).toBe(0)
      const name = `${state}-${size}-${colorScheme}`
      if (pictured.has(name)) await chat.screenshot(name)
    }
    await look('welcome')

    await chat.say('flights from London to Corfu in August')
    await chat.button('Gatwick').waitFor()
    await look('question')
    await chat.button('Gatwick').click()
    await chat.settled(1)
    await look('flights')

    await chat.button('Choose British Airways BA 2043').click()
    await chat.settled(2)
    await page.locator('#text').focus()
    await chat.say('book it')
    await chat.button('Approve').and(page.locator(':enabled')).waitFor()
    await look('approval')
    if (size === 'phone') {
      await page.setViewportSize({ width: 320, height: 640 })
      await page.locator('#text').fill('x'.repeat(20_005))
      await page.locator('.notice', { hasText: 'at most 20,000' }).waitFor()
      // A request gives way to the field: both can be used.
      for (const used of [page.locator('#text'), chat.button('Approve')]) {
        const { y = 0, height = Infinity } = (await used.boundingBox()) ?? {}
        expect(y + height).toBeLessThanOrEqual(640)
      }
      await page.locator('#text').fill('')
      await page.setViewportSize(sizes[size])
    }
    // All that waits for this user, on a page that needs no script.
    await page.goto(`${url()}/approvals`)
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await look('inbox')
    await page.goto(url())
    await chat.connected()
    await chat.button('Approve').and(page.locator(':enabled')).waitFor()
    await chat.button('Approve').click()
    await chat.settled(3)

    await chat.say('research Corfu')
    // Whichever step it is by the time that it is seen.
    await page.locator('.progress', { hasText: /[1-4] of 4/ }).waitFor()
    await look('research')
    await chat.settled(4)
    await chat.say('make an itinerary')
    await chat.settled(5)
    await page.getByRole('button', { name: /^Preview of/ }).click()
    await page.locator('.preview', { hasText: 'BA 2043' }).waitFor()
    await look('files')
    if (size === 'phone') {
      await chat.button('Menu').click()
      await look('menu')
    }
    expect(chat.errors).toEqual([])
  })
})
