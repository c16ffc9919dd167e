import { scriptedModel } from '@cool-ai/beach-llm'

type Model = ReturnType<typeof scriptedModel>
type Stream = Awaited<ReturnType<Model['doStream']>>['stream']
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never
type Prompt = Parameters<Model['doStream']>[0]['prompt']

/** A call of a tool in a model's message. */
export interface SpokenCall {
  readonly name: string
  readonly input: unknown
}

/** A call of respond(), as the documents write it. */
export const respond = (input: unknown): SpokenCall => ({ name: 'respond', input })

/** A model that says its message call by call; `speak` knows the prompt, and may wait between two calls. */
export function messageModel(speak: (prompt: Prompt) => AsyncGenerator<SpokenCall>): Model {
  return {
    ...scriptedModel({ rules: [] }),
    doStream: async ({ prompt }) => {
      const parts = partsOf(speak(prompt), `call_${prompt.length}`)
      return {
        stream: new ReadableStream<StreamPart>({
          async pull(controller) {
            const next = await parts.next()
            if (next.done === true) controller.close()
            else controller.enqueue(next.value)
          },
        }),
      }
    },
  }
}

async function* partsOf(calls: AsyncGenerator<SpokenCall>, prefix: string): AsyncGenerator<StreamPart> {
  let index = 0
  for await (const { name, input } of calls) {
    const id = `${prefix}_${index++}`
    const json = JSON.stringify(input)
    yield { type: 'tool-input-start', id, toolName: name }
    yield { type: 'tool-input-delta', id, delta: json }
    yield { type: 'tool-input-end', id }
    yield { type: 'tool-call', toolCallId: id, toolName: name, input: json }
  }
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 }
  const finishReason = { unified: 'tool-calls', raw: undefined } as const
  yield { type: 'finish', usage: { inputTokens: none, outputTokens: none }, finishReason }
}
