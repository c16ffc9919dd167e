import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { ui } from '@cool-ai/beach-a2ui'
import type { BeachChatElement } from '@cool-ai/beach-page/beach-chat'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, test, type TestContext } from 'vitest'
import { serveAgent } from '../client/agent.ts'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'

const clerk = defineActor(async ({ text: said, respond, tool }) => {
  if (said === 'show') {
    const surface = ui.surface({ surfaceId: 'order', root: ui.card(ui.text('Order 7')) })
    return respond({
      parts: [
        { partType: 'response', text: 'Here **it** is. <img src=x onerror=alert(1)>' },
        { partType: 'a2ui-surface', data: surface },
        { partType: 'domain-data', metadata: { slotKey: 'prices' }, data: { rows: [{ item: 'Tea', price: 3 }] } },
      ],
      turnState: 'complete',
    })
  }
  if (said === 'pay') {
    const call = { name: 'pay', args: { invoice: 7, amount: '20 GBP' }, requiresApproval: true }
    const paid = await tool(call, async () => 'Paid.')
    const text = paid.outcome === 'ok' ? paid.value : 'Not paid.'
    return respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  }
  await respond({ parts: [{ partType: 'response', text: `You said ${said}.` }], turnState: 'complete' })
})

/** The site of somebody else: another origin than the agent's, with the page that a test gives it. */
interface Site {
  readonly origin: string
  html: string
  headers: Record<string, string>
}

