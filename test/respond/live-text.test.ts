import { createBeach } from '@cool-ai/beach'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readEvents, type ServerEvent } from '../support/server-events.ts'

// Document 004, "Multi-call pattern": what a model says is seen while it is said, in whichever order it writes the keys.

type Stream = Awaited<ReturnType<ReturnType<typeof scriptedModel>['doStream']>>['stream']
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never

const pieces = Array.from({ length: 50 }, (_, index) => `<${index}>`)
const part = (text: string) => `{"metadata":{"partType":"response"},"text":"${text}"}`
const orders = [
  ['parts before turnState', '{"parts":[', '],"turnState":"complete"}'],
  ['turnState before parts', '{"turnState":"complete","parts":[', ']}'],
] as const

/** A model that says the next piece only when the listener has seen the one before. */
function paced(before: string, after: string) {
  const [open = '', close = ''] = part('~').split('~')
  let isSeen = Promise.withResolvers<void>()
  const scripted = scriptedModel({ rules: [] })
  async function* parts(): AsyncGenerator<StreamPart> {
    const id = 'call_1'
    yield { type: 'tool-input-start', id, toolName: 'respond' }
    yield { type: 'tool-input-delta', id, delta: before + open }
    for (const delta of pieces) {
      isSeen = Promise.withResolvers<void>()
      yield { type: 'tool-input-delta', id, delta }
      await isSeen.promise
    }
    yield { type: 'tool-input-delta', id, delta: close + after }
    const input = before + part(pieces.join('')) + after
    yield { type: 'tool-call', toolCallId: id, toolName: 'respond', input }
    const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 }
    const finishReason = { unified: 'tool-calls', raw: undefined } as const
    yield { type: 'finish', usage: { inputTokens: none, outputTokens: none }, finishReason }
  }
  const stream = () => {
    const said = parts()
    return new ReadableStream<StreamPart>({
      async pull(controller) {
        const next = await said.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
    })
  }
  return { seen: () => isSeen.resolve(), model: { ...scripted, doStream: async () => ({ stream: stream() }) } }
}

const json = { 'content-type': 'application/json' }
const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })

/** The ways to say something to the agent at the address and hear its answer. */
const listeners: Readonly<Record<string, (url: string) => AsyncIterable<ServerEvent>>> = {
  async *SSE(url) {
    const opened = await fetch(`${url}/sessions`, { ...post({}), headers: json })
    const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
    const headers = { ...json, authorization: `Bearer ${token}` }
    await fetch(`${url}/sessions/${sessionId}/messages`, { ...post({ text: 'Hello.' }), headers })
    yield* readEvents(`${url}/sessions/${sessionId}/events`, headers)
  },
  'AG-UI': (url) => {
    const messages = [{ id: 'm1', role: 'user', content: 'Hello.' }]
    const run = {
      threadId: 'thread-with-a-long-enough-name-1',
      runId: 'r1',
      messages,
      tools: [],
      context: [],
      state: {},
    }
    return readEvents(`${url}/agui`, { ...json, accept: 'text/event-stream' }, post({ ...run, forwardedProps: {} }))
  },
  A2A: (url) => {
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hello.' }] }
    const call = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } }
    return readEvents(`${url}/a2a`, { ...json, 'a2a-version': '1.0' }, post(call))
  },
}

describe.each(orders)('%s', (_, before, after) => {
  test.each(Object.keys(listeners))('50 pieces of a response arrive one by one by %s', async (name) => {
    const { model, seen } = paced(before, after)
    const beach = await createBeach({
      agent: { id: 'speaker', name: 'Speaker', description: 'Speaks slowly.' },
      data: 'memory',
      actors: { speaker: llmActor({ model, instructions: 'Speak.' }) },
    })
    onTestFinished(() => beach.close())
    const { url } = await beach.listen({ port: 0, signals: false })
    const arrived: string[] = []
    for await (const { data } of listeners[name]?.(url) ?? []) {
      const has = pieces.filter((piece) => JSON.stringify(data).includes(piece))
      const [only = ''] = has
      if (has.length > 1) break
      if (has.length === 0) continue
      arrived.push(only)
      seen()
    }
    expect(arrived).toEqual(pieces)
  })
})
