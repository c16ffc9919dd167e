import type { Model } from '@cool-ai/beach-llm'
import { expect, test } from 'vitest'
import { Conversation } from './conversation.ts'
import { searchFlights } from './provider-turns.ts'

type ModelV3 = Extract<Model, { specificationVersion: 'v3' }>
type CallOptions = Parameters<ModelV3['doStream']>[0]
type Streamed = Awaited<ReturnType<ModelV3['doStream']>>['stream']
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never

const usage = {
  inputTokens: { total: 12, noCache: 12, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
}

/** A message of one tool call, as a provider of the third version streams it. */
function call(toolCallId: string, toolName: string, args: unknown): StreamPart[] {
  const input = JSON.stringify(args)
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: input.slice(0, 20) },
    { type: 'tool-input-delta', id: toolCallId, delta: input.slice(20) },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input },
    { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: undefined } },
  ]
}

test('a model of the third version of the interface plays an actor', async () => {
  const calls: CallOptions[] = []
  const messages = [
    call('call_1', 'search_flights', { to: 'Corfu' }),
    call('call_2', 'respond', {
      turnState: 'complete',
      parts: [{ metadata: { partType: 'response' }, text: 'Found one.' }],
    }),
  ]
  const model: ModelV3 = {
    specificationVersion: 'v3',
    provider: 'third',
    modelId: 'third-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    doStream: async (options) => {
      const parts = messages[calls.push(options) - 1] ?? []
      const stream = new ReadableStream<StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      })
      return { stream }
    },
  }
  const talk = new Conversation(model, { tools: [searchFlights] })
  const turn = await talk.say()
  expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
  expect(turn.texts()).toEqual(['response: Found one.'])
  expect(calls[1]?.prompt.at(-1)).toMatchObject({ role: 'tool', content: [{ toolCallId: 'call_1' }] })
  expect(await talk.notes('usage')).toMatchObject([
    { model: 'third-1', inputTokens: 12, outputTokens: 7 },
    { model: 'third-1', inputTokens: 12, outputTokens: 7 },
  ])
})
