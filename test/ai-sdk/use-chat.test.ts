import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { defineTool, llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { script } from '@cool-ai/beach-testing/model'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test, type TestContext } from 'vitest'
import { z } from 'zod'
import { serveAgent } from '../client/agent.ts'
import { bundle } from '../client/bundle.ts'
import { newBrowser } from '../support/browser.ts'

let code = ''
beforeAll(async () => {
  code = (await bundle(`import '../ai-sdk/chat-page.ts'`)).code
})

/** The agent's own page: one with the stock `useChat`, that knows nothing of Beach. */
function chatPage(path: string): Response {
  const isScript = path === '/chat-page.js'
  const [body, type] = isScript
    ? [code, 'text/javascript']
    : [
        '<!doctype html><title>Harbour</title><div id="root"></div><script type="module" src="/chat-page.js"></script>',
        'text/html',
      ]
  return new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } })
}

/** A person in front of that page. */
async function visit(context: TestContext, actors: BeachOptions['actors']) {
  const { url } = await serveAgent(context, { actors, page: chatPage })
  const page = await (await newBrowser(context)).newPage()
  page.setDefaultTimeout(20_000)
  const problems: string[] = []
  page.on('pageerror', (error) => void problems.push(String(error)))
  await page.goto(`${url}/?id=${crypto.randomUUID()}`)
  return { page, problems }
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

const status = (page: Page, words: string) => page.locator('output', { hasText: words }).waitFor()

test('useChat shows an answer with its thoughts and data, and has the conversation after a reload', async (context) => {
  const guide = defineActor(async ({ text, respond }) => {
    await respond({ parts: [{ partType: 'thinking', text: 'Hm.' }], turnState: 'awaiting' })
    await respond({
      parts: [
        { partType: 'response', text: `You said ${text}.` },
        { partType: 'domain-data', data: { flights: [1] } },
      ],
      turnState: 'complete',
    })
  })
  const { page, problems } = await visit(context, { guide })
  await say(page, 'hello')
  await page.getByText('You said hello.').waitFor()
  await status(page, 'ready')
  const shown = () => page.locator('ol').innerText()
  const before = await shown()
  expect(before).toContain('Hm.')
  expect(before).toContain('{"flights":[1]}')
  await page.reload()
  await page.getByText('You said hello.').waitFor()
  expect(await shown()).toBe(before)
  expect(problems).toEqual([])
})

test('a person approves a call in useChat, and the same message goes on', async (context) => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: z.object({ invoice: z.string() }),
    requiresApproval: true,
    handler: ({ invoice }) => `Paid ${invoice}.`,
  })
  const model = script({ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'It is paid.')
  const clerk = llmActor({ model, instructions: 'You pay.', tools: [pay] })
  const { page, problems } = await visit(context, { clerk })
  await say(page, 'Pay A1.')
  await page.getByRole('button', { name: 'Approve pay {"invoice":"A1"}' }).click()
  await page.getByText('It is paid.').waitFor()
  await page.getByText('pay: output-available').waitFor()
  expect(await page.locator('li.assistant').count()).toBe(1)
  expect(problems).toEqual([])
})

const answer = (text: string) => ({
  respond: { turnState: 'complete', parts: [{ metadata: { partType: 'response' }, text }] },
})

test('a file of the page reaches the model, whose call of a tool of the page is run there', async (context) => {
  const model = scriptedModel({
    rules: [
      {
        when: ({ results }) => results.has('page_title'),
        say: ({ results }) => answer(`It is ${results.get('page_title')}.`),
      },
      {
        when: ({ prompt }) => JSON.stringify(prompt).includes('aGVsbG8='),
        say: () => ({ tools: [{ name: 'page_title', args: {} }] }),
      },
      { say: () => answer('There is no file.') },
    ],
  })
  const { page, problems } = await visit(context, { reader: llmActor({ model, instructions: 'You read.' }) })
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }
  await page.locator('input[type=file]').setInputFiles(notes)
  await say(page, 'Where am I?')
  await page.getByText('It is Harbour.').waitFor()
  await page.getByText('page_title: output-available').waitFor()
  await status(page, 'ready')
  const before = await page.locator('ol').innerText()
  expect(before).toContain('notes.txt')
  await page.reload()
  await page.getByText('It is Harbour.').waitFor()
  expect(await page.locator('ol').innerText()).toBe(before)
  expect(problems).toEqual([])
})

test('a page that is reloaded in the middle of an answer goes on with it, and stop ends it', async (context) => {
  const [middle, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* words(signal: AbortSignal) {
    yield 'one '
    await middle.promise
    yield 'two '
    await Promise.race([end.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))])
    yield 'three'
  }
  const slow = defineActor(async ({ respond, signal }) => {
    await respond({ parts: [{ partType: 'response', text: words(signal) }], turnState: 'complete' })
  })
  const { page, problems } = await visit(context, { slow })
  await say(page, 'count')
  await page.getByText('one').waitFor()
  await page.reload()
  await page.getByText('one').waitFor()
  middle.resolve()
  await page.getByText('one two').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await status(page, 'ready')
  expect(await page.locator('li.assistant').innerText()).not.toContain('three')
  expect(problems).toEqual([])
})
