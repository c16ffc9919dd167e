import type {
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { brokenStream, modelFailure } from './model-failure.ts'
import { readableCall } from './readable-call.ts'

/** A model of the AI SDK's provider interface, so that every provider package works. */
export type Model = LanguageModelV3 | LanguageModelV4

export type ModelPrompt = LanguageModelV4CallOptions['prompt']
export type ModelMessage = ModelPrompt[number]
export type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content']
export type StreamPart = Exclude<LanguageModelV4StreamPart, { type: 'error' }>

/**
 * What a model streams, up to its proper end. Every call of a model goes through here, so hidden characters never reach
 * one, wherever they come from. Whatever fails on the model's side is a `ModelFailure`; what fails where
 * the parts are read is not.
 */
export async function* streamParts(model: Model, options: LanguageModelV4CallOptions): AsyncGenerator<StreamPart> {
  let complete = false
  try {
    // What we send, and what we read, is the same in both versions of the interface.
    const { stream } = await (model as LanguageModelV4).doStream(readableCall(options))
    for await (const part of stream) {
      if (part.type === 'error') throw modelFailure(part.error)
      // Some providers finish a stream that was cut off, and say so.
      if (part.type === 'finish') complete = !['interrupted', 'error'].includes(part.finishReason.unified)
      yield part
    }
  } catch (error) {
    throw modelFailure(error)
  }
  if (!complete) throw brokenStream()
}
