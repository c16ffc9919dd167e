import { defineActor } from '@cool-ai/beach'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { script } from '@cool-ai/beach-testing/model'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { clientOf, echo, start } from './agent.ts'

const model = 'tester'

test('the stock client has a response, and goes on with it in the same session', async () => {
  const { client, beach } = await start({ echo })
  const first = await client.responses.create({ model, input: 'hello', metadata: { colour: 'red' } })
  expect(first).toMatchObject({ status: 'completed', output_text: 'You said hello', metadata: { colour: 'red' } })
  expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  const second = await client.responses.create({ model, input: 'more', previous_response_id: first.id })
  expect(second).toMatchObject({ output_text: 'You said more', previous_response_id: first.id })
  expect(second.conversation).toEqual(first.conversation)
  const again = await client.responses.retrieve(second.id)
  const { _request_id: _, ...kept } = second
  expect(again).toMatchObject(kept)
  const branch = await client.responses.create({ model, input: 'otherwise', previous_response_id: first.id })
  expect(branch.conversation).not.toEqual(first.conversation)
  expect((await beach.sessions.list({}, { kind: 'user', id: 'ann', tenant: 'default' })).items).toHaveLength(2)
})

test('the events of a response are in the order of OpenAI, with numbers that only grow', async () => {
  const { client } = await start({ echo })
  const stream = await client.responses.create({ model, input: 'hello', stream: true })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  const types = events.map(({ type }) => type.replace('response.', ''))
  expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ])
  const numbers = events.map((event) => event.sequence_number)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
})

test("the stock client's stream helper has the whole response, and its text as it comes", async () => {
  const { client } = await start({ echo })
  const stream = client.responses.stream({ model, input: 'hello' })
  const deltas: string[] = []
  stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
  const response = await stream.finalResponse()
  expect([response.status, response.output_text, deltas.join('')]).toEqual([
    'completed',
    'You said hello',
    'You said hello',
  ])
})

test('a stream that broke goes on where it was, from whatever event, also in the middle of a text', async () => {
  const { client, url } = await start({ echo })
  const { id } = await client.responses.create({ model, input: 'hello' })
  const eventsAfter = async (after?: number) => {
    const query = after === undefined ? '' : `&starting_after=${after}`
    const answer = await fetch(`${url}/v1/responses/${id}?stream=true${query}`, {
      headers: { authorization: 'Bearer key-ann' },
    })
    const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '))
    return lines.map((line) => JSON.parse(line.slice(6)) as { type: string; sequence_number: number; delta?: string })
  }
  const all = await eventsAfter()
  const text = (events: readonly { type: string; delta?: string }[]) =>
    events.map(({ type, delta = '' }) => (type === 'response.output_text.delta' ? delta : '')).join('')
  const at = all.find(({ type }) => type === 'response.output_text.delta')?.sequence_number ?? 0
  expect(text(all)).toBe('You said hello')
  expect(text(await eventsAfter(at - 5))).toBe('hello')
  expect(await eventsAfter(at)).toEqual(all.filter(({ sequence_number: number }) => number > at))
  expect(await eventsAfter(100_000)).toEqual([])
})

test('a response in the background is asked for until it is there, and cancelled', async () => {
  const gate = Promise.withResolvers<void>()
  const slow = defineActor(async ({ text, respond, signal }) => {
    await (text === 'wait' ? new Promise((resolve) => signal.addEventListener('abort', resolve)) : gate.promise)
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  })
  const { client } = await start({ slow })
  const { id, status } = await client.responses.create({ model, input: 'go', background: true })
  expect(['queued', 'in_progress']).toContain(status)
  gate.resolve()
  await expect.poll(async () => (await client.responses.retrieve(id)).status, { timeout: 20_000 }).toBe('completed')
  expect((await client.responses.retrieve(id)).output_text).toBe('Done.')
  const waiting = await client.responses.create({ model, input: 'wait', background: true })
  await expect
    .poll(async () => (await client.responses.retrieve(waiting.id)).status, { timeout: 20_000 })
    .toBe('in_progress')
  expect((await client.responses.cancel(waiting.id)).status).toBe('cancelled')
  expect((await client.responses.retrieve(waiting.id)).status).toBe('cancelled')
})

