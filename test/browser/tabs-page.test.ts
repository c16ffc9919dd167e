import { describe, expect, it } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'
import { continueCall, oddAgent } from './odd-agent.ts'

const url = exampleAgent(oddAgent)

describe.concurrent('one conversation', () => {
  it('is live in seven tabs of a browser, and each of them can speak', async (test) => {
    const browser = await newBrowser(test)
    const first = await ChatPage.open(browser, url())
    const tabs = [first]
    // A browser opens no more than six connections of HTTP/1.1 to a server: streams would take all of them.
    while (tabs.length < 7) tabs.push(await ChatPage.open(browser, url()))
    await first.page.bringToFront()
    await first.page.locator('#text').focus()
    await first.say('held')
    await Promise.all(tabs.map((tab) => tab.speaking(100)))
    continueCall()
    await Promise.all(tabs.map((tab) => tab.settled(1)))
    const last = tabs.at(-1)
    await last?.page.bringToFront()
    await last?.page.locator('#text').focus()
    await last?.say('And from here?')
    await Promise.all(tabs.map((tab) => tab.settled(2)))
    const shown = await Promise.all(tabs.map((tab) => tab.parts()))
    for (const parts of shown) expect(parts).toEqual(shown[0])
    for (const tab of tabs)
      expect({ doubled: (await tab.seen()).doubled, errors: tab.errors }).toEqual({ doubled: [], errors: [] })
  })

  it('goes on on another device, by a link that works once and only when it is wanted', async (test) => {
    const first = await ChatPage.open(await newBrowser(test), url())
    await first.say('Begun here')
    await first.settled(1)
    await first.button('Continue on another device').click()
    const field = first.page.getByRole('textbox', { name: 'One-time link' })
    await field.waitFor()
    const link = await field.inputValue()
    expect(link).toMatch(new RegExp(`^${url()}/#join=.{20,}$`))

    const second = await ChatPage.open(await newBrowser(test), link)
    const sheet = second.page.getByRole('dialog', { name: 'Join a conversation' })
    await sheet.waitFor()
    expect(new URL(second.page.url()).hash, 'the code is not left in the address').toBe('')
    expect(await second.page.locator('.part').count(), 'nothing is joined yet').toBe(0)
    const join = sheet.getByRole('button', { name: 'Go on here' })
    await join.and(second.page.locator(':enabled')).waitFor()
    // A window that is not in front decides nothing, and one that comes back not at once.
    await second.page.evaluate(() => window.dispatchEvent(new Event('blur')))
    await join.and(second.page.locator(':disabled')).waitFor()
    await second.page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await sheet.getByRole('button', { name: 'Go on here' }).click()
    await second.settled(1)
    expect(await second.parts()).toEqual(await first.parts())
    await second.say('Continued there')
    await first.settled(2)
    expect(await first.page.locator('.response').last().innerText()).toBe('You said: Continued there')

    const third = await ChatPage.open(await newBrowser(test), url())
    // The link is followed in a page that is open already.
    await third.page.evaluate((hash) => void (location.hash = hash), new URL(link).hash)
    await third.button('Go on here').waitFor()
    expect(new URL(third.page.url()).hash, 'the code is not left in the address').toBe('')
    await third.button('Go on here').click()
    await third.page.locator('.notice.bad').waitFor()
    expect(await third.page.locator('#connection').innerText()).toBe('Not connected')
    expect(await third.page.locator('.part').count()).toBe(0)
    await third.page.locator('.notice').getByRole('button', { name: 'New conversation' }).click()
    await third.connected()
    await third.page.locator('#text').focus()
    await third.say('My own')
    await third.settled(1)
  })
})
