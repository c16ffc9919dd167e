import { defineTool } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { anthropicEvent, anthropicWire as wire, ping } from './anthropic-stream.ts'
import { messagesOf, streamed } from './provider-server.ts'
import { faultsOf } from './provider-faults.ts'
import { respond, searchFlights, talkTo, turnsOf } from './provider-turns.ts'
import type { Block } from './wire.ts'

const message = (...blocks: Block[]) => streamed(...wire.message(blocks))
const hello = respond('toolu_9', 'complete', 'response', 'Hello.')
const search: Block = { id: 'toolu_1', tool: 'search_flights', input: { to: 'Corfu' } }

describe('with @ai-sdk/anthropic', () => {
  turnsOf(wire)
  faultsOf(wire)

  test('the key goes into its header, the model and its settings into the body', async () => {
    const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } }
    await using context = await talkTo(wire, [message(hello)], { providerOptions, maxOutputTokens: 2_000 })
    await (await context.talk.say()).settled()
    const [request] = context.server.requests
    expect(request?.path).toBe('/messages')
    expect(request?.headers).toMatchObject({ 'x-api-key': 'a-key', 'anthropic-version': '2023-06-01' })
    expect(request?.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      stream: true,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      tool_choice: { type: 'auto' },
    })
  })

  test('thinking goes back with its signature, redacted thinking as it came, both before the call', async () => {
    await using context = await talkTo(
      wire,
      [
        message({ reasoning: 'First.', signature: 'c2lnbmVkIG9uZQ==' }, { redacted: 'ZW5jcnlwdGVk' }, search),
        message({ reasoning: 'Second.', signature: 'c2lnbmVkIHR3bw==' }, { ...search, id: 'toolu_2' }),
        message(hello),
      ],
      { tools: [searchFlights] },
    )
    await (await context.talk.say()).settled()
    expect(messagesOf(context.server.requests[2])).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'First.', signature: 'c2lnbmVkIG9uZQ==' },
          { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' },
          { type: 'tool_use', id: 'toolu_1' },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Second.', signature: 'c2lnbmVkIHR3bw==' },
          { type: 'tool_use', id: 'toolu_2' },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_2' }] },
    ])
  })

  test('the results of all calls of a message are in one message, and failures are marked', async () => {
    const broken = defineTool({
      name: 'broken',
      description: 'Fails.',
      inputSchema: z.object({}),
      handler: () => {
        throw new Error('password hunter2')
      },
    })
    await using context = await talkTo(
      wire,
      [message(search, { id: 'toolu_2', tool: 'broken', input: {} }), message(hello)],
      { tools: [searchFlights, broken] },
    )
    await (await context.talk.say()).settled()
    expect(messagesOf(context.server.requests[1]).at(-1)).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1' },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_2',
          is_error: true,
          content: '<data origin="tool:broken">\nThe tool failed.\n</data>',
        },
      ],
    })
  })

  test('tokens that went into the cache have their own price', async () => {
    const usage = { input: 100, cached: 2_000, written: 3_000, output: 10 }
    await using context = await talkTo(wire, [streamed(...wire.message([hello], { usage }))], {
      prices: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
    })
    await (await context.talk.say()).settled()
    const [noted] = (await context.talk.notes('usage')) as { cost: number }[]
    expect(noted).toMatchObject({ inputTokens: 5_100, cachedInputTokens: 2_000, outputTokens: 10 })
    expect(noted?.cost).toBeCloseTo((100 * 3 + 2_000 * 0.3 + 3_000 * 3.75 + 10 * 15) / 1_000_000, 10)
  })

  test('an overload that is reported under the status 200 is tried again', async () => {
    const overloaded = streamed(ping, wire.errorEvent('overloaded_error', 'Overloaded'))
    await using context = await talkTo(wire, [overloaded, message(hello)])
    const turn = await context.talk.say()
    await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
    await turn.settled()
    expect(turn.texts()).toEqual(['response: Hello.'])
    expect(await context.talk.notes('model-error')).toMatchObject([{ attempt: 1, status: 529 }])
  })

  test('a stream that begins with something unreadable gives an error and no part', async () => {
    await using context = await talkTo(wire, [streamed('data: {"type":"mess\n\n'), message(hello)])
    const turn = await context.talk.say()
    expect(await turn.settled()).toMatchObject({ turnState: 'error' })
    expect(turn.texts()).toEqual([expect.stringMatching(/^error: /)])
  })

  test('a model that reached its length limit is told so', async () => {
    const half: Block = { id: 'toolu_1', tool: 'respond', input: '{"turnState":"complete","parts":[{"metadata":' }
    await using context = await talkTo(wire, [
      streamed(...wire.message([half], { stop: 'max_tokens' })),
      message(hello),
    ])
    const turn = await context.talk.say()
    await turn.settled()
    expect(turn.texts()).toEqual(['response: Hello.'])
    expect(context.asked(1).results.toolu_1).toContain('length limit')
  })

  test('a model that declines to answer ends in an error, not in silence', async () => {
    const refusal = () => streamed(...wire.message([], { stop: 'refusal' }))
    await using context = await talkTo(wire, [refusal(), refusal()])
    expect(await (await context.talk.say()).settled()).toMatchObject({ turnState: 'error' })
  })

  test('events of kinds that are not known yet are an unreadable stream, not a crash', async () => {
    const [start = '', ...rest] = wire.message([hello])
    const future = anthropicEvent({ type: 'something_new', index: 0 })
    await using context = await talkTo(wire, [streamed(start, future, ...rest), message(hello)])
    const turn = await context.talk.say()
    await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
    await turn.settled()
    expect(turn.texts()).toEqual(['response: Hello.'])
  })
})
