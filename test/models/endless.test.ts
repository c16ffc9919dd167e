import type { LlmActorConfig, Model } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import { Conversation } from './conversation.ts'

type ModelV4 = Extract<Model, { specificationVersion: 'v4' }>
type Streamed = Awaited<ReturnType<ModelV4['doStream']>>['stream']
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never

const usage = {
  inputTokens: { total: 12, noCache: 12, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
}
const finish: StreamPart = { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: undefined } }
const answer = { turnState: 'complete', parts: [{ metadata: { partType: 'response' }, text: 'Here it is.' }] }
const good: StreamPart[] = [
  { type: 'tool-call', toolCallId: 'call_9', toolName: 'respond', input: JSON.stringify(answer) },
  finish,
]

/** These parts, then the last ones again and again, for as long as a reader reads. */
function endless(first: readonly StreamPart[], again: StreamPart): Streamed {
  const rest = [...first]
  return new ReadableStream<StreamPart>({ pull: (controller) => controller.enqueue(rest.shift() ?? again) })
}

function whole(parts: readonly StreamPart[]): Streamed {
  return new ReadableStream<StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** A model that answers call after call in these ways, with no regard to the signal. */
function modelOf(...answers: (() => Streamed | Promise<Streamed>)[]) {
  const signals: (AbortSignal | undefined)[] = []
  const model: ModelV4 = {
    specificationVersion: 'v4',
    provider: 'odd',
    modelId: 'odd-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    doStream: async ({ abortSignal }) => ({
      stream: await (answers[signals.push(abortSignal) - 1] ?? (() => whole(good)))(),
    }),
  }
  return { model, signals }
}

function talk(answers: Parameters<typeof modelOf>, config: Partial<LlmActorConfig> = {}) {
  const { model, signals } = modelOf(...answers)
  return { talk: new Conversation(model, config), signals }
}

const kilobyte = 'x'.repeat(1_024)
const begin: StreamPart = { type: 'tool-input-start', id: 'call_1', toolName: 'respond' }
const floods: Record<string, () => Streamed> = {
  'of text': () => endless([{ type: 'text-start', id: '1' }], { type: 'text-delta', id: '1', delta: kilobyte }),
  'of reasoning': () =>
    endless([{ type: 'reasoning-start', id: '1' }], { type: 'reasoning-delta', id: '1', delta: kilobyte }),
  'of arguments of respond()': () => endless([begin], { type: 'tool-input-delta', id: 'call_1', delta: kilobyte }),
  'of arguments of a tool': () =>
    endless([{ ...begin, toolName: 'search' }], { type: 'tool-input-delta', id: 'call_1', delta: kilobyte }),
  'in one piece': () => whole([{ type: 'text-delta', id: '1', delta: kilobyte.repeat(5_000) }, ...good]),
  'of calls': () =>
    endless([], {
      type: 'tool-call',
      toolCallId: 'call_1',
      toolName: 'search',
      input: JSON.stringify(kilobyte.repeat(8)),
    }),
}

describe('a message without an end', () => {
  test.each(Object.entries(floods))('%s is broken off, and not asked for again', async (_, flood) => {
    const { talk: there, signals } = talk([flood])
    const turn = await there.say()
    expect(await turn.settled()).toMatchObject({ turnState: 'error', finalizedBy: 'budget' })
    expect(turn.texts()).toEqual(["error: The model's message is larger than 4000000 bytes."])
    expect(signals).toHaveLength(1)
  })

  const blocks: Record<string, () => Streamed> = {
    'calls without arguments': () =>
      endless([], { type: 'tool-call', toolCallId: 'call_1', toolName: 'search', input: '' }),
    'begun calls': () => endless([], { ...begin, toolName: 'search' }),
    'begun texts': () => endless([], { type: 'text-start', id: '1' }),
  }

  test.each(Object.entries(blocks))('of %s is broken off after a thousand of them', async (_, flood) => {
    const { talk: there, signals } = talk([flood])
    const turn = await there.say()
    expect(await turn.settled()).toMatchObject({ turnState: 'error', finalizedBy: 'budget' })
    expect(turn.texts()).toEqual(["error: The model's message has more than 1000 texts and calls."])
    expect(signals).toHaveLength(1)
  })

  test('is broken off where the tokens of the turn would be used up', async () => {
    const { talk: there, signals } = talk([floods['of text'] ?? (() => whole([]))], { budget: { tokens: 1_000 } })
    const turn = await there.say()
    expect(await turn.settled()).toMatchObject({ turnState: 'error', finalizedBy: 'budget' })
    expect(turn.texts()).toEqual(["error: The model's message takes more than the 1000 tokens that are left."])
    expect(signals).toHaveLength(1)
  })

  test('has the limits that the actor gives it', async () => {
    const { talk: there } = talk([() => whole(good)], { streamLimits: { maxBytes: 20 } })
    expect(await (await there.say()).settled()).toMatchObject({ turnState: 'error', finalizedBy: 'budget' })
    expect(() => talk([], { streamLimits: { idleMs: 0 } })).toThrow('streamLimits.idleMs must be a number above 0.')
  })
})

