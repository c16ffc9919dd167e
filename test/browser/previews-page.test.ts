import { describe, expect, it } from 'vitest'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'

const url = exampleAgent(travelAgent, { BEACH_SCRIPT_MS: '2' })

const sizes = { desktop: { width: 1_280, height: 800 }, phone: { width: 390, height: 844 } } as const
const names = [
  'Browser',
  'Peer agent',
  'MCP caller',
  'Email',
  'WhatsApp',
  'SMS',
  'Work chat',
  'AI SDK page',
  'OpenAI client',
]

describe.concurrent('what each channel gets', () => {
  it.for([
    ['desktop', 'light'],
    ['desktop', 'dark'],
    ['phone', 'light'],
  ] as const)('is shown side by side on a %s in %s colours', async ([size, colorScheme], test) => {
    const browser = await newBrowser(test, { viewport: sizes[size], colorScheme, reducedMotion: 'reduce' })
    const chat = await ChatPage.open(browser, url())
    const { page } = chat
    const look = async (state: string) => {
      expect(await barriersOn(page), state).toEqual([])
      expect(await chat.overflow(), state).toBe(0)
      await chat.picture(`${state}-${size}-${colorScheme}`)
    }
    await chat.say('flights from Gatwick to Corfu in August')
    await chat.settled(1)
    const head = chat.button('See what each channel gets')
    await head.focus()
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog', { name: 'What each channel gets' })
    const channel = (name: string) => sheet.getByRole('region', { name, exact: true })
    for (const name of names) await channel(name).waitFor()
    expect(await sheet.locator('section.channel > h3').allInnerTexts()).toEqual(
      names.map((name) => expect.stringContaining(name)),
    )
    // The mail is a page of its own, which has come with its styles and without a violation.
    const letter = channel('Email').frameLocator('iframe')
    await letter.getByText('BA 2043').first().waitFor()
    await channel('Email').getByText('A message from', { exact: false }).first().waitFor()
    await channel('Peer agent').getByText('llm-context, for its model').waitFor()
    expect(await channel('Peer agent').locator('mark').count()).toBeGreaterThan(0)
    expect(await channel('MCP caller').locator('mark').count()).toBe(0)
    expect(await channel('WhatsApp').locator('.bubble').first().innerText()).not.toBe('')
    expect(await channel('SMS').locator('.bubble').first().innerText()).toMatch(/segment/)
    await look('previews')
    if (size === 'desktop' && colorScheme === 'light') await chat.screenshot('previews-desktop-light')
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
    expect(await head.evaluate((button) => button === document.activeElement)).toBe(true)

    await chat.button('Choose British Airways BA 2043').click()
    await chat.settled(2)
    await page.locator('#text').focus()
    await chat.say('book it')
    await chat.button('Approve').and(page.locator(':enabled')).waitFor()
    const asked = page.getByRole('button', { name: 'See what each channel gets of this answer' }).last()
    await asked.focus()
    await page.keyboard.press('Enter')
    await channel('WhatsApp').locator('.choices', { hasText: 'Approve' }).waitFor()
    await channel('SMS').getByText('Reply YES ******').waitFor()
    await channel('Email').getByText('Approve: ', { exact: false }).first().waitFor()
    await look('previews-approval')
    // The recorder of these tests is a script, and cannot run in a mail either.
    expect(chat.errors.filter((error) => !/^Blocked script execution in '[^']+\/previews\/smtp\//.test(error))).toEqual(
      [],
    )
    expect((await chat.seen()).violations).toEqual([])
  })
})
