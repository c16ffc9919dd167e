import { createBeach, openData, type Beach } from '@cool-ai/beach'
import { systemRuntime, type Frame, type Principal } from '@cool-ai/beach-core'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import type { LiveBus } from '@cool-ai/beach-session/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'

const anna: Principal = { kind: 'user', id: 'anna', tenant: 'default' }
const page = { id: 'page', transport: 'sse', deliveryClass: 'streaming', principal: anna } as const
const secret = new TextEncoder().encode('a secret of thirty-two characters')
const runtime = systemRuntime({ logger: { log: () => {} } })

type Stream = Awaited<ReturnType<ReturnType<typeof scriptedModel>['doStream']>>['stream']
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never

/** A model that says the first half, and the second one when it is let. */
function slowModel() {
  const { promise: rest, resolve: letGo } = Promise.withResolvers<void>()
  const [start, end] = ['{"turnState":"complete","parts":[{"partType":"response","text":"Once upon', ' a time"}]}']
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 }
  async function* parts(): AsyncGenerator<StreamPart> {
    const id = 'call_1'
    yield { type: 'tool-input-start', id, toolName: 'respond' }
    yield { type: 'tool-input-delta', id, delta: start }
    await rest
    yield { type: 'tool-input-delta', id, delta: end }
    yield { type: 'tool-call', toolCallId: id, toolName: 'respond', input: start + end }
    const finishReason = { unified: 'tool-calls', raw: undefined } as const
    yield { type: 'finish', usage: { inputTokens: none, outputTokens: none }, finishReason }
  }
  const stream = (): Stream => {
    const said = parts()
    return new ReadableStream<StreamPart>({
      async pull(controller) {
        const next = await said.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
    })
  }
  const doStream = async () => ({ stream: stream() })
  return { letGo, model: { ...scriptedModel({ rules: [] }), doStream } }
}

/** A message broker as two processes see it: a subject for each process. */
function broker() {
  const subscribers = new Map<string, (message: string) => void>()
  const seen = { isDown: false, messages: [] as string[], closed: 0 }
  const bus = (): LiveBus => {
    let own = ''
    return {
      async listen(process, take) {
        own = process
        subscribers.set(process, take)
      },
      async send(process, message) {
        if (seen.isDown) throw new Error('The broker is away.')
        seen.messages.push(message)
        subscribers.get(process)?.(message)
      },
      async close() {
        subscribers.delete(own)
        seen.closed++
      },
    }
  }
  return { seen, bus }
}

/** Two processes of one agent whose live text goes by a broker. */
async function twoProcesses() {
  const database = await newDatabase()
  const { seen, bus } = broker()
  const { model, letGo } = slowModel()
  const start = async () => {
    const agent = { id: 'teller', name: 'Teller' }
    const data = await openData({ store: database.url, agent: agent.id, secret, runtime, liveBus: bus() })
    return createBeach({ agent, actors: { teller: llmActor({ model, instructions: 'Tell.' }) }, data, runtime })
  }
  const [host, other] = [await start(), await start()]
  onTestFinished(async () => {
    await Promise.all([host.close(), other.close()])
    await database[Symbol.asyncDispose]()
  })
  const session = await host.sessions.open({ principal: anna })
  const frames: Frame[] = []
  const following = follow(other, session, frames)
  const say = () =>
    host.sessions.post(session, { parts: [{ text: 'tell', metadata: { partType: 'message' } }], from: page }, anna)
  return { seen, letGo, frames, following, say, host, other }
}

async function follow({ sessions }: Beach, session: string, frames: Frame[]): Promise<void> {
  const end = new AbortController()
  for await (const frame of sessions.follow(session, page, '0', end.signal)) {
    frames.push(frame)
    if (frame.kind === 'settled') end.abort()
  }
}

const eventually = { timeout: 10_000 }
const kinds = (frames: readonly Frame[]) => frames.map(({ kind }) => kind)

test('a message broker carries the text that grows at one process to viewers of another', async () => {
  const { seen, letGo, frames, following, say, host, other } = await twoProcesses()
  await say()
  await expect.poll(() => JSON.stringify(frames), eventually).toContain('Once upon')
  expect(kinds(frames)).toContain('delta')
  expect(seen.messages.join()).toContain('Once upon')
  letGo()
  await following
  expect(JSON.stringify(frames)).toContain('Once upon a time')
  await Promise.all([host.close(), other.close()])
  expect(seen.closed, 'a process lets go of the broker when it ends').toBe(2)
})

test('while the broker is away viewers of another process get whole parts, and nothing is lost', async () => {
  const { seen, letGo, frames, following, say } = await twoProcesses()
  seen.isDown = true
  await say()
  letGo()
  await following
  expect(kinds(frames)).not.toContain('delta')
  expect(frames.filter(({ kind }) => kind === 'part')).toMatchObject([
    { part: { text: 'tell' } },
    { part: { text: 'Once upon a time' } },
  ])
  expect(seen.messages).toEqual([])
})
