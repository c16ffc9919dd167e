import { createModel } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import { Conversation } from './conversation.ts'
import { done, openAiChunk, openAiData, openAiWire as wire } from './openai-stream.ts'
import { messagesOf, ProviderServer, streamed } from './provider-server.ts'
import { faultsOf } from './provider-faults.ts'
import { respond, searchFlights, talkTo, turnsOf } from './provider-turns.ts'
import { inputText, pieces, type Block } from './wire.ts'

const message = (...blocks: Block[]) => streamed(...wire.message(blocks))
const hello = respond('call_9', 'complete', 'response', 'Hello.')
const search: Block = { id: 'call_1', tool: 'search_flights', input: { to: 'Corfu' } }

/** A piece of the arguments of the call at this index. */
const argument = (index: number, text: string, begin: object = {}) =>
  openAiChunk({
    tool_calls: [{ index, ...begin, function: { ...('id' in begin && { name: 'respond' }), arguments: text } }],
  })

describe('with @ai-sdk/openai-compatible', () => {
  turnsOf(wire)
  faultsOf(wire)

  test('the key goes into its header, and the server is asked to count tokens', async () => {
    await using context = await talkTo(wire, [message(hello)])
    await (await context.talk.say()).settled()
    const [request] = context.server.requests
    expect(request?.path).toBe('/chat/completions')
    expect(request?.headers.authorization).toBe('Bearer a-key')
    expect(request?.body).toMatchObject({
      model: 'some-model',
      stream: true,
      stream_options: { include_usage: true },
      tool_choice: 'auto',
    })
  })

  test('settings reach the package, those that we would have chosen too', async () => {
    await using server = await ProviderServer.start(message(hello))
    const model = await createModel('openai-compatible/vendor/model-7b', {
      baseURL: `${server.url}/v1`,
      name: 'gateway',
      includeUsage: false,
    })
    expect(model).toMatchObject({ provider: 'gateway.chat', modelId: 'vendor/model-7b' })
    await (await new Conversation(model).say()).settled()
    expect(server.requests[0]?.path).toBe('/v1/chat/completions')
    expect(server.requests[0]?.headers.authorization).toBeUndefined()
    expect(server.requests[0]?.body.stream_options).toBeUndefined()
  })

  test('each result is a message of its own', async () => {
    await using context = await talkTo(wire, [message(search, { ...search, id: 'call_2' }), message(hello)], {
      tools: [searchFlights],
    })
    await (await context.talk.say()).settled()
    expect(messagesOf(context.server.requests[1]).slice(2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function' }, { id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_1' },
      { role: 'tool', tool_call_id: 'call_2' },
    ])
  })

  test('reasoning between texts goes back once', async () => {
    const blocks = [{ reasoning: 'One. ' }, { text: 'Let me see.' }, { reasoning: 'Two.' }, search]
    await using context = await talkTo(wire, [message(...blocks), message(hello)], { tools: [searchFlights] })
    await (await context.talk.say()).settled()
    expect(context.asked(1).reasoning).toEqual([{ text: 'One. Two.' }])
    expect(messagesOf(context.server.requests[1])).toMatchObject([{}, {}, { content: 'Let me see.' }, {}])
  })

  test('calls whose arguments arrive mixed are each shown in their own place', async () => {
    const texts = ['First, the flights.', 'Then, the hotels.']
    const inputs = texts.map((text, index) => {
      const input = {
        turnState: index === 0 ? 'awaiting' : 'complete',
        parts: [{ metadata: { partType: 'response' }, text }],
      }
      return pieces(inputText(input), 9)
    })
    const mixed = inputs[0]?.flatMap((piece, place) => {
      const begin = (index: number) => (place === 0 ? { id: `call_${index}`, type: 'function' } : {})
      return [argument(0, piece, begin(0)), argument(1, inputs[1]?.[place] ?? '', begin(1))]
    })
    const seen = Promise.withResolvers<void>()
    await using context = await talkTo(wire, [
      streamed(...(mixed ?? []), seen.promise, openAiChunk({}, 'tool_calls'), done),
    ])
    const turn = await context.talk.say()
    await turn.shows('First, the flights.')
    expect(turn.texts()).toEqual(['response: First, the flights.'])
    seen.resolve()
    await turn.settled()
    expect(turn.texts()).toEqual(texts.map((text) => `response: ${text}`))
    const deltas = turn.frames.flatMap((frame) => (frame.kind === 'delta' ? [frame] : []))
    for (const [index, text] of texts.entries()) {
      const own = deltas.filter((frame) => frame.partId.endsWith(`.${index}.0`))
      expect(own.map((frame) => frame.text).join('')).toBe(text)
    }
  })

  test('a call that comes at once, without an id, is a call', async () => {
    const whole = openAiChunk({
      role: 'assistant',
      tool_calls: [{ index: 0, function: { name: 'respond', arguments: inputText('input' in hello && hello.input) } }],
    })
    await using context = await talkTo(wire, [streamed(whole, openAiChunk({}, 'tool_calls'))])
    const turn = await context.talk.say()
    await turn.settled()
    expect(turn.texts()).toEqual(['response: Hello.'])
    // There was no count.
    expect(await context.talk.notes('usage')).toMatchObject([{ inputTokens: 0, outputTokens: 0 }])
  })

  test.each([
    [429, 2],
    [400, 1],
  ])('an error in the stream with the code %i means %i requests', async (code, requests) => {
    const error = openAiData({ error: { message: 'From upstream.', code } })
    await using context = await talkTo(wire, [streamed(error), message(hello)])
    const turn = await context.talk.say()
    if (requests > 1) await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
    await turn.settled()
    expect(context.server.requests).toHaveLength(requests)
    expect(await context.talk.notes('model-error')).toMatchObject([{ attempt: 1, status: code }])
  })

  test('a gateway that answers with a page is tried again, and the page is not shown', async () => {
    const page = { status: 502, headers: { 'content-type': 'text/html' }, pieces: ['<h1>Bad gateway at 10.0.0.7</h1>'] }
    await using context = await talkTo(wire, [page, message(hello)])
    const turn = await context.talk.say()
    await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
    await turn.settled()
    expect(turn.texts()).toEqual(['response: Hello.'])
    expect(JSON.stringify([await context.talk.events(), context.talk.logLines, turn.frames])).not.toContain(
      'gateway at',
    )
  })
})
