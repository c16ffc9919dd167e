import type {
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { yieldToEventLoop, raceAbort } from '@cool-ai/beach-core/runtime'
import { brokenStream, modelFailure } from './model-failure.ts'
import { readableCall } from './readable-call.ts'
import { StreamWatch, type StreamBounds } from './stream-limits.ts'

/** A model of the AI SDK's provider interface, so that every provider package works. */
export type Model = LanguageModelV3 | LanguageModelV4

export type ModelPrompt = LanguageModelV4CallOptions['prompt']
export type ModelMessage = ModelPrompt[number]
export type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content']
export type StreamPart = Exclude<LanguageModelV4StreamPart, { type: 'error' }>

// Pieces that are there already come without a turn of the event loop, in which timers would run.
const piecesAtOnce = 250

/**
 * A model's stream, up to its proper end and within its limits. Every call of a model goes through here, so hidden
 * characters never reach one. Every failure on the model's side, also silence and endless output, is a `ModelFailure`;
 * a failure of the code that reads the parts is not. A provider that ignores the signal is not waited for.
 */
export async function* streamParts(
  model: Model,
  options: LanguageModelV4CallOptions,
  bounds: StreamBounds = {},
): AsyncGenerator<StreamPart> {
  const watch = new StreamWatch(bounds, options.abortSignal)
  const { signal } = watch
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  // A read that is waited for ends with the stream, also when the provider goes on.
  const cancel = () => void reader?.cancel().catch(ignore)
  let complete = false
  try {
    reader = (await opened(model, options, signal)).getReader()
    signal.addEventListener('abort', cancel, { once: true })
    for (let count = 1; ; count++) {
      if (count % piecesAtOnce === 0) await yieldToEventLoop()
      const { done, value: part } = await reader.read()
      signal.throwIfAborted()
      if (done) break
      if (part.type === 'error') throw modelFailure(part.error)
      watch.saw(part)
      // Some providers finish a stream that was cut off, and say so.
      if (part.type === 'finish') complete = !['interrupted', 'error'].includes(part.finishReason.unified)
      yield part
    }
  } catch (error) {
    options.abortSignal?.throwIfAborted()
    throw modelFailure(error)
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
    watch.done()
  }
  if (!complete) throw brokenStream()
}

/** The stream of a call. One that comes after the signal is cancelled. */
async function opened(
  model: Model,
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  // Our requests, and what we read of the answers, are the same in both versions of the interface.
  const opening = (model as LanguageModelV4).doStream(readableCall({ ...options, abortSignal: signal }))
  try {
    return (await raceAbort(opening, signal)).stream
  } catch (error) {
    void Promise.resolve(opening)
      .then((late) => late.stream.cancel(), ignore)
      .catch(ignore)
    throw error
  }
}

function ignore(): void {}
