import { describe, expect, it } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { frailConnection } from '../support/frail-connection.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'
import { oddAgent } from './odd-agent.ts'

const url = exampleAgent(oddAgent)

describe.concurrent('the chat page', () => {
  it('says what went wrong without its insides, and tries again', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    await chat.say('fail')
    const fault = page.getByRole('group', { name: 'Error' })
    await fault.waitFor()
    expect(await fault.innerText()).not.toMatch(/hunter2|10\.0\.0\.1/)
    await fault.getByRole('button', { name: 'Try again' }).click()
    await chat.settled(1)
    expect(await chat.response()).toBe('It works now.')
    expect(await page.locator('.mine').allInnerTexts()).toEqual(['fail', 'fail'])
    expect(await fault.getByRole('button').count(), 'what is past needs no way out').toBe(0)
  })

  it('keeps a message that was refused, says why, and sends it again when it is asked to', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    const refusal = { status: 409, json: { error: { code: 'SESSION_FULL', message: 'This session is full.' } } }
    await page.route('**/messages', (route) => route.fulfill(refusal), { times: 2 })
    await chat.say('Hello?')
    const failed = page.locator('.delivery.failed')
    await failed.waitFor()
    expect(await failed.innerText()).toContain('This session is full.')
    expect(await failed.getByRole('button', { name: 'New conversation' }).isVisible()).toBe(true)
    await chat.say('Nobody hears this')
    await failed.nth(1).getByRole('button', { name: 'Discard' }).click()
    await failed.getByRole('button', { name: 'Try again' }).click()
    await chat.settled(1)
    expect(await page.locator('.mine').allInnerTexts()).toEqual(['Hello?'])
  })

  it('sends what was sent before there was a session, once there is one', async (test) => {
    const context = await newBrowser(test)
    const page = await context.newPage()
    const opening = Promise.withResolvers<void>()
    await page.route('**/sessions', async (route) => {
      if (route.request().method() === 'POST') await opening.promise
      await route.continue()
    })
    await page.goto(url())
    const field = page.getByRole('textbox', { name: 'Your message' })
    await field.fill('Hello')
    await field.press('Enter')
    expect(await field.inputValue(), 'nothing is lost').toBe('Hello')
    opening.resolve()
    await page.locator('.mine').waitFor()
    expect(await page.locator('.mine').allInnerTexts()).toEqual(['Hello'])
    expect(await field.inputValue()).toBe('')
  })

  it('offers answers to a question, and takes any other', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    const replies = page.getByRole('group', { name: 'Quick replies' })
    await chat.say('choices')
    await replies.getByRole('button', { name: 'Thorough' }).click()
    await chat.settled(1)
    expect(await chat.response()).toBe('You said: Thorough')
    expect(await replies.count(), 'what is answered is not offered any more').toBe(0)
    await chat.say('choices')
    await replies.waitFor()
    await chat.say('something else')
    await chat.settled(2)
    expect(await page.locator('.response').last().innerText()).toBe('You said: something else')
  })

  it('shows surfaces, and sends what is pressed on them', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    await chat.say('form')
    await chat.page.getByRole('group', { name: 'Made by Odd' }).getByRole('button', { name: 'Large' }).click()
    await chat.settled(2)
    expect(await chat.page.locator('.response').last().innerText()).toMatch(/^You said: .*choose_size|Large/)
    expect([...chat.errors, ...(await chat.seen()).violations]).toEqual([])
  })

  it('leaves a user alone who reads further up, and leads back', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 800, height: 500 } }), url())
    const { page } = chat
    const area = page.locator('#conversation')
    const below = () => area.evaluate((node) => node.scrollHeight - node.clientHeight - node.scrollTop)
    await chat.say('long')
    await page.waitForFunction(() => {
      const node = document.querySelector('#conversation')
      return node !== null && node.scrollHeight > 1.5 * node.clientHeight
    })
    await test.expect.poll(below, { message: 'it follows', timeout: 10_000 }).toBeLessThan(2)
    await area.hover()
    await page.mouse.wheel(0, -250)
    const latest = chat.button('To the latest')
    await latest.waitFor()
    const place = await area.evaluate((node) => node.scrollTop)
    await chat.settled(1)
    expect(await area.evaluate((node) => node.scrollTop)).toBe(place)
    await latest.click()
    await latest.waitFor({ state: 'detached' })
    await page.waitForFunction(() => {
      const node = document.querySelector('#conversation')
      return node !== null && node.scrollHeight - node.clientHeight - node.scrollTop < 2
    })
  })

  it('tells a screen reader each answer once, when it is complete', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    await page.evaluate(() => {
      const reported: string[] = []
      Object.assign(globalThis, { reported })
      const region = document.querySelector('[role=status].hidden')
      new MutationObserver(() => reported.push(region?.textContent ?? '')).observe(region ?? document, {
        childList: true,
        characterData: true,
        subtree: true,
      })
    })
    await chat.say('Hello')
    await chat.settled(1)
    await chat.say('prose')
    await chat.settled(2)
    const reported = await page.waitForFunction(() => {
      const received = (globalThis as unknown as { reported: string[] }).reported
      return received.length >= 2 && received
    })
    expect(await reported.jsonValue()).toEqual([
      'Odd: You said: Hello',
      'Odd: Title Some words and code : 1. one 2. two a b 1 2 js run()',
    ])
    expect(await page.locator('main [aria-live], main[aria-live]').count()).toBe(0)
  })

  it('remembers conversations, goes back to them, and begins new ones', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { page } = chat
    await chat.say('The first one')
    await chat.settled(1)
    const first = await chat.session()
    await page.keyboard.press('Alt+n')
    await page.locator('.welcome').waitFor()
    await chat.connected()
    await chat.button('New conversation').first().click()
    const second = await chat.session()
    expect(second, 'a new one that has not begun is not left for another').not.toBe(first)
    await page.locator('#text').focus()
    await chat.say('The second one')
    await chat.settled(1)
    expect(await chat.session()).toBe(second)
    await chat.button('The first one').click()
    await page.locator('.response', { hasText: 'You said: The first one' }).waitFor()
    await page.reload()
    await page.locator('.response', { hasText: 'You said: The first one' }).waitFor()
    await chat.button('The first one').hover()
    await page.getByRole('button', { name: 'Remove “The first one” from this list' }).click()
    await page.locator('.welcome').waitFor()
    expect(await page.locator('.entries .row').allInnerTexts()).toEqual(['The second one'])
    expect(chat.errors).toEqual([])
  })

  it('keeps what was written and not sent, and the colours that were chosen', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test, { colorScheme: 'light' }), url())
    const { page } = chat
    await page.keyboard.type('Half a thou')
    await chat.button('Colours: as the system').click()
    await chat.button('Colours: light').click()
    const dark = await chat.colour('body', 'backgroundColor')
    await page.reload()
    await chat.connected()
    expect(await page.locator('#text').inputValue()).toBe('Half a thou')
    expect(await chat.colour('body', 'backgroundColor')).toBe(dark)
    await chat.button('Colours: dark').click()
    expect(await chat.colour('body', 'backgroundColor')).not.toBe(dark)
  })

  it('says that it is offline, and is back by itself', async (test) => {
    const browser = await newBrowser(test)
    const connection = await frailConnection(test, Number(new URL(url()).port))
    const chat = await ChatPage.open(browser, connection.url)
    const { page } = chat
    await browser.setOffline(true)
    // Before the connection is known to be gone too.
    await page.locator('#connection', { hasText: 'Offline' }).waitFor()
    connection.cut()
    await page.locator('.notice', { hasText: /You are offline\. What you write is sent when it is back\./ }).waitFor()
    await chat.say('Are you there?')
    await page.locator('.delivery', { hasText: 'Waiting for the connection' }).waitFor()
    await browser.setOffline(false)
    await chat.settled(1)
    await chat.connected()
    expect(await page.locator('.notice').count()).toBe(0)
    expect((await chat.seen()).doubled).toEqual([])
  })
})
