import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import { printedMailbox } from '../support/local-cookie.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'

const url = exampleAgent(travelAgent, { BEACH_SCRIPT_MS: '2' })

/** A page of the local stand-ins, with what it has complained of. */
async function opened(browser: BrowserContext, place: string): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage()
  page.setDefaultTimeout(45_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
  await page.goto(printedMailbox(url.printed()).replace('mailbox', place))
  expect(page.url()).toBe(`${url()}/local/${place}`)
  return { page, errors }
}

/** Those that the README shows. */
const pictured: ReadonlySet<string> = new Set([
  'mailbox-desktop-light',
  'phone-desktop-light',
  'work-chat-desktop-light',
])

/** Saves a picture for the README, when it is to be made anew, or in the folder that SCREENSHOTS names, if it names one. */
async function picture(page: Page, name: string): Promise<void> {
  const isForReadme = process.env.UPDATE_SCREENSHOTS === '1' && pictured.has(name)
  const folder = isForReadme
    ? fileURLToPath(new URL('../../docs/screenshots', import.meta.url))
    : process.env.SCREENSHOTS
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) })
}

describe('without any account', () => {
  it('what the chat asks is approved by mail, the chat goes on, and the phone is told that it is decided', async (test) => {
    const browser = await newBrowser(test, { viewport: { width: 1_280, height: 800 } })
    const chat = await ChatPage.open(browser, url())
    const nearby = chat.page.getByRole('navigation', { name: 'On this machine' })
    const links = nearby.getByRole('link')
    // A browser that has not opened the printed link is told where to find it.
    await nearby.getByText('link in terminal').last().waitFor()
    expect(await links.count()).toBe(0)
    expect(await barriersOn(chat.page)).toEqual([])
    const early = await opened(browser, 'mailbox')
    await early.page.close()
    await links.nth(1).waitFor()
    expect(await links.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('href')))).toEqual([
      '/local/mailbox',
      '/local/phone',
      '/local/chat',
    ])
    await chat.say('add BA 2043')
    await chat.settled(1)
    await chat.page.locator('#text').focus()
    await chat.say('book it')
    await chat.page.locator('.dock .approval').waitFor()
    // The question, in each place, and nothing of the conversation before it.
    await links.filter({ hasText: /Mailbox\s*1 new/ }).waitFor()
    await links.filter({ hasText: /Phone\s*1 new/ }).waitFor()
    await picture(chat.page, 'chat-desktop-light')

    const mailbox = await opened(browser, 'mailbox')
    await mailbox.page.getByRole('button', { name: /Approve: Book BA 2043/ }).click()
    const letter = mailbox.page.frameLocator('iframe')
    await letter.getByText('£374.00').first().waitFor()
    expect(await barriersOn(mailbox.page)).toEqual([])
    await picture(mailbox.page, 'mailbox-desktop-light')

    const phone = await opened(browser, 'phone')
    const question = phone.page.locator('.bubble', { hasText: 'Book BA 2043' })
    await question.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    expect(await barriersOn(phone.page)).toEqual([])

    await mailbox.page.getByLabel('Reply to Sally').fill('approve')
    await mailbox.page.getByRole('button', { name: 'Send' }).click()
    await chat.settled(2)
    expect(await chat.page.locator('.record').innerText()).toMatch(/^Book BA 2043 .*: approved by mail, \d\d:\d\d\.$/)
    expect(await chat.page.locator('.booked').innerText()).toContain('£374.00')

    await question.getByRole('button', { name: 'Deny' }).click()
    await phone.page.locator('.bubble', { hasText: 'This has already been decided.' }).waitFor()
    await picture(phone.page, 'phone-desktop-light')

    // The confirmation comes to the desk too.
    const [reference = 'none'] = /ET-\w+/.exec(await chat.page.locator('.booked').innerText()) ?? []
    await mailbox.page.getByRole('button', { name: new RegExp(reference) }).waitFor()
    await phone.page.locator('.bubble', { hasText: reference }).waitFor()
    expect([...chat.errors, ...mailbox.errors, ...phone.errors, ...(await chat.seen()).violations]).toEqual([])
  })

  it('the page that the mail links to decides as well', async (test) => {
    const browser = await newBrowser(test, { viewport: { width: 1_280, height: 800 } })
    const chat = await ChatPage.open(browser, url())
    await chat.say('add BA 2043')
    await chat.settled(1)
    await chat.page.locator('#text').focus()
    await chat.say('book it')
    await chat.page.locator('.dock .approval').waitFor()
    const { page } = await opened(browser, 'mailbox')
    await page.getByRole('button', { name: /New: .*Approve: Book/ }).click()
    const link = page.frameLocator('iframe').getByRole('link', { name: 'Decide on a page' })
    await link.waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    const mail = page.frameLocator('iframe').locator('html')
    expect(await mail.evaluate((html) => html.scrollWidth - html.clientWidth)).toBe(0)
    const [decision] = await Promise.all([browser.waitForEvent('page'), link.click()])
    expect(await barriersOn(decision)).toEqual([])
    await decision.emulateMedia({ colorScheme: 'dark' })
    expect(await barriersOn(decision)).toEqual([])
    await decision.getByRole('button', { name: 'Deny' }).click()
    await decision.getByText('Your decision counts.').waitFor()
    expect(await barriersOn(decision)).toEqual([])
    await chat.settled(2)
    expect(await chat.page.locator('.response').last().innerText()).toMatch(/^I have not booked it\./)
  })

  it('a conversation begins by mail, and its itinerary comes as files', async (test) => {
    const browser = await newBrowser(test, { viewport: { width: 390, height: 844 } })
    const { page, errors } = await opened(browser, 'mailbox')
    const write = async (text: string) => {
      await page.getByLabel(/^(?:Message|Reply to Sally)$/).fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
    }
    await page.getByRole('button', { name: /^Anna/ }).click()
    await page.getByRole('button', { name: 'Write to Sally' }).click()
    await page.getByLabel('Subject').fill('Our holiday')
    await write('add BA 2043')
    await page.getByRole('button', { name: /^To Sally\b(?!\+).*Our holiday/ }).waitFor()
    await page.getByRole('button', { name: /^Sally.*New: Re: Our holiday.*374/ }).click()
    await page.frameLocator('iframe').getByText('£374.00').first().waitFor()
    expect(await barriersOn(page)).toEqual([])
    await picture(page, 'mailbox-phone-light')
    await write('make an itinerary')
    await page
      .getByRole('button', { name: /itinerary/ })
      .and(page.locator('.new'))
      .click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('list', { name: 'Files' }).getByRole('link', { name: /\.ics/ }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^itinerary-.*\.ics$/)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    expect(errors).toEqual([])
  })

  it('a conversation begins on a phone: buttons and lists on WhatsApp, a code by SMS', async (test) => {
    const browser = await newBrowser(test, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
    const { page, errors } = await opened(browser, 'phone')
    const say = async (text: string) => {
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.keyboard.press('Enter')
    }
    await page.getByRole('button', { name: /^Anna/ }).click()
    await say('flights from London to Rome')
    await page.getByRole('button', { name: 'Gatwick' }).click()
    // The flights, each with a row to tap; what is tapped is in the basket.
    await page.getByRole('button', { name: 'Choose' }).click()
    await page.locator('.rows').getByRole('button', { name: /^2\./ }).click()
    await page.locator('.bubble', { hasText: 'Your basket' }).waitFor()
    await say('fly me somewhere')
    await page.locator('.bubble.mine', { hasText: 'somewhere' }).waitFor()
    await page.locator('.bubble').last().getByRole('button', { name: 'Choose' }).click()
    await page.locator('.rows').getByRole('button', { name: 'Corfu' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await picture(page, 'phone-phone-dark')
    await page.locator('.rows').getByRole('button', { name: 'Corfu' }).click()
    await page.locator('.bubble', { hasText: 'options to Corfu' }).waitFor()

    await page.getByRole('button', { name: 'SMS' }).click()
    await say('flights from London Gatwick to Corfu')
    await page.locator('.bubble', { hasText: 'Reply with a number to choose.' }).waitFor()
    await say('the second')
    await page.locator('.bubble', { hasText: 'Your basket' }).waitFor()
    await say('book it')
    const asked = await page.locator('.bubble', { hasText: 'Reply YES' }).innerText()
    await say(/YES \d{6}/.exec(asked)?.[0] ?? '')
    await page.locator('.bubble', { hasText: 'ET-' }).waitFor()
    await picture(page, 'sms-phone-dark')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    expect(errors).toEqual([])
  })

  it('a thread of the work chat has buttons, and only its approvers decide; the copies say who it was', async (test) => {
    const browser = await newBrowser(test, { viewport: { width: 1_280, height: 800 } })
    const { page, errors } = await opened(browser, 'chat')
    const say = async (text: string) => {
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.keyboard.press('Enter')
    }
    const said = (text: string) => page.locator('.chat-said', { hasText: text })
    await page.getByRole('button', { name: /^Anna/ }).click()
    await say('@Sally add BA 2043')
    await said('Your basket').waitFor()
    await page.getByRole('button', { name: 'Reply in thread' }).click()
    await say('book it')
    const question = said('Book BA 2043')
    await question.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    // The desk may decide too, and is in the same channel.
    await page.getByRole('button', { name: /^Booking desk/ }).click()
    await question.getByRole('button', { name: 'Approve' }).click()
    await said('Approved by Booking desk').waitFor()
    expect(await question.getByRole('button').count()).toBe(0)
    await said('ET-').first().waitFor()
    await picture(page, 'work-chat-desktop-light')
    await page.setViewportSize({ width: 320, height: 640 })
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await barriersOn(page)).toEqual([])
    await picture(page, 'work-chat-phone-dark')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    expect(errors).toEqual([])
  })
})
