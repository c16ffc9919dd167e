import { expect, test } from 'vitest'
import { ChatPage } from '../browser/chat-page.ts'
import { until } from '../email/email-context.ts'
import { newBrowser } from '../support/browser.ts'
import { storyContext } from './story-context.ts'

test(
  'asked in the browser, approved by mail, too late on WhatsApp, confirmed in the browser, and the itinerary by mail: killed after each step, nothing is lost and nothing comes twice',
  { timeout: 180_000 },
  async (context) => {
    const { server, mailbox, whatsApp, desk } = await storyContext(context)
    const chat = await ChatPage.open(await newBrowser(context), server.url)
    const { page } = chat
    const say = async (text: string) => {
      await page.locator('#text').focus()
      await chat.say(text)
    }
    /** Ends the process as a crash would, and starts the next one on the same data; `meanwhile` runs while no process is there. */
    const killed = async (meanwhile: () => Promise<void> = async () => {}) => {
      await server.kill9()
      await chat.disconnected()
      await meanwhile()
      await server.start()
      await chat.wake()
      await chat.connected()
    }

    // Asked in the browser.
    await say('add BA 2043')
    await chat.settled(1)
    await killed()

    // The approval is requested in the page, by mail and on WhatsApp, which takes it without the agent learning so.
    whatsApp.server.failNext({ kind: 'lost' })
    await say('book it')
    await page.locator('.dock .approval').waitFor()
    await until(() => desk.mails().length === 1 && desk.messages().length === 1)
    const request = desk.mails().at(-1)
    const question = desk.messages().at(-1)
    if (request === undefined || question === undefined) throw new Error('No person was asked.')
    expect(request.email.subject).toMatch(/^Approve: Book BA 2043 London Gatwick to Corfu, .*, £374\.00\?$/)
    expect(request.email.text).toContain('£374.00')
    expect([question.type, question.text]).toEqual(['template', expect.stringContaining('£374.00')])

    // It is approved by mail while no process is there to read it, and the process ends again once it has been read.
    await killed(() => desk.answer(request, 'yes'))
    await until(() => mailbox.flags().some((flags) => flags.includes('\\Seen')))
    await killed()

    // The browser shows the confirmation, and the desk gets it.
    await chat.settled(2)
    const booked = await page.locator('.booked').innerText()
    const [reference = 'no reference'] = /ET-\w+/.exec(booked) ?? []
    expect(booked).toContain('£374.00')
    expect(await page.locator('.record').innerText()).toMatch(/^Book BA 2043 .*: approved by mail, \d\d:\d\d\.$/)
    expect(await page.locator('.dock .approval').count()).toBe(0)
    await until(() => desk.mails().length === 2 && desk.messages().length === 2)
    await killed()

    // The buttons on WhatsApp are too late, each of them.
    for (const [count, title] of [
      [3, 'Deny'],
      [4, 'Approve'],
    ] as const) {
      await desk.tap(question, title)
      await until(() => desk.messages().length === count)
      await killed()
    }

    // The itinerary arrives.
    await say('make an itinerary')
    await chat.settled(3)
    await until(() => desk.mails().length === 3 && desk.messages().length === 7)
    await killed()

    // Whatever came late or twice would be there before the answer to this.
    await say('what is in my basket?')
    await chat.settled(4)
    await until(() => desk.mails().length === 4 && desk.messages().length === 8)

    const mails = desk.mails().map(({ email }) => email)
    // Of what was only talked about before the request, the desk has heard nothing.
    expect(mails.map(({ text = '' }) => text.trim().split('\n')[0])).toEqual([
      expect.stringContaining('Book BA 2043'),
      expect.stringContaining(reference),
      expect.stringContaining('itinerary'),
      expect.stringContaining('empty'),
    ])
    expect(mails.map(({ attachments }) => attachments.map(({ filename }) => filename?.split('.')[1]))).toEqual([
      [],
      [],
      ['html', 'ics'],
      [],
    ])
    // What is attached is, byte for byte, what the page offers.
    const link = await page.getByRole('link', { name: /^Download .*\.ics$/ }).getAttribute('href')
    const calendar = Buffer.from(await (await fetch(new URL(link ?? '', server.url))).arrayBuffer())
    expect(calendar.toString()).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*BA 2043[\s\S]*END:VCALENDAR\r\n$/)
    expect(desk.mails()[2]?.raw.replaceAll(/\s/g, '')).toContain(calendar.toString('base64'))

    const messages = desk.messages()
    expect(messages.map(({ text }) => text)).toEqual([
      expect.stringContaining('Book BA 2043'),
      expect.stringContaining(reference),
      expect.stringMatching(/^This has already been decided\. This was approved by mail, .* UTC\.$/),
      expect.stringMatching(/^This has already been decided\. This was approved by mail, .* UTC\.$/),
      expect.stringContaining('itinerary'),
      expect.stringContaining('.html'),
      expect.stringContaining('.ics'),
      expect.stringContaining('empty'),
    ])
    expect(messages.slice(2, 4).map(({ replyTo }) => replyTo)).toEqual([question.id, question.id])
    const shown = [
      ['user', 'ack', 'response', 'domain-data package'],
      ['user', 'ack', 'record', 'response', 'domain-data booking'],
      ['user', 'ack', 'response', 'artifact card', 'artifact card'],
      ['user', 'response'],
    ]
    expect((await chat.parts()).map(({ kind }) => kind)).toEqual(shown.flat())
  },
)
