import type { TextModel } from '@cool-ai/beach-protocol'
import { streamParts, type Model } from './model.ts'

/** A language model as the translator needs it: one text in, one text out. */
export function textModel(model: Model, options: { readonly maxOutputTokens?: number } = {}): TextModel {
  return {
    async generate({ system, text }, signal) {
      const parts = streamParts(model, {
        prompt: [
          { role: 'system', content: system },
          { role: 'user', content: [{ type: 'text', text }] },
        ],
        maxOutputTokens: options.maxOutputTokens ?? 1_000,
        abortSignal: signal,
      })
      let answer = ''
      for await (const part of parts) if (part.type === 'text-delta') answer += part.delta
      return answer
    },
  }
}
