import { describe, expect, it } from 'vitest'
import { answerTo, helloActor } from '../../examples/hello/hello-actor.ts'
import { newBrowser } from '../support/browser.ts'
import { contrast, luminance } from '../support/colour.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'
import { expectGrowth, story } from './hello-story.ts'

const url = exampleAgent({ agent: { id: 'hello', name: 'Hello' }, make: () => ({ actors: { hello: helloActor } }) })

describe.concurrent('the chat page', () => {
  it('shows a message, what the actor does, and its answer word by word', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    await chat.picture('light-1-empty')
    await chat.say('What is this?')
    await chat.speaking(0)
    expect(await chat.page.locator('#stop').isVisible()).toBe(true)
    await chat.speaking(200)
    await chat.picture('light-2-speaking')
    await chat.settled()
    await chat.picture('light-3-settled')

    expect(await chat.parts()).toEqual(story('What is this?'))
    expect(await chat.page.locator('#stop').isVisible()).toBe(false)
    const { stages, responses, doubled, violations } = await chat.seen()
    // The message may come back together with the first thing that is said to it.
    expect(stages.filter((stage) => stage !== 'user')).toEqual([
      'user pending',
      'user, ack',
      'user, ack, thinking',
      'user, ack, thinking, response open',
      'user, ack, thinking, response',
    ])
    const words = answerTo('What is this?').split(' ').length
    expectGrowth(responses, answerTo('What is this?'))
    // Nothing promises one frame for each word, but an answer that came in a few lumps would be far off.
    expect(responses.length).toBeGreaterThan(words / 2)
    expect({ doubled, violations, errors: chat.errors }).toEqual({ doubled: [], violations: [], errors: [] })
  })

  it('goes on where it was when it is reloaded in mid-answer', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    await chat.say('Will you go on?')
    await chat.speaking(60)
    const before = await chat.response()
    await chat.page.reload()
    await chat.speaking(0)
    await chat.settled()

    expect(await chat.parts()).toEqual(story('Will you go on?'))
    const { responses, doubled } = await chat.seen()
    expect(responses[0]?.startsWith(before), 'the first thing shown again holds all that was shown before').toBe(true)
    expect(responses.length, 'the answer went on flowing').toBeGreaterThan(5)
    expectGrowth(responses, answerTo('Will you go on?'))
    expect(doubled).toEqual([])
    expect(chat.errors).toEqual([])
  })

  it('hides each conversation from every other browser', async (test) => {
    const one = await ChatPage.open(await newBrowser(test), url())
    const other = await ChatPage.open(await newBrowser(test), url())
    await one.say('This is mine.')
    await other.say('And this is not.')
    await Promise.all([one.settled(), other.settled()])

    expect(await one.parts()).toEqual(story('This is mine.'))
    expect(await other.parts()).toEqual(story('And this is not.'))
    const session = await one.session()
    expect(session).not.toBe(await other.session())
    const status = async ({ page }: ChatPage, path: string, method: string) =>
      page.evaluate(
        async ([address, verb]) => {
          const stop = new AbortController()
          const json = verb === 'POST' && {
            body: JSON.stringify(address.endsWith('messages') ? { text: 'Not yours' } : {}),
            headers: { 'content-type': 'application/json' },
          }
          const response = await fetch(address, { method: verb, signal: stop.signal, ...json })
          stop.abort()
          return response.status
        },
        [`/sessions/${session}/${path}`, method] as const,
      )
    expect(await status(one, 'events', 'GET')).toBe(200)
    expect(await status(other, 'events', 'GET')).toBe(404)
    expect(await status(other, 'messages', 'POST')).toBe(404)
    expect(await status(other, 'cancel', 'POST')).toBe(404)
    expect(await one.parts()).toEqual(story('This is mine.'))
  })

  it('shows one conversation live in all tabs of a browser', async (test) => {
    const context = await newBrowser(test)
    const one = await ChatPage.open(context, url())
    const other = await ChatPage.open(context, url())
    await one.say('Do both tabs hear this?')
    await Promise.all([one.speaking(0), other.speaking(0)])
    const late = await ChatPage.open(context, url())
    await late.speaking(0)
    await Promise.all([one.settled(), other.settled(), late.settled()])

    for (const tab of [one, other, late]) {
      expect(await tab.parts()).toEqual(story('Do both tabs hear this?'))
      const { responses, doubled } = await tab.seen()
      expectGrowth(responses, answerTo('Do both tabs hear this?'))
      expect({ doubled, errors: tab.errors }).toEqual({ doubled: [], errors: [] })
    }
  })

  it('stops an answer, keeps what was said, and answers the next message', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    await chat.say('Talk until I stop you.')
    await chat.speaking(100)
    const before = await chat.response()
    await chat.page.getByRole('button', { name: 'Stop', exact: true }).click()
    await chat.settled()
    await chat.picture('light-4-stopped')

    const stopped = (await chat.parts()).at(-1)
    expect(stopped?.kind).toBe('response truncated')
    const whole = answerTo('Talk until I stop you.')
    expect(stopped?.text.startsWith(before)).toBe(true)
    expect(whole.startsWith(stopped?.text ?? '-')).toBe(true)
    expect(stopped?.text.length).toBeLessThan(whole.length)
    expect(await chat.page.locator('.answer').innerText()).toContain('You stopped this.')

    await chat.say('And now?')
    await chat.settled(2)
    await chat.picture('light-8-two-turns')
    expect((await chat.parts()).slice(4)).toEqual(story('And now?'))
    expect((await chat.seen()).doubled).toEqual([])
    expect(chat.errors).toEqual([])
  })

  it('shows markup as the text that it is', async (test) => {
    const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`
    const chat = await ChatPage.open(await newBrowser(test), url())
    await chat.say(hostile)
    await chat.speaking(hostile.length + 50)
    await chat.picture('light-5-markup')

    const [message, ack, , response] = await chat.parts()
    expect(message).toEqual({ kind: 'user', text: hostile })
    expect(ack?.text).toBe(`You said “${hostile}”.`)
    expect(response?.text).toContain(`Here is my answer to “${hostile}”.`)
    expect(await chat.page.locator('#conversation .part :is(img, script, a)').count()).toBe(0)
    expect(await chat.page.evaluate(() => 'hacked' in globalThis)).toBe(false)
    expect((await chat.seen()).violations).toEqual([])
    expect(chat.errors).toEqual([])
  })

  it('needs no mouse', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), url())
    const { keyboard } = chat.page
    const focused = () => chat.page.evaluate(() => document.activeElement?.id)
    await keyboard.press('Enter')
    await keyboard.type('One line')
    await keyboard.press('Shift+Enter')
    await keyboard.type('and another')
    await keyboard.press('Enter')
    await chat.speaking(0)
    expect((await chat.parts())[0]).toEqual({ kind: 'user', text: 'One line\nand another' })
    expect(await chat.page.locator('#text').inputValue()).toBe('')
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    expect(await focused()).toBe('stop')
    await keyboard.press('Enter')
    await chat.settled()
    expect(await focused()).toBe('text')
    expect((await chat.parts()).map(({ kind }) => kind)).toEqual(['user', 'ack', 'thinking', 'response truncated'])
  })

  it('fits a phone, and keeps the newest words in view', async (test) => {
    // As high as a phone is while its keyboard is shown.
    const chat = await ChatPage.open(await newBrowser(test, { viewport: { width: 375, height: 400 } }), url())
    await chat.say(`A word without end: ${'o'.repeat(200)}`)
    await chat.speaking(200)
    const overflow = await chat.page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('body *')]
        .filter((node) => node.scrollWidth > node.clientWidth || node.getBoundingClientRect().right > innerWidth)
        .filter((node) => !node.classList.contains('hidden'))
        .map((node) => node.outerHTML.slice(0, 80)),
    )
    expect(overflow).toEqual([])
    const { height, below } = await chat.page.locator('#conversation').evaluate((main) => ({
      height: main.scrollHeight / main.clientHeight,
      below: main.scrollHeight - main.clientHeight - main.scrollTop,
    }))
    expect(height, 'there is more than fits').toBeGreaterThan(1)
    expect(below, 'the end is in view').toBeLessThan(2)
    expect(await chat.page.locator('#send').isVisible()).toBe(true)
    await chat.picture('phone')
  })

  it.for(['light', 'dark'] as const)('can be read in %s colours', async (colorScheme, test) => {
    const chat = await ChatPage.open(await newBrowser(test, { colorScheme }), url())
    await chat.say('Can you read this?')
    await chat.speaking(100)
    await chat.picture(`${colorScheme}-colours`)
    const isDark = luminance(await chat.colour('body', 'backgroundColor')) < 0.2
    expect(isDark).toBe(colorScheme === 'dark')
    for (const [text, ground] of [
      ['.response', 'body'],
      ['.ack', 'body'],
      ['.thinking', 'body'],
      ['.user', '.user'],
      ['#connection', 'body'],
      ['#send', '#send'],
      ['#stop', '#stop'],
    ] as const) {
      const ratio = contrast(await chat.colour(text, 'color'), await chat.colour(ground, 'backgroundColor'))
      expect(ratio, `contrast of ${text}`).toBeGreaterThan(4.5)
    }
  })
})
