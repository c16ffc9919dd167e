import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { scriptedModel } from './scripted-model.ts'
import { textModel } from './text-model.ts'

const request = { system: 'Rewrite.', text: 'Hello.' }
const { signal } = new AbortController()
const finish: LanguageModelV4StreamPart = {
  type: 'finish',
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
  finishReason: { unified: 'stop', raw: undefined },
}
const delta: LanguageModelV4StreamPart = { type: 'text-delta', id: '0', delta: 'Half an ans' }

/** A model that streams these parts. */
function streaming(...parts: LanguageModelV4StreamPart[]) {
  const calls: LanguageModelV4CallOptions[] = []
  const model = {
    ...scriptedModel({ rules: [] }),
    doStream: async (options: LanguageModelV4CallOptions) => {
      calls.push(options)
      return {
        stream: new ReadableStream<LanguageModelV4StreamPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part)
            controller.close()
          },
        }),
      }
    },
  }
  return { calls, model }
}

test('a text is all that the model says outside of its reasoning', async () => {
  const model = scriptedModel({ rules: [{ say: ({ text }) => ({ reasoning: 'Hm.', text: `You said: ${text}` }) }] })
  expect(await textModel(model).generate(request, signal)).toBe('You said: Hello.')
})

test('the request is a system message, the text, and a limit', async () => {
  const { calls, model } = streaming(delta, finish)
  await textModel(model, { maxOutputTokens: 50 }).generate(request, signal)
  expect(calls).toEqual([
    {
      prompt: [
        { role: 'system', content: 'Rewrite.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
      ],
      maxOutputTokens: 50,
      abortSignal: expect.any(AbortSignal) as AbortSignal,
    },
  ])
})

test.each([
  ['ended too early', [delta]],
  ['was interrupted', [delta, { ...finish, finishReason: { unified: 'interrupted', raw: undefined } } as const]],
  ['reported an error', [delta, { type: 'error', error: { message: 'sk-canary' } } as const, finish]],
])('half a text is none: the stream %s', async (_, parts) => {
  const failed = textModel(streaming(...parts).model).generate(request, signal)
  await expect(failed).rejects.toMatchObject({ name: 'ModelFailure', retryable: true })
  await expect(failed).rejects.not.toThrow('sk-canary')
})
