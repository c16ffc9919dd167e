import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import { callerCard } from '../support/caller-card.ts'
import { freePort } from '../support/free-port.ts'
import { getTask, ownContext, runtime, says, send, startAgent, stockClient, ways, type AgentOptions } from './agent.ts'
import { mergeOptions } from '../support/merge-options.ts'

// Documents 000, "Envelope assembly" and "Consumer-defined part types", and 003, "Envelope block": the caller's Agent Card
// decides what it is sent.

const sally = defineActor(async ({ respond }) => {
  await respond({
    parts: [
      { partType: 'response', text: 'Two flights.' },
      { partType: 'domain-data', data: { flights: [1, 2] } },
      { partType: 'ta.board', data: { slots: 2 } },
    ],
    turnState: 'complete',
  })
})

/** Sally, whose answers a translator explains; `translated` are the turns for which it has run. */
async function startSally(options: AgentOptions = {}) {
  const translated: string[] = []
  const generate = async () => {
    translated.push('turn')
    return explained
  }
  const { url } = await startAgent(
    mergeOptions(
      {
        actors: { sally },
        turns: { translator: new LlmContextTranslator({ model: { generate } }) },
        partTypes: [
          {
            partType: 'ta.board',
            deliveryRules: { streaming: 'flush', buffered: 'at-settlement' },
            requiresPeerConsumes: true,
          },
        ],
      },
      options,
    ),
  )
  return { url, translated }
}

type Task = Awaited<ReturnType<typeof send>>

/** What a task's artifacts say; some clients lose the types of their parts. */
const saidIn = ({ artifacts }: Task) => artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value))
const plain = ['Two flights.', { flights: [1, 2] }]
const board = { slots: 2 }
const explained = 'The first is cheaper.'

describe.each(ways)('a caller by %s', (way) => {
  test('is sent what its card says that it consumes, now and when it asks for the task later', async () => {
    const { metadata, callerCards } = await callerCard(['llm-context', 'ta.board'])
    const { url, translated } = await startSally({ access: { callerCards } })
    const client = await stockClient(url, way)
    const task = await send(client, says('go', { metadata }))
    expect(saidIn(task)).toEqual([...plain, board, explained])
    expect(saidIn(await getTask(client, task.id))).toEqual(saidIn(task))
    expect(translated).toHaveLength(1)
  })

  test('that only claims to consume something is sent what a stranger is sent', async () => {
    const { url, translated } = await startSally()
    const client = await stockClient(url, way)
    const metadata = { [`${BEACH_EXTENSION_URI}/consumes`]: ['llm-context', 'ta.board'] }
    expect(saidIn(await send(client, says('go', { metadata })))).toEqual(plain)
    expect(saidIn(await send(client, says('go')))).toEqual(plain)
    expect(translated).toEqual([])
  })
})

test('a claim adds nothing to what the card says', async () => {
  const { metadata, callerCards } = await callerCard(['ta.board'])
  const { url } = await startSally({ access: { callerCards } })
  const claims = { ...metadata, [`${BEACH_EXTENSION_URI}/consumes`]: ['llm-context'] }
  expect(saidIn(await send(await stockClient(url), says('go', { metadata: claims })))).toEqual([...plain, board])
})

describe('a card that cannot be used leaves its caller with what a stranger is sent', () => {
  test.each<[string, (card: Awaited<ReturnType<typeof callerCard>>) => Partial<BeachOptions>]>([
    ['on this machine, where that is not allowed', () => ({})],
    ['that is none', (card) => (card.answers({ hello: 'world' }), { access: { callerCards: card.callerCards } })],
    ['where no cards are read', () => ({ access: { callerCards: false } })],
  ])('%s', async (_, options) => {
    const card = await callerCard(['llm-context', 'ta.board'])
    const { url, translated } = await startSally(options(card))
    expect(saidIn(await send(await stockClient(url), says('go', { metadata: card.metadata })))).toEqual(plain)
    expect(translated).toEqual([])
  })
})

test('a message that is sent again is the same one, although its card can be read only by then', async () => {
  const { metadata, callerCards } = await callerCard(['llm-context'])
  const store = new MemoryStore({ runtime })
  const before = await startSally({ data: { store }, access: { callerCards: false } })
  const after = await startSally({ data: { store }, access: { callerCards } })
  const message = says('go', { metadata, contextId: ownContext('again') })
  const first = await send(await stockClient(before.url), message)
  const second = await send(await stockClient(after.url), message)
  expect(second.id).toBe(first.id)
})

/** Baxter, who passes on what he is asked; `received` is what his model is told by Sally. */
async function startBaxter(url: string, port: number, more: Partial<BeachOptions['agent']>) {
  const received: string[] = []
  const model = scriptedModel({
    rules: [
      {
        when: ({ results }) => results.has('ask_tester'),
        say: ({ results }) => {
          received.push(String(results.get('ask_tester')))
          return { respond: { turnState: 'complete', parts: [{ metadata: { partType: 'response' }, text: 'Done.' }] } }
        },
      },
      { say: ({ text }) => ({ tools: [{ name: 'ask_tester', args: { message: text } }] }) },
    ],
  })
  const beach = await createBeach({
    agent: { id: 'baxter', name: 'Baxter', description: 'Organises.', ...more },
    data: 'memory',
    runtime,
    actors: { baxter: llmActor({ name: 'baxter', prompt: 'You are Baxter.', model, runtime }) },
    peers: { tester: { url: `${url}/` } },
  })
  const listening = await beach.listen({ port })
  onTestFinished(() => beach.close())
  await send(await stockClient(listening.url), says('Flights?'))
  return received.join()
}

test.each([
  ['says nothing of it consumes what a model can use', {}, true],
  ['consumes other things is sent those', { envelope: { parts: [], consumes: ['response'] } }, false],
])('an agent that asks another names its card: one that %s', async (_, more, isExplained) => {
  const port = await freePort()
  const { url, translated } = await startSally({
    access: { callerCards: { allowOrigins: [`http://127.0.0.1:${port}`] } },
  })
  const received = await startBaxter(url, port, more)
  expect(received).toContain('Two flights.')
  expect(received.includes(explained)).toBe(isExplained)
  expect(translated).toHaveLength(isExplained ? 1 : 0)
})