async function site(context: TestContext): Promise<Site> {
  const server = createServer((_, response) => {
    for (const [name, value] of Object.entries(given.headers)) response.setHeader(name, value)
    response.setHeader('content-type', 'text/html; charset=utf-8').end(given.html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const given: Site = { origin, html: '', headers: {} }
  return given
}

interface Shown extends BrowserContextOptions {
  readonly isListed?: boolean
  readonly element?: (agent: string) => string
  readonly styles?: string
  readonly policy?: (agent: string) => string
  readonly agent?: Partial<BeachOptions>
}

/** The page of the site, with an agent that lists it, or does not. */
async function shown(context: TestContext, options: Shown = {}) {
  const { isListed = true, element = () => '<beach-chat></beach-chat>', styles = '', policy, agent, ...looks } = options
  const given = await site(context)
  const { url } = await serveAgent(context, {
    actors: { clerk },
    access: isListed ? { origins: [given.origin] } : {},
    agent: { id: 'clerk', name: 'Clerk' },
    page: { suggestions: ['What is due?'] },
    ...agent,
  })
  given.html = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Shop</title>
    <style nonce="site">${styles}</style><script type="module" src="${url}/beach-chat.js"></script></head>
    <body><main><h1>Shop</h1>${element(url)}</main></body></html>`
  if (policy) given.headers = { 'content-security-policy': policy(url) }
  const browser: BrowserContext = await newBrowser(context, looks)
  const page = await browser.newPage()
  page.setDefaultTimeout(10_000)
  const said: string[] = []
  page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && said.push(message.text())))
  page.on('pageerror', (error) => void said.push(String(error)))
  await page.goto(given.origin)
  return { page, said, url, site: given }
}

const field = (page: Page) => page.getByRole('textbox', { name: 'Your message' })

async function say(page: Page, words: string): Promise<void> {
  await field(page).fill(words)
  await page.keyboard.press('Enter')
}

/** All that the element needs of a page whose policy forbids everything else. */
const strict = (agent: string) => {
  const socket = agent.replace('http', 'ws')
  const trusted = "require-trusted-types-for 'script'; trusted-types lit-html"
  return `default-src 'none'; script-src ${agent}; style-src 'nonce-site'; connect-src ${agent} ${socket}; ${trusted}`
}

test('under a strict policy a plain page has the whole conversation: texts, data, surfaces, a decision by keyboard, and it is there after a reload', async (context) => {
  const { page, said } = await shown(context, { policy: strict })
  await page.getByRole('region', { name: 'Clerk', exact: true }).waitFor()
  await page.getByRole('button', { name: 'What is due?' }).click()
  await page.getByText('You said What is due?.').waitFor()
  await say(page, 'show')
  await page.locator('.beach-surface').getByText('Order 7').waitFor()
  await page.getByRole('cell', { name: 'Tea' }).waitFor()
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  await say(page, 'pay')
  await page.locator('button:enabled', { hasText: 'Approve' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Paid.').waitFor()
  await page.reload()
  await page.getByText('Paid.').waitFor()
  expect(said).toEqual([])
})

test('a page that is not listed is told so, in its place and in the console, and opens nothing', async (context) => {
  const { page, said, site: host } = await shown(context, { isListed: false })
  const sentence = `Pages of ${host.origin} may not call this agent. Add the origin to \`access.origins\``
  await page.getByRole('alert').getByText(sentence).waitFor()
  expect(said.filter((line) => line.includes(sentence) && line.startsWith('<beach-chat'))).toHaveLength(1)
  expect(await page.evaluate(() => localStorage.length)).toBe(0)
})

test('a page whose policy keeps it from the agent is told what to add', async (context) => {
  const { page, url } = await shown(context, { policy: (agent) => `default-src 'none'; script-src ${agent}` })
  const socket = url.replace('http', 'ws')
  await page.getByRole('alert').getByText(`add ${url} and ${socket} to its \`connect-src\``).waitFor()
})

const hostile = `
  html { font-size: 5px; --ink: red; --line: 9px dashed red; --radius: 40px; --gap: 60px; --paper: black }
  body { font: italic 40px/0.5 cursive; color: red; text-transform: uppercase; letter-spacing: 1em; text-align: right;
    white-space: pre; word-spacing: 2em; cursor: none; text-indent: 50px; visibility: hidden }
  h1, h2, h3, p, div, section, article, form, button, textarea, table, td, ul, li, [class] {
    display: none !important; color: red !important; position: fixed !important; font-size: 3px !important }
  .beach, .beach-said, .beach-button, .frame { all: unset !important }
`

test('the styles of a hostile page change nothing of it', async (context) => {
  const looks = async (styles: string) => {
    const { page, said } = await shown(context, {
      styles,
      element: () => '<beach-chat style="width: 600px; height: 400px"></beach-chat>',
    })
    await say(page, 'show')
    await page.getByRole('cell', { name: 'Tea' }).waitFor()
    await page.locator('.beach-surface').getByText('Order 7').waitFor()
    expect(said).toEqual([])
    return page.evaluate(() => {
      const root = document.querySelector('beach-chat')?.shadowRoot
      return ['.beach', 'textarea', '.beach-button', '.beach-user', '.beach-prose p', 'td', '.beach-answer'].map(
        (selector) => {
          const element = root?.querySelector(selector)
          if (!element) return `no ${selector}`
          const style = getComputedStyle(element)
          const own = [...style]
            .filter((name) => !name.startsWith('--'))
            .map((name) => `${name}: ${style.getPropertyValue(name)}`)
          return [selector, element.getBoundingClientRect().width, ...own]
        },
      )
    })
  }
  expect(await looks(hostile)).toEqual(await looks(''))
})

test('the page sets its colours and type by variables, around it or on it', async (context) => {
  const styles =
    ':root { --beach-accent: rgb(90, 40, 130); --beach-font: 20px/1.5 serif } beach-chat { --beach-radius: 3px }'
  const { page } = await shown(context, { styles })
  await field(page).waitFor()
  const seen = await page.getByRole('button', { name: 'Send' }).evaluate((button) => {
    const { backgroundColor, fontSize, fontFamily } = getComputedStyle(button)
    return { backgroundColor, fontSize, fontFamily }
  })
  expect(seen).toEqual({ backgroundColor: 'rgb(90, 40, 130)', fontSize: '20px', fontFamily: 'serif' })
  expect(await field(page).evaluate((element) => getComputedStyle(element).borderRadius)).toBe('3px')
})

test('two elements on one page are one conversation, and with a name each has its own', async (context) => {
  const { page } = await shown(context, {
    element: () =>
      '<beach-chat id="a"></beach-chat><beach-chat id="b"></beach-chat><beach-chat id="c" conversation="other"></beach-chat>',
  })
  const [a, b, c] = ['#a', '#b', '#c'].map((id) => page.locator(id))
  if (!a || !b || !c) throw new Error('There are three.')
  const write = async (to: typeof a, words: string) => {
    await to.getByRole('textbox', { name: 'Your message' }).fill(words)
    await to.getByRole('button', { name: 'Send' }).click()
  }
  await write(a, 'first')
  await a.getByText('You said first.').waitFor()
  await write(b, 'second')
  await Promise.all([a, b].map((one) => one.getByText('You said second.').waitFor()))
  await write(c, 'third')
  await c.getByText('You said third.').waitFor()
  expect(await c.getByText('You said first.').count()).toBe(0)
  await page.reload()
  await a.getByText('You said first.').waitFor()
  await c.getByText('You said third.').waitFor()
  expect(await a.getByText('You said third.').count()).toBe(0)
})

test('an element that is moved stays connected, one that is removed ends its connection, and put back it goes on', async (context) => {
  const { page, said } = await shown(context)
  const sockets: { isClosed: boolean }[] = []
  page.on('websocket', (socket) => {
    const one = { isClosed: false }
    sockets.push(one)
    socket.on('close', () => (one.isClosed = true))
  })
  await say(page, 'hello')
  await page.getByText('You said hello.').waitFor()
  const move = (how: 'move' | 'remove' | 'add') =>
    page.evaluate((action) => {
      const holder = globalThis as { kept?: Element | undefined }
      holder.kept ??= document.querySelector('beach-chat') ?? undefined
      if (holder.kept === undefined) return
      if (action === 'remove') holder.kept.remove()
      else document.body.append(holder.kept)
    }, how)
  await move('move')
  await say(page, 'again')
  await page.getByText('You said again.').waitFor()
  expect(sockets).toEqual([{ isClosed: false }])
  const closed = page.waitForFunction(() => document.querySelector('beach-chat') === null)
  await move('remove')
  await closed
  await expect.poll(() => sockets).toEqual([{ isClosed: true }])
  await move('add')
  await page.getByText('You said again.').waitFor()
  await say(page, 'back')
  await page.getByText('You said back.').waitFor()
  expect(said).toEqual([])
})

test('the page can speak for its user, and hears none of the keys that are typed', async (context) => {
  const { page } = await shown(context)
  await page.evaluate(() => {
    const heard: string[] = []
    Object.assign(globalThis, { heard })
    document.addEventListener('keydown', ({ key }) => heard.push(key))
  })
  await field(page).waitFor()
  await page.evaluate(async () => {
    const chat = document.querySelector<BeachChatElement>('beach-chat')
    chat?.focus()
    await chat?.send('my order')
  })
  await page.getByText('You said my order.').waitFor()
  await page.keyboard.type('slash /')
  expect(await field(page).inputValue()).toBe('slash /')
  expect(await page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard)).toEqual([])
})

test('an agent that cannot be reached yet is tried again, and a new conversation is begun on demand', async (context) => {
  const { page, url, site: host } = await shown(context)
  await page.route('**/beach-chat.json', (route) => route.abort())
  await page.goto(host.origin)
  await page.getByText('cannot be reached just now').waitFor()
  await page.unroute('**/beach-chat.json')
  await say(page, 'hello')
  await page.getByText('You said hello.').waitFor()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'What is due?' }).waitFor()
  expect(await page.getByText('You said hello.').count()).toBe(0)
  expect(await page.evaluate((agent) => localStorage.getItem(`beach.conversation ${agent}/`), url)).toBeNull()
})

test('an address that is none, and one without an agent, are named', async (context) => {
  const { page } = await shown(context, {
    element: (agent) => `<beach-chat agent="ftp://x"></beach-chat><beach-chat agent="${agent}/other"></beach-chat>`,
  })
  await page.getByText("'ftp://x' is not the address of an agent").waitFor()
  await page
    .locator('beach-chat')
    .first()
    .evaluate((chat, agent) => chat.setAttribute('agent', agent), '/')
  await page.getByRole('alert').nth(1).waitFor()
})

test.for([
  { name: 'light', options: {} },
  { name: 'dark, on a phone', options: { colorScheme: 'dark', viewport: { width: 360, height: 640 } } },
  { name: 'dark by its attribute', options: { element: () => '<beach-chat theme="dark"></beach-chat>' } },
] satisfies { name: string; options: Shown }[])(
  'nothing keeps people from using it: $name',
  async ({ options }, context) => {
    const { page } = await shown(context, options)
    await say(page, 'show')
    await page.getByRole('cell', { name: 'Tea' }).waitFor()
    await say(page, 'pay')
    await page.locator('button:enabled', { hasText: 'Approve' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  },
)
