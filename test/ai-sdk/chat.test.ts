import { createBeach, defineActor, serve, type BeachOptions } from '@cool-ai/beach'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { script } from '@cool-ai/beach-testing/model'
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { StockChat } from './stock-chat.ts'

const runtime = systemRuntime({ logger: silentLogger })

async function start(actors: BeachOptions['actors'], options: Partial<BeachOptions> = {}) {
  const beach = await createBeach({
    agent: { id: 'tester', name: 'Tester' },
    data: 'memory',
    actors,
    runtime,
    ...options,
  })
  const serving = await serve(beach, { port: 0 })
  onTestFinished(() => serving.close())
  return { url: serving.url, beach }
}

const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'thinking', text: 'Hm.' }], turnState: 'awaiting' })
  await respond({
    parts: [
      { partType: 'response', text: `You said ${text}` },
      { partType: 'domain-data', data: { flights: [1] } },
    ],
    turnState: 'complete',
  })
})

test('the stock chat has what was said: texts, thoughts and data, and so has a page that is loaded again', async () => {
  const { url } = await start({ echo })
  const chat = new StockChat({ url })
  await chat.sendMessage({ text: 'hello' })
  expect(chat.error).toBeUndefined()
  expect(chat.status).toBe('ready')
  const parts = [
    { type: 'step-start' },
    { type: 'reasoning', id: expect.any(String), text: 'Hm.', state: 'done' },
    { type: 'step-start' },
    { type: 'text', text: 'You said hello', state: 'done' },
    { type: 'data-domain-data', id: expect.any(String), data: { flights: [1] } },
  ]
  expect(chat.parts).toMatchObject(parts)
  await chat.sendMessage({ text: 'again' })
  expect(chat.text).toBe('You said again')
  expect(chat.messages).toHaveLength(4)
  const loaded = (await (await fetch(`${url}/chat/${chat.id}`)).json()) as {
    messages: { id: string; role: string; parts: object[] }[]
  }
  expect(loaded.messages.map(({ id, role }) => [id, role])).toEqual(chat.messages.map(({ id, role }) => [id, role]))
  expect(loaded.messages[1]?.parts).toMatchObject(parts.map((part) => omitId(part)))
})

/** Ids of thoughts are the page's own. */
function omitId({ id, ...part }: { readonly type: string; readonly id?: unknown }) {
  return part.type === 'reasoning' || id === undefined ? part : { ...part, id }
}

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  requiresApproval: true,
  handler: ({ invoice }) => `Paid ${invoice}.`,
})

test('an approval is asked for with its call, decided on the page, and the same message goes on', async () => {
  const model = script({ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'It is paid.')
  const { url } = await start({ clerk: llmActor({ model, instructions: 'You pay.', tools: [pay] }) })
  const chat = new StockChat({ url, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses })
  await chat.sendMessage({ text: 'Pay A1.' })
  const call = chat.parts.find(({ type }) => type === 'dynamic-tool') as { approval: { id: string } }
  expect(call).toMatchObject({ toolName: 'pay', input: { invoice: 'A1' }, state: 'approval-requested' })
  await chat.addToolApprovalResponse({ id: call.approval.id, approved: true })
  await settled(chat)
  expect(chat.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({ state: 'output-available' })
  expect(chat.text).toBe('It is paid.')
  expect(chat.messages).toHaveLength(2)
})

test('a request that is refused for its last message decides nothing on the way', async () => {
  const model = script({ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'It is paid.')
  const { url, beach } = await start({ clerk: llmActor({ model, instructions: 'You pay.', tools: [pay] }) })
  const chat = new StockChat({ url })
  await chat.sendMessage({ text: 'Pay A1.' })
  await chat.addToolApprovalResponse({
    id: (chat.parts.find(({ type }) => type === 'dynamic-tool') as { approval: { id: string } }).approval.id,
    approved: true,
  })
  const messages = [...chat.messages, { id: 'm2', role: 'user', parts: [] }]
  const headers = { 'content-type': 'application/json' }
  const refused = await fetch(`${url}/chat`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ id: chat.id, messages }),
  })
  expect(refused.status).toBe(400)
  const operator = { kind: 'operator', id: 'op', tenant: 'default' } as const
  const { items } = await beach.sessions.list({}, operator)
  const { turn } = await beach.sessions.view(items[0]?.sessionId ?? '', operator)
  expect(turn?.pendingApprovals).toHaveLength(1)
})