const never = new Promise<never>(() => {})
const silences: Record<string, readonly [() => Streamed | Promise<Streamed>, number]> = {
  'does not begin to answer': [() => never, 120_000],
  'begins, and says nothing': [() => new ReadableStream({ pull: () => never }), 120_000],
}

describe('a model that ignores the signal', () => {
  test.each(Object.entries(silences))('and %s is asked again', async (_, [answers, ms]) => {
    const { talk: there, signals } = talk([answers])
    const turn = await there.say()
    await there.clock.wait(0, { from: ms, to: ms })
    await there.clock.advance(ms)
    await there.clock.advance(await there.clock.wait(0, { from: 250, to: 500 }))
    expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
    expect(turn.texts()).toEqual(['response: Here it is.'])
    expect(signals).toHaveLength(2)
    expect(signals[0]?.aborted).toBe(true)
    expect(await there.notes('model-error')).toMatchObject([{ reason: `The stream was silent for ${ms / 1_000} s.` }])
  })

  test.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('and begins, and falls silent, is asked again after a minute, though the clock was set %s', async (_, step) => {
    const text: StreamPart = { type: 'text-delta', id: '1', delta: 'Well' }
    let isAsked = Promise.withResolvers<void>()
    let more = Promise.withResolvers<StreamPart>()
    const answers = () =>
      new ReadableStream<StreamPart>({
        async pull(controller) {
          isAsked.resolve()
          controller.enqueue(await more.promise)
        },
      })
    const { talk: there, signals } = talk([answers])
    const turn = await there.say()
    const says = async () => {
      await isAsked.promise
      isAsked = Promise.withResolvers()
      const { resolve } = more
      more = Promise.withResolvers()
      resolve(text)
      await isAsked.promise
    }
    await says()
    await there.clock.wait(0, { from: 60_000, to: 60_000 })
    await there.clock.advance(40_000)
    await says()
    there.clock.step(step)
    // A piece came 20 seconds ago: this is no silence yet.
    await there.clock.advance(20_000)
    expect(signals[0]?.aborted).toBe(false)
    await there.clock.advance(40_000)
    await there.clock.advance(await there.clock.wait(0, { from: 250, to: 500 }))
    expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
    expect(signals).toHaveLength(2)
  })

  test('and sends pieces without content, as fast as they are read, is asked again', async () => {
    const { talk: there, signals } = talk([() => endless([], { type: 'text-delta', id: '1', delta: '' })])
    const turn = await there.say()
    await there.clock.advance(await there.clock.wait(0, { from: 250, to: 500 }))
    expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
    expect(signals).toHaveLength(2)
  })

  test('and begins to answer after its caller has gone has its stream cancelled', async () => {
    const late = Promise.withResolvers<Streamed>()
    const cancelled = Promise.withResolvers<void>()
    const { talk: there } = talk([() => late.promise])
    const turn = await there.say()
    await there.clock.wait(0, { from: 120_000, to: 120_000 })
    await there.clock.advance(120_000)
    await there.clock.advance(await there.clock.wait(0, { from: 250, to: 500 }))
    await turn.settled()
    late.resolve(new ReadableStream<StreamPart>({ cancel: () => cancelled.resolve() }))
    await cancelled.promise
  })
})