test('functions of the client are called, and the turn goes on with their outputs', async () => {
  const paint = {
    type: 'function' as const,
    name: 'paint',
    description: 'Paints.',
    parameters: { type: 'object', properties: { colour: { type: 'string' } } },
    strict: null,
  }
  const painter = llmActor({
    model: script({ tools: [{ name: 'paint', args: { colour: 'red' } }] }, 'It is red now.'),
    instructions: 'You paint.',
  })
  const { client } = await start({ painter })
  const stream = client.responses.stream({ model, input: 'Red, please.', tools: [paint] })
  const first = await stream.finalResponse()
  const call = first.output.find((item) => item.type === 'function_call')
  expect(call).toMatchObject({ name: 'paint', arguments: '{"colour":"red"}', status: 'completed' })
  const follow = { model, tools: [paint], previous_response_id: first.id }
  await expect(client.responses.create({ ...follow, input: 'And now?' })).rejects.toMatchObject({ status: 400 })
  const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'painted' }
  const second = await client.responses.create({ ...follow, input: [output] })
  expect(second).toMatchObject({ output_text: 'It is red now.', usage: { total_tokens: expect.any(Number) } })
  expect((await client.responses.create({ ...follow, input: [output] })).id).toBe(second.id)
  expect((await client.responses.retrieve(first.id)).output).toMatchObject(first.output.map(({ id }) => ({ id })))
  await expect(
    client.responses.create({ ...follow, input: [{ ...output, output: 'something else' }] }),
  ).rejects.toMatchObject({ status: 400 })
})

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  requiresApproval: true,
  handler: ({ invoice }) => `Paid ${invoice}.`,
})
const approval = { type: 'function' as const, name: 'beach_approval', parameters: { type: 'object' }, strict: null }

test('an approval is a function call for clients that know it; nothing else grants it', async () => {
  const clerk = llmActor({
    model: script({ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'It is paid.'),
    instructions: 'You pay.',
    tools: [pay],
  })
  const { client, url } = await start({ clerk })
  const first = await client.responses.create({ model, input: 'Pay A1.', tools: [approval] })
  const call = first.output.find((item) => item.type === 'function_call')
  expect(JSON.parse(call?.arguments ?? '')).toMatchObject({ tool: 'pay', arguments: { invoice: 'A1' } })
  const decide = (output: string, of: OpenAI = client) =>
    of.responses.create({
      model,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output }],
    })
  await expect(decide('ok')).rejects.toMatchObject({ status: 400 })
  await expect(decide('{"approved":"true"}')).rejects.toMatchObject({ status: 400 })
  await expect(decide('{"approved":true}', clientOf(url, 'key-bob'))).rejects.toMatchObject({ status: 404 })
  expect((await decide('{"approved":true}')).output_text).toBe('It is paid.')
})

test('a client that knows no approvals is told of the request, and that its next message waits for it', async () => {
  const clerk = llmActor({
    model: script({ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'It is paid.', 'Yes.'),
    instructions: 'You pay.',
    tools: [pay],
  })
  const { client, beach } = await start({ clerk })
  const first = await client.responses.create({ model, input: 'Pay A1.' })
  expect(first.output_text).toMatch(/Approval needed: .*\n[^]*A1[^]*not by an answer here/)
  const second = await client.responses.create({ model, input: 'Is it done?', previous_response_id: first.id })
  expect(second.output_text).toBe('This is answered once the request above is decided.')
  const ann = { kind: 'user', id: 'ann', tenant: 'default' } as const
  const [asked] = (await beach.sessions.approvals({}, ann)).items
  await beach.sessions.decide(asked?.approvalId ?? '', { decision: 'granted' }, ann)
  await expect
    .poll(async () => (await client.responses.retrieve(second.id)).output_text, { timeout: 20_000 })
    .toBe('Yes.')
})

test('data of a form is the text of the answer, and an answer without it is a refusal', async () => {
  const invoice = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
  const text = { format: { type: 'json_schema' as const, name: 'invoice', schema: invoice } }
  const reader = defineActor(async ({ text: said, respond }) => {
    const data = { partType: 'domain-data' as const, data: said === 'read' ? { total: 3 } : { other: 1 } }
    await respond({ parts: [{ partType: 'response', text: 'Here.' }, data], turnState: 'complete' })
  })
  const { client } = await start({ reader })
  const parsed = await client.responses.parse({ model, input: 'read', text })
  expect([parsed.output_text, parsed.output_parsed]).toEqual(['{"total":3}', { total: 3 }])
  const refused = await client.responses.create({ model, input: 'something', text })
  expect(refused.output.at(-1)).toMatchObject({ content: [{ type: 'refusal', refusal: 'Here.' }] })
  const completion = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'read' }],
    response_format: { type: 'json_schema', json_schema: { name: 'invoice', schema: invoice } },
  })
  expect(completion.choices[0]?.message.content).toBe('{"total":3}')
})

