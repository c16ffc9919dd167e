import type { Model } from '@cool-ai/beach-llm'
import { lookup, spoken, wantedIn } from './script.ts'

type ModelV4 = Extract<Model, { specificationVersion: 'v4' }>
type Prompt = Parameters<ModelV4['doStream']>[0]['prompt']
type Piece = Awaited<ReturnType<ModelV4['doStream']>>['stream'] extends ReadableStream<infer One> ? One : never

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 50, text: 50, reasoning: 0 },
}

/** The form that the model's answer has. */
type Answer = (words: AsyncIterable<string>) => AsyncIterable<Piece>

/** The scripted model behind the AI SDK's provider interface, which the AI SDK, Mastra and Beach have in common. */
export function scriptedModel(answer: Answer): ModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The scripted model only streams.')),
    doStream: ({ prompt }: { readonly prompt: Prompt }) =>
      Promise.resolve({ stream: streamOf(partsOf(prompt, answer)) }),
  }
}

/** The answer as a call of Beach's `respond` tool, whose JSON streams. */
export async function* asRespond(words: AsyncIterable<string>): AsyncGenerator<Piece> {
  const id = 'call_respond'
  const [begin, end] = ['{"parts":[{"partType":"response","text":"', '"}],"turnState":"complete"}']
  yield { type: 'tool-input-start', id, toolName: 'respond' }
  yield { type: 'tool-input-delta', id, delta: begin }
  let input = begin
  for await (const delta of words) {
    input += delta
    yield { type: 'tool-input-delta', id, delta }
  }
  yield { type: 'tool-input-delta', id, delta: end }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', toolCallId: id, toolName: 'respond', input: input + end }
}

async function* partsOf(prompt: Prompt, answer: Answer): AsyncGenerator<Piece> {
  yield { type: 'stream-start', warnings: [] }
  if (prompt.at(-1)?.role === 'tool') {
    yield* answer(spoken(wantedIn(lastText(prompt))))
    yield { type: 'finish', usage, finishReason: { unified: 'stop', raw: undefined } }
    return
  }
  const call = { toolCallId: `call_${prompt.length}`, toolName: lookup.name }
  const input = JSON.stringify(lookup.args)
  yield { type: 'tool-input-start', id: call.toolCallId, toolName: call.toolName }
  yield { type: 'tool-input-delta', id: call.toolCallId, delta: input }
  yield { type: 'tool-input-end', id: call.toolCallId }
  yield { type: 'tool-call', ...call, input }
  yield { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: undefined } }
}

function lastText(prompt: Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function streamOf<Part>(parts: AsyncGenerator<Part>): ReadableStream<Part> {
  return new ReadableStream<Part>({
    async pull(controller) {
      const next = await parts.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
  })
}