test('a denied call stays denied on the page', async () => {
  const model = script({ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'I left it.')
  const { url } = await start({ clerk: llmActor({ model, instructions: 'You pay.', tools: [pay] }) })
  const chat = new StockChat({ url, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses })
  await chat.sendMessage({ text: 'Pay A1.' })
  const call = chat.parts.find(({ type }) => type === 'dynamic-tool') as { approval: { id: string } }
  await chat.addToolApprovalResponse({ id: call.approval.id, approved: false, reason: 'Not today.' })
  await settled(chat)
  expect(chat.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({ state: 'output-denied' })
  expect(chat.text).toBe('I left it.')
})

async function settled(chat: StockChat): Promise<void> {
  await expect.poll(() => chat.status, { timeout: 20_000 }).toBe('ready')
  await expect.poll(() => chat.text, { timeout: 20_000 }).not.toBe('')
}

test('a page runs its own tools, and the turn goes on with their results', async () => {
  const model = script({ tools: [{ name: 'paint', args: { colour: 'red' } }] }, 'It is red now.')
  const { url } = await start({ painter: llmActor({ model, instructions: 'You paint.' }) })
  const called: unknown[] = []
  const chat: StockChat = new StockChat({
    url,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall }) => {
      called.push(toolCall.input)
      void chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output: 'done' })
    },
  })
  const tools = {
    paint: { description: 'Paints.', parameters: { type: 'object', properties: { colour: { type: 'string' } } } },
  }
  await chat.sendMessage({ text: 'Red, please.' }, { body: { tools } })
  await settled(chat)
  expect(called).toEqual([{ colour: 'red' }])
  expect(chat.text).toBe('It is red now.')
})

test('text comes as it is said, and a page that is loaded again goes on with the running answer', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* words() {
    for (const [index, { promise }] of gates.entries()) {
      await promise
      yield `word${index} `
    }
  }
  const slow = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'response', text: words() }], turnState: 'complete' })
  })
  const { url } = await start({ slow })
  const first = new StockChat({ url })
  const sent = first.sendMessage({ text: 'speak' })
  gates[0]?.resolve()
  await expect.poll(() => first.text, { timeout: 20_000 }).toBe('word0 ')
  const { messages } = (await (await fetch(`${url}/chat/${first.id}`)).json()) as { messages: UIMessage[] }
  const second = new StockChat({ url, id: first.id, messages })
  const resumed = second.resumeStream()
  await expect.poll(() => second.text, { timeout: 20_000 }).toBe('word0 ')
  gates[1]?.resolve()
  await Promise.all([sent, resumed])
  expect(first.text).toBe('word0 word1 ')
  expect(second.text).toBe('word0 word1 ')
  expect(second.messages.map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id))
  expect((await fetch(`${url}/chat/${first.id}/stream`)).status).toBe(204)
})

test('stop() cancels the turn, and what was said until then stays', async () => {
  const said = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const endless = defineActor(async ({ respond, signal }) => {
    signal.addEventListener('abort', () => ended.resolve())
    async function* words() {
      yield 'first '
      said.resolve()
      await ended.promise
    }
    await respond({ parts: [{ partType: 'response', text: words() }], turnState: 'complete' })
  })
  const { url } = await start({ endless }, { protocols: { aiSdk: { cancelOnDisconnect: true } } })
  const chat = new StockChat({ url })
  const sent = chat.sendMessage({ text: 'speak' })
  await said.promise
  await expect.poll(() => chat.text, { timeout: 20_000 }).toBe('first ')
  await chat.stop()
  await sent
  await ended.promise
  await expect.poll(async () => (await fetch(`${url}/chat/${chat.id}/stream`)).status, { timeout: 20_000 }).toBe(204)
  expect(chat.text).toBe('first ')
})

