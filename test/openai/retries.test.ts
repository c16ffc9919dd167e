import { once } from 'node:events'
import { createServer, request as askServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { defineActor } from '@cool-ai/beach'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf, start } from './agent.ts'

const model = 'tester'
const messages = [{ role: 'user' as const, content: 'Buy one.' }]

type Fault = 'answer-lost' | 'out-of-order' | 'cut-off'

/** A proxy between a client and the agent, with one fault for each request; those without one pass. */
async function proxy(url: string, faults: Fault[]): Promise<{ url: string; attempts: string[] }> {
  const attempts: string[] = []
  const server = createServer((request, response) => void pass(request, response))
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    attempts.push(String(request.headers['x-stainless-retry-count']))
    const fault = faults.shift()
    const body = await buffer(request)
    if (fault === 'out-of-order') return void response.writeHead(503, { 'retry-after-ms': '1' }).end()
    const asked = askServer(`${url}${request.url}`, { method: request.method ?? 'GET', headers: request.headers })
    asked.on('error', () => response.destroy())
    asked.end(body)
    if (fault === 'cut-off') {
      asked.on('response', (answer) => answer.once('data', () => (answer.destroy(), response.destroy())))
      return
    }
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    const whole = await buffer(answer)
    if (fault === 'answer-lost') return void response.destroy()
    response.writeHead(answer.statusCode ?? 0, answer.headers).end(whole)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, attempts }
}

function shop() {
  const bought: string[] = []
  const actor = defineActor(async ({ text, respond }) => {
    bought.push(text)
    await respond({ parts: [{ partType: 'response', text: `Bought: ${bought.length}` }], turnState: 'complete' })
  })
  return { bought, actor }
}

test.each<[string, Fault[]]>([
  ['the answer was lost', ['answer-lost']],
  ['the answer was lost twice', ['answer-lost', 'answer-lost']],
  ['a proxy was out of order, and then the answer was lost', ['out-of-order', 'answer-lost']],
])('what the stock client sends again because %s is one message', async (_, faults) => {
  const { bought, actor } = shop()
  const { url } = await start({ actor })
  const between = await proxy(url, [...faults])
  const client = clientOf(between.url, 'key-ann', { maxRetries: 2 })
  const completion = await client.chat.completions.create({ model, messages })
  expect([completion.choices[0]?.message.content, bought.length]).toEqual(['Bought: 1', 1])
  expect(between.attempts).toEqual(['0', '1', '2'].slice(0, faults.length + 1))
  const again = await proxy(url, [...faults])
  const response = await clientOf(again.url, 'key-ann', { maxRetries: 2 }).responses.create({
    model,
    input: 'Buy one.',
  })
  expect([response.output_text, bought.length]).toEqual(['Bought: 2', 2])
})

test('the same words asked anew are another message', async () => {
  const { bought, actor } = shop()
  const { client } = await start({ actor })
  await client.chat.completions.create({ model, messages })
  await client.chat.completions.create({ model, messages })
  expect(bought).toHaveLength(2)
})

test('a key of the program makes requests one, and is refused for another request', async () => {
  const { bought, actor } = shop()
  const { client, url } = await start({ actor })
  const headers = { 'Idempotency-Key': 'order-1' }
  const first = await client.responses.create({ model, input: 'Buy one.' }, { headers })
  const second = await client.responses.create({ model, input: 'Buy one.' }, { headers })
  expect([second.id, bought.length]).toEqual([first.id, 1])
  const other = client.responses.create({ model, input: 'Buy two.' }, { headers })
  await expect(other).rejects.toMatchObject({ status: 409, code: 'IDEMPOTENCY_MISMATCH' })
  await clientOf(url, 'key-bob').responses.create({ model, input: 'Buy one.' }, { headers })
  expect(bought).toHaveLength(2)
})

test('an error that stays the same is not tried again by the stock client, and one of too much is, when it is told', async () => {
  const failing = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'error', text: 'The shop is closed.' }], turnState: 'error' })
  })
  const { url } = await start({ failing })
  const between = await proxy(url, [])
  const client = clientOf(between.url, 'key-ann', { maxRetries: 2 })
  await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({
    status: 500,
    message: '500 The shop is closed.',
  })
  expect(between.attempts).toEqual(['0'])
  const limited = await start({ failing }, { limits: { principal: { messages: { perMinute: 1 } } } })
  await limited.client.responses.create({ model, input: 'hello' })
  const refused = await limited.client.responses.create({ model, input: 'hello' }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 429, type: 'rate_limit_error' })
  const { headers } = refused as { headers: Headers }
  expect([headers.get('x-should-retry'), Number(headers.get('retry-after')) > 0]).toEqual(['true', true])
})

test('a turn whose client has left is stopped, streamed or not', async () => {
  const begun: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()]
  const stopped: string[] = []
  const endless = defineActor(async ({ text, respond, signal }) => {
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    async function* words() {
      yield 'first '
      begun[stopped.length]?.resolve()
      await ended
      stopped.push(text)
    }
    await respond({ parts: [{ partType: 'response', text: words() }], turnState: 'complete' })
  })
  const { client } = await start({ endless }, { protocols: { openai: { cancelOnDisconnect: true } } })
  const stream = await client.responses.create({ model, input: 'streamed', stream: true })
  for await (const { type } of stream) if (type === 'response.output_text.delta') break
  await expect.poll(() => stopped, { timeout: 20_000 }).toEqual(['streamed'])
  const leaving = new AbortController()
  const whole = client.chat.completions.create({ model, messages }, { signal: leaving.signal })
  await begun[1]?.promise
  leaving.abort()
  await expect(whole).rejects.toThrow(/abort/i)
  await expect.poll(() => stopped, { timeout: 20_000 }).toEqual(['streamed', 'Buy one.'])
})

test("LangChain's client tries again after a broken stream, and has the answer of the same turn", async () => {
  const gate = Promise.withResolvers<void>()
  const bought: string[] = []
  const slow = defineActor(async ({ text, respond }) => {
    bought.push(text)
    async function* words() {
      yield 'Bought '
      await gate.promise
      yield 'one.'
    }
    await respond({ parts: [{ partType: 'response', text: words() }], turnState: 'complete' })
  })
  const { url } = await start({ slow })
  const between = await proxy(url, ['cut-off'])
  const chat = new ChatOpenAI({
    model,
    apiKey: 'key-ann',
    maxRetries: 0,
    configuration: { baseURL: `${between.url}/v1` },
  })
  const ask = async () => {
    const texts: string[] = []
    for await (const chunk of await chat.stream([new HumanMessage('Buy one.')])) texts.push(chunk.text)
    return texts.join('')
  }
  await expect(ask()).rejects.toThrow(/connection/i)
  const again = ask()
  gate.resolve()
  expect(await again).toBe('Bought one.')
  expect(bought).toHaveLength(1)
})
