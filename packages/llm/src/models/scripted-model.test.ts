import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { simulatedRuntime } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { useRespond } from '../actor/free-text.ts'
import type { ModelPrompt } from './model.ts'
import { scriptedModel, type ScriptContext, type ScriptedModelOptions } from './scripted-model.ts'

const user = (text: string): ModelPrompt[number] => ({ role: 'user', content: [{ type: 'text', text }] })
const called = (toolCallId: string, toolName: string): ModelPrompt[number] => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName, input: {} }],
})
const result = (toolCallId: string, toolName: string, value: string): ModelPrompt[number] => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }],
})

async function answer(options: ScriptedModelOptions, prompt: ModelPrompt, abortSignal?: AbortSignal) {
  const { stream } = await scriptedModel(options).doStream({ prompt, ...(abortSignal && { abortSignal }) })
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

/** What a script is shown of a conversation. */
async function shownOf(prompt: ModelPrompt): Promise<ScriptContext> {
  let shown: ScriptContext | undefined
  await answer({ rules: [{ say: (context) => ((shown = context), {}) }] }, prompt)
  if (shown === undefined) throw new Error('The script was not asked.')
  return shown
}

describe('a scripted model', () => {
  test('says what the first rule that applies says', async () => {
    const rules = [
      { when: ({ text }: ScriptContext) => text === 'no', say: () => ({ text: 'wrong' }) },
      { when: ({ text }: ScriptContext) => text === 'yes', say: () => ({ text: 'right' }) },
      { say: () => ({ text: 'too late' }) },
    ]
    const parts = await answer({ rules }, [user('yes')])
    expect(parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : [])).join('')).toBe('right')
  })

  test('streams reasoning, text and calls in pieces, as providers do', async () => {
    const message = { reasoning: 'Hm.', text: 'Ah.', respond: { a: 1 }, tools: [{ name: 'search', args: { to: 'x' } }] }
    const parts = await answer({ rules: [{ say: () => message }], pieceLength: 4 }, [user('go')])
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-delta',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'finish',
    ])
    const calls = parts.filter((part) => part.type === 'tool-call')
    expect(calls.map(({ toolName, input }) => [toolName, input])).toEqual([
      ['respond', '{"a":1}'],
      ['search', '{"to":"x"}'],
    ])
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2)
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } })
  })

  test('counts tokens that grow with what is said', async () => {
    const tokens = async (text: string) => {
      const finish = (await answer({ rules: [{ say: () => ({ text }) }] }, [user(text)])).at(-1)
      return finish?.type === 'finish' ? finish.usage : undefined
    }
    const short = await tokens('x')
    const long = await tokens('x'.repeat(4_000))
    expect((long?.inputTokens.total ?? 0) - (short?.inputTokens.total ?? 0)).toBe(1_000)
    expect((long?.outputTokens.total ?? 0) - (short?.outputTokens.total ?? 0)).toBe(1_000)
  })

  test('is the same every time', async () => {
    const rules = [{ say: () => ({ respond: { a: 1 } }) }]
    expect(await answer({ rules }, [user('go')])).toEqual(await answer({ rules }, [user('go')]))
  })

  test('says when its script has nothing to say', async () => {
    await expect(answer({ rules: [] }, [user('go')])).rejects.toThrow('The script has no rule for: go')
  })

  test('pauses between pieces on its clock, and stops when it is told to', async () => {
    const { clock } = simulatedRuntime()
    const stop = new AbortController()
    const options = { rules: [{ say: () => ({ text: 'abc' }) }], pieceLength: 1, pieceMs: 100, clock }
    const { stream } = await scriptedModel(options).doStream({ prompt: [user('go')], abortSignal: stop.signal })
    const seen: string[] = []
    const reading = (async () => {
      for await (const part of stream) if (part.type === 'text-delta') seen.push(part.delta)
    })()
    await clock.advance(0)
    expect(seen).toEqual(['a'])
    await clock.advance(100)
    expect(seen).toEqual(['a', 'b'])
    stop.abort(new Error('Enough.'))
    await expect(reading).rejects.toThrow('Enough.')
    expect(seen).toEqual(['a', 'b'])
  })
})

describe('what a script is shown', () => {
  test('is the last message, and the results since then, without their fences', async () => {
    const prompt = [
      user('before'),
      called('1', 'search'),
      result('1', 'search', 'old'),
      user('now'),
      called('2', 'search'),
      result('2', 'search', '<data origin="tool:search">\nfirst\n</data>'),
      called('3', 'search'),
      result('3', 'search', '<data origin="tool:search">\nsecond\n</data>'),
    ]
    expect(await shownOf(prompt)).toMatchObject({ text: 'now', step: 2, results: new Map([['search', 'second']]) })
  })

  test('is still that message after the model was told to use respond()', async () => {
    const prompt = [
      user('now'),
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Hi!' }] },
      user(useRespond),
    ]
    expect(await shownOf(prompt)).toMatchObject({ text: 'now', step: 1 })
  })

  test('is nothing before the first message', async () => {
    expect(await shownOf([{ role: 'system', content: 'You are.' }])).toMatchObject({ text: '', step: 0 })
  })
})