test('another answer to the same message is another turn, and the same request twice is one', async () => {
  const { url } = await start({ echo })
  const chat = new StockChat({ url })
  await chat.sendMessage({ text: 'hello' })
  const [asked, first] = chat.messages.map(({ id }) => id)
  await chat.regenerate()
  expect(chat.messages.map(({ id }) => id)).toEqual([asked, expect.not.stringMatching(first ?? '')])
  const body = JSON.stringify({ id: chat.id, messages: chat.messages.slice(0, 1), trigger: 'submit-message' })
  const again = await fetch(`${url}/chat`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  expect(await again.text()).toContain(`"messageId":"${first}"`)
})

test('a message behind a request says that it waits, and is answered in the message that goes on', async () => {
  const model = script({ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'It is paid.', 'Yes, today.')
  const { url } = await start({ clerk: llmActor({ model, instructions: 'You pay.', tools: [pay] }) })
  const chat = new StockChat({ url })
  await chat.sendMessage({ text: 'Pay A1.' })
  const call = chat.parts.find(({ type }) => type === 'dynamic-tool') as { approval: { id: string } }
  await chat.sendMessage({ text: 'Is it due?' })
  expect(chat.text).toBe('This is answered once the request above is decided.')
  await chat.addToolApprovalResponse({ id: call.approval.id, approved: true })
  await chat.sendMessage()
  const last = chat.messages.flatMap(({ parts }) => parts).flatMap((part) => (part.type === 'text' ? [part.text] : []))
  expect(last).toEqual(expect.arrayContaining(['It is paid.', 'Yes, today.']))
})

test('files of a page reach the actor as data, and data parts as parts of their type', async () => {
  const got: unknown[] = []
  const taker = defineActor(async ({ messages, respond }) => {
    got.push(
      ...messages.flatMap(({ parts }) =>
        parts.map(({ metadata: { partType }, ...content }) => ({ partType, ...content })),
      ),
    )
    await respond({ parts: [{ partType: 'response', text: 'Thanks.' }], turnState: 'complete' })
  })
  const { url } = await start({ taker })
  const chat = new StockChat({ url })
  const image = { type: 'file' as const, mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,aGk=' }
  await chat.sendMessage({ text: 'Look.', files: [image] })
  expect(got).toEqual([
    { partType: 'message', data: { raw: 'aGk=', kind: 'image', mediaType: 'image/png', filename: 'a.png' } },
    { partType: 'message', text: 'Look.' },
  ])
})

test('an error of the turn is the error of the chat', async () => {
  const failing = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'error', text: 'The shop is closed.' }], turnState: 'error' })
  })
  const { url } = await start({ failing })
  const chat = new StockChat({ url })
  await chat.sendMessage({ text: 'hello' })
  expect(chat.error?.message).toBe('The shop is closed.')
})

test('a guest needs an id that cannot be guessed, and callers with a credential have conversations of their own', async () => {
  const { url } = await start({ echo })
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/chat`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }
  expect((await post({ id: 'one', messages: [message] })).status).toBe(401)
  expect((await post({ id: 'one', messages: [message] }, { authorization: 'Bearer wrong' })).status).toBe(401)
  const { token } = (await (await fetch(`${url}/sessions`, { method: 'POST' })).json()) as { token: string }
  const { token: other } = (await (await fetch(`${url}/sessions`, { method: 'POST' })).json()) as { token: string }
  const mine = { authorization: `Bearer ${token}` }
  expect((await post({ id: 'one', messages: [message] }, mine)).status).toBe(200)
  const of = async (headers: Record<string, string>) =>
    ((await (await fetch(`${url}/chat/one`, { headers })).json()) as { messages: unknown[] }).messages.length
  expect(await of(mine)).toBe(2)
  expect(await of({ authorization: `Bearer ${other}` })).toBe(0)
  const page = await post({ id: 'two', messages: [message] }, { origin: url })
  expect(page.headers.get('set-cookie')).toContain('HttpOnly')
})

test.each([
  ['no JSON', '{', 400],
  ['no id', { messages: [] }, 400],
  ['no messages', { id: 'x' }, 400],
  [
    'an empty message',
    { id: 'a'.padEnd(36, '0123456789bcdef'), messages: [{ id: 'm', role: 'user', parts: [] }] },
    400,
  ],
  [
    'a part that only actors say',
    {
      id: 'a'.padEnd(36, '0123456789bcdef'),
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'data-a2ui-surface', data: {} }] }],
    },
    422,
  ],
])('a request with %s is refused with a reason, and starts nothing', async (_name, body, status) => {
  const { url } = await start({ echo })
  const answer = await fetch(`${url}/chat`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  const { error } = (await answer.json()) as { error: { message: string } }
  expect([answer.status, error.message.length > 10]).toEqual([status, true])
})
