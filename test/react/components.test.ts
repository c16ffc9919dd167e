import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { ui } from '@cool-ai/beach-a2ui'
import type { Page as Tab } from 'playwright-core'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { build } from 'vite'
import { beforeAll, expect, test, type TestContext } from 'vitest'
import { serveAgent } from '../client/agent.ts'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import type * as App from './app.ts'
import { Page } from './page.ts'

declare const app: typeof App

type ApprovalOptions = NonNullable<BeachOptions['approvals']>

const styles = readFileSync(new URL('../../packages/react/src/styles.css', import.meta.url), 'utf8')
/** The files of a Vite build, in development mode so that React says what is wrong. */
let files = new Map<string, string>()
beforeAll(async () => {
  const id = fileURLToPath(new URL('entry.ts', import.meta.url))
  const entry = `import * as app from './app.ts'\nObject.assign(globalThis, { app })`
  const result = await build({
    configFile: false,
    logLevel: 'error',
    mode: 'development',
    resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
    define: { 'process.env.NODE_ENV': '"development"' },
    plugins: [
      { name: 'entry', resolveId: (name) => (name === id ? id : null), load: (name) => (name === id ? entry : null) },
    ],
    build: { write: false, modulePreload: false, minify: false, rolldownOptions: { input: { app: id } } },
  })
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) => ('output' in one ? one.output : []))
  files = new Map(outputs.flatMap((one) => (one.type === 'chunk' ? [[`/${one.fileName}`, one.code]] : [])))
})

const clerk = defineActor(async ({ text: said, respond, tool }) => {
  if (said === 'show') {
    const shown = ui.surface({ surfaceId: 'order', root: ui.text('Order 7') })
    return respond({
      parts: [
        { partType: 'response', text: 'Here is the order. <img src=x onerror=alert(1)> [evil](javascript:alert(1))' },
        { partType: 'a2ui-surface', data: shown },
        { partType: 'domain-data', metadata: { slotKey: 'prices' }, data: { rows: [{ item: 'Tea', price: 3 }] } },
      ],
      turnState: 'complete',
    })
  }
  if (said === 'pay') {
    const outcome = await tool(
      { name: 'pay', args: { invoice: 7, amount: '20 GBP' }, requiresApproval: true },
      async () => 'Paid.',
    )
    return respond({
      parts: [{ partType: 'response', text: outcome.outcome === 'ok' ? outcome.value : 'Not paid.' }],
      turnState: 'complete',
    })
  }
  await respond({
    parts: [{ partType: 'response', text: streamed(`# Hello\n\nYou said **${said}**.\n\n- one\n- two`) }],
    turnState: 'complete',
  })
})

async function* streamed(words: string): AsyncGenerator<string> {
  for (const piece of words.match(/.{1,5}/gs) ?? []) yield piece
}

/** The application's own site, which is not the agent's: it renders on the server, and hydrates in the browser. */
async function shop(context: TestContext, site: { readonly markup: string }): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const code = files.get(url)
    if (code !== undefined) return response.setHeader('content-type', 'text/javascript').end(code)
    const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title><style>body { margin: 0 } main { height: 90vh } ${styles}</style>`
    const script = `<script type="module" src="${[...files.keys()].find((name) => name.includes('app'))}"></script>`
    response.setHeader('content-type', 'text/html')
    return response.end(
      `<!doctype html><html lang="en"><head>${head}</head><body><div id="root">${site.markup}</div>${script}</body></html>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

async function opened(
  context: TestContext,
  {
    hydrates = false,
    dark = false,
    approvals = {},
  }: { hydrates?: boolean; dark?: boolean; approvals?: ApprovalOptions } = {},
) {
  // The page needs the agent's address, and the agent the page's origin.
  const site = { markup: '' }
  const origin = await shop(context, site)
  const { url, beach } = await serveAgent(context, { actors: { clerk }, access: { origins: [origin] }, approvals })
  if (hydrates) site.markup = renderToString(createElement(Page, { url }))
  const browser = await newBrowser(context, { colorScheme: dark ? 'dark' : 'light' })
  const page = await browser.newPage()
  page.setDefaultTimeout(10_000)
  const said: string[] = []
  page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && said.push(message.text())))
  page.on('pageerror', (error) => void said.push(String(error)))
  await page.goto(origin)
  await page.waitForFunction(() => 'app' in globalThis)
  await page.evaluate(([how, agent]) => app[how]({ url: agent }), [hydrates ? 'hydrate' : 'show', url] as const)
  return { page, said, url, origin, beach }
}

