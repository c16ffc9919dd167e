import type { TextModel } from '@cool-ai/beach-protocol'
import { streamParts, type Model } from './model.ts'
import { checkedLimits, type StreamLimits } from './stream-limits.ts'

/** A language model as the translator needs it: one text in, one text out. */
export function textModel(
  model: Model,
  options: { readonly maxOutputTokens?: number; readonly streamLimits?: StreamLimits } = {},
): TextModel {
  const { maxOutputTokens = 1_000 } = options
  const limits = checkedLimits(options.streamLimits)
  return {
    async generate({ system, text }, signal) {
      const call: Parameters<typeof streamParts>[1] = {
        prompt: [
          { role: 'system', content: system },
          { role: 'user', content: [{ type: 'text', text }] },
        ],
        maxOutputTokens,
        abortSignal: signal,
      }
      const parts = streamParts(model, call, limits)
      let answer = ''
      for await (const part of parts) if (part.type === 'text-delta') answer += part.delta
      return answer
    },
  }
}