test('files become artifacts of the session, and instructions are no words of the user', async () => {
  const got: unknown[] = []
  const taker = defineActor(async ({ text, messages, respond }) => {
    got.push(text, ...messages.flatMap(({ parts }) => parts.map(({ data, metadata }) => [metadata.partType, data])))
    await respond({ parts: [{ partType: 'response', text: 'Thanks.' }], turnState: 'complete' })
  })
  const { client } = await start({ taker })
  await client.responses.create({
    model,
    instructions: 'You are a pirate.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
        ],
      },
    ],
  })
  expect(got).toEqual([
    'Look.',
    ['message', undefined],
    ['artifact', expect.objectContaining({ artifactId: expect.any(String), sizeBytes: 8 })],
  ])
})

test('conversations are sessions: they are begun, listed, gone on with, and forgotten', async () => {
  const { client, url } = await start({ echo })
  const { id } = await client.conversations.create()
  await client.responses.create({ model, input: 'one', conversation: id })
  await client.responses.create({ model, input: 'two', conversation: { id } })
  const items: unknown[] = []
  for await (const item of client.conversations.items.list(id, { order: 'asc', limit: 2 })) {
    items.push('role' in item ? item.role : item.type)
  }
  expect(items).toEqual(['user', 'reasoning', 'assistant', 'user', 'reasoning', 'assistant'])
  await expect(clientOf(url, 'key-bob').conversations.retrieve(id)).rejects.toMatchObject({ status: 404 })
  await expect(
    clientOf(url, 'key-bob').responses.create({ model, input: 'hi', conversation: id }),
  ).rejects.toMatchObject({ status: 404 })
  expect(await client.conversations.delete(id)).toMatchObject({ deleted: true })
  await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 })
  await expect(client.responses.create({ model, input: 'hi', conversation: id })).rejects.toMatchObject({ status: 404 })
})

test('a response is for its caller alone, and is forgotten when it says so', async () => {
  const { client, url } = await start({ echo })
  const { id } = await client.responses.create({ model, input: 'hello' })
  const bob = clientOf(url, 'key-bob')
  for (const asked of [
    bob.responses.retrieve(id),
    bob.responses.cancel(id),
    bob.responses.delete(id),
    bob.responses.inputItems.list(id),
    bob.responses.create({ model, input: 'more', previous_response_id: id }),
  ]) {
    await expect(asked).rejects.toMatchObject({ status: 404 })
  }
  const items = await client.responses.inputItems.list(id)
  expect(items.data).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] }])
  await client.responses.delete(id)
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
  await expect(client.responses.create({ model, input: 'x', previous_response_id: id })).rejects.toMatchObject({
    status: 404,
  })
  const unstored = await client.responses.create({ model, input: 'hello', store: false })
  await expect(client.responses.retrieve(unstored.id)).rejects.toMatchObject({ status: 404 })
})

test("LangChain's client speaks the Responses API, also with a schema", async () => {
  const reader = defineActor(async ({ respond }) => {
    const parts = [
      { partType: 'response' as const, text: 'Three.' },
      { partType: 'domain-data' as const, data: { total: 3 } },
    ]
    await respond({ parts, turnState: 'complete' })
  })
  const { url } = await start({ reader })
  const chat = new ChatOpenAI({
    model,
    apiKey: 'key-ann',
    useResponsesApi: true,
    configuration: { baseURL: `${url}/v1` },
  })
  const texts: string[] = []
  for await (const chunk of await chat.stream([new HumanMessage('read')])) texts.push(chunk.text)
  expect(texts.join('')).toBe('Three.')
  const structured = chat.withStructuredOutput(z.object({ total: z.number() }), {
    method: 'jsonSchema',
    name: 'invoice',
  })
  expect(await structured.invoke('read')).toEqual({ total: 3 })
})

test('a turn that ends in an error is a failed response', async () => {
  const failing = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'error', text: 'The shop is closed.' }], turnState: 'error' })
  })
  const { client } = await start({ failing })
  const response = await client.responses.create({ model, input: 'hello' })
  expect(response).toMatchObject({ status: 'failed', error: { message: 'The shop is closed.' } })
  const stream = await client.responses.create({ model, input: 'hello', stream: true })
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  expect(types.at(-1)).toBe('response.failed')
})