async function say(page: Tab, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Your message' }).fill(words)
  await page.keyboard.press('Enter')
}

test('the components render on a server, where there is no window', () => {
  expect(typeof window).toBe('undefined')
  const html = renderToString(createElement(Page, { url: 'https://agent.example' }))
  expect(html).toContain('0 messages, 0 to decide, 0 surfaces')
  expect(html).toContain('What can you do?')
  expect(html).toContain('aria-label="Your message"')
})

test('a page that a server has rendered is taken over without a warning, and talks to an agent of another origin', async (context) => {
  const { page, said } = await opened(context, { hydrates: true })
  await page.getByRole('button', { name: 'What can you do?' }).click()
  await page.getByRole('heading', { name: 'Hello' }).waitFor()
  await page.locator('article[aria-busy="false"] strong', { hasText: 'What can you do?' }).waitFor()
  expect(await page.locator('.beach-prose li').allInnerTexts()).toEqual(['one', 'two'])
  expect(await page.evaluate(() => app.problems)).toEqual([])
  expect(said).toEqual([])
})

test('what is said is text, links lead nowhere else, and surfaces and data are shown', async (context) => {
  const { page, said } = await opened(context)
  await say(page, 'show')
  await page.locator('.beach-surface').getByText('Order').waitFor()
  await page.getByRole('cell', { name: 'Tea' }).waitFor()
  expect(await page.locator('.beach-prose').innerText()).toContain('<img src=x onerror=alert(1)>')
  expect(await page.locator('.beach-prose a').count()).toBe(0)
  expect(await page.locator('#state').innerText()).toBe('2 messages, 0 to decide, 1 surfaces')
  expect(said).toEqual([])
})

test('a decision is made with the keyboard alone, and the conversation is there after a reload', async (context) => {
  const { page, url } = await opened(context)
  await say(page, 'pay')
  const approve = page.getByRole('button', { name: 'Approve' })
  await page.getByText('20 GBP').waitFor()
  await page.locator('button:enabled', { hasText: 'Approve' }).waitFor()
  await approve.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Paid.').waitFor()
  await page.getByText('you approved this').waitFor()
  await page.reload()
  await page.waitForFunction(() => 'app' in globalThis)
  await page.evaluate((agent) => app.show({ url: agent }), url)
  await page.getByText('Paid.').waitFor()
  await page.getByText('approved elsewhere').waitFor()
})

test('what somebody else decides has no buttons, and goes on when it is decided', async (context) => {
  const manager = { kind: 'user', id: 'manager', tenant: 'default' } as const
  const { page, said, beach } = await opened(context, { approvals: { approvers: [manager] } })
  await say(page, 'pay')
  await page.getByText('waits for the decision of somebody else').waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  expect(await page.locator('#state').innerText()).toContain('0 to decide')
  const [pending] = (await beach.sessions.approvals({}, manager)).items
  await beach.sessions.decide(pending?.approvalId ?? '', { decision: 'granted' }, manager)
  await page.getByText('Paid.').waitFor()
  expect(said).toEqual([])
})

test.for([false, true])('nothing keeps people from using it, in dark colours: %s', async (dark, context) => {
  const { page } = await opened(context, { dark })
  await say(page, 'show')
  await page.getByRole('cell', { name: 'Tea' }).waitFor()
  await say(page, 'pay')
  await page.locator('button:enabled', { hasText: 'Approve' }).waitFor()
  expect(await barriersOn(page)).toEqual([])
})
