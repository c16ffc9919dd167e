import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { script } from '@cool-ai/beach-testing/model'
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { clientOf, echo, start } from './agent.ts'

test('the stock client lists the agent as a model, and finds no other', async () => {
  const { client } = await start({ echo })
  const { data } = await client.models.list()
  expect(data.map(({ id, object }) => [id, object])).toEqual([['tester', 'model']])
  expect((await client.models.retrieve('tester')).id).toBe('tester')
  await expect(client.models.retrieve('gpt-4o')).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
  const messages = [{ role: 'user' as const, content: 'hello' }]
  await expect(client.chat.completions.create({ model: 'gpt-4o', messages })).rejects.toMatchObject({
    status: 404,
    param: 'model',
  })
})

test('the stock client has an answer, with what it says and what it thought', async () => {
  const { client } = await start({ echo })
  const completion = await client.chat.completions.create({
    model: 'tester',
    messages: [{ role: 'user', content: 'hello' }],
  })
  const [choice] = completion.choices
  expect(choice).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'You said hello', reasoning_content: 'Hm.' },
  })
  expect(completion).toMatchObject({
    object: 'chat.completion',
    usage: { total_tokens: 0 },
    beach: { parts: [{ data: { flights: [1] } }] },
  })
})

test('the stock client follows an answer as it comes, with its usage when it asks for it', async () => {
  const model = script('It is done.')
  const { client } = await start({ clerk: llmActor({ model, instructions: 'You help.' }) })
  const stream = client.chat.completions.stream({
    model: 'tester',
    messages: [{ role: 'user', content: 'hello' }],
    stream_options: { include_usage: true },
  })
  const deltas: string[] = []
  stream.on('content', (delta) => deltas.push(delta))
  expect(await stream.finalContent()).toBe('It is done.')
  expect(deltas.join('')).toBe('It is done.')
  const usage = await stream.totalUsage()
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
  expect(usage.prompt_tokens).toBeGreaterThan(0)
})

test('a conversation that is sent whole goes on in its session; another history begins one that is told it', async () => {
  const { client, beach } = await start({ echo })
  const ask = async (...messages: { role: 'user' | 'assistant'; content: string }[]) => {
    const completion = await client.chat.completions.create({ model: 'tester', messages })
    const { sessionId } = (completion as unknown as { beach: { sessionId: string } }).beach
    return { text: completion.choices[0]?.message.content ?? '', sessionId }
  }
  const hello = { role: 'user' as const, content: 'hello' }
  const first = await ask(hello)
  const said = { role: 'assistant' as const, content: first.text }
  const second = await ask(hello, said, { role: 'user', content: 'more' })
  expect(second).toEqual({ text: 'You said more', sessionId: first.sessionId })
  const again = await ask(hello, said, { role: 'user', content: 'more' })
  expect(again.sessionId).not.toBe(first.sessionId)
  const edited = await ask(
    hello,
    { role: 'assistant', content: 'I said something else' },
    { role: 'user', content: 'so' },
  )
  expect([first.sessionId, again.sessionId]).not.toContain(edited.sessionId)
  const sessions = await beach.sessions.list({}, { kind: 'user', id: 'ann', tenant: 'default' })
  expect(sessions.items).toHaveLength(3)
})

test('two conversations of one key that were the same so far are not taken for each other', async () => {
  const { client } = await start({ echo })
  const ask = async (messages: { role: 'user' | 'assistant'; content: string }[], user?: string) => {
    const completion = await client.chat.completions.create({ model: 'tester', messages, ...(user && { user }) })
    return (completion as unknown as { beach: { sessionId: string } }).beach.sessionId
  }
  const hello = { role: 'user' as const, content: 'hello' }
  const history = [
    hello,
    { role: 'assistant' as const, content: 'You said hello' },
    { role: 'user' as const, content: 'x' },
  ]
  const [one, other] = [await ask([hello]), await ask([hello])]
  expect(one).not.toBe(other)
  expect([one, other]).not.toContain(await ask(history))
  const [anna, bert] = [await ask([hello], 'anna'), await ask([hello], 'bert')]
  expect([await ask(history, 'anna'), await ask(history, 'bert')]).toEqual([anna, bert])
})

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  requiresApproval: true,
  handler: ({ invoice }) => `Paid ${invoice}.`,
})

test("LangChain's client streams, and runs tools of its own", async () => {
  const model = script({ tools: [{ name: 'paint', args: { colour: 'red' } }] }, 'It is red now.')
  const { url } = await start({ painter: llmActor({ model, instructions: 'You paint.' }) })
  const chat = new ChatOpenAI({
    model: 'tester',
    apiKey: 'key-ann',
    configuration: { baseURL: `${url}/v1` },
    maxRetries: 0,
  })
  const paint = tool(async ({ colour }) => `painted ${colour}`, {
    name: 'paint',
    description: 'Paints.',
    schema: z.object({ colour: z.string() }),
  })
  const bound = chat.bindTools([paint])
  const asked = [new HumanMessage('Red, please.')]
  const first = await bound.invoke(asked)
  expect(first.tool_calls).toMatchObject([{ name: 'paint', args: { colour: 'red' } }])
  const [call] = first.tool_calls ?? []
  const ran = await paint.invoke({ ...call, type: 'tool_call' } as never)
  const texts: string[] = []
  for await (const chunk of await bound.stream([...asked, first, ran])) texts.push(chunk.text)
  expect(texts.join('')).toBe('It is red now.')
})

test('an approval is asked for as a call, and granted by its output', async () => {
  const model = script({ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'It is paid.')
  const { client } = await start({ clerk: llmActor({ model, instructions: 'You pay.', tools: [pay] }) })
  const asked: unknown[] = []
  const runner = client.chat.completions.runTools({
    model: 'tester',
    messages: [{ role: 'user', content: 'Pay A1.' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'beach_approval',
          description: 'Asks a person.',
          parameters: { type: 'object', properties: {} },
          parse: JSON.parse,
          function: (request: { tool: string; arguments: unknown }) => {
            asked.push([request.tool, request.arguments])
            return JSON.stringify({ approved: true })
          },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('It is paid.')
  expect(asked).toEqual([['pay', { invoice: 'A1' }]])
})

test('callers without a key, or with a wrong one, are told so in the shape of OpenAI', async () => {
  const { url } = await start({ echo })
  await expect(clientOf(url, 'wrong').models.list()).rejects.toMatchObject({
    status: 401,
    type: 'authentication_error',
  })
  const refused = await fetch(`${url}/v1/models`)
  expect([refused.status, await refused.json()]).toMatchObject([
    401,
    { error: { code: 'invalid_api_key', param: null } },
  ])
})
