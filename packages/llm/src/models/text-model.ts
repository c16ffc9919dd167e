import type { TextModel } from '@cool-ai/beach-protocol'
import { streamParts, type Model } from './model.ts'
import { reportedCall } from './reported-call.ts'
import { checkedLimits, type StreamLimits } from './stream-limits.ts'
import { usageOf } from './usage.ts'

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
      return reportedCall(model, async (found) => {
        let answer = ''
        for await (const part of streamParts(model, call, limits)) {
          if (part.type === 'text-delta') answer += part.delta
          if (part.type === 'finish')
            found({ ...usageOf(part.usage, undefined), finishReason: part.finishReason.unified })
        }
        return answer
      })
    },
  }
}
