import { llmActor, scriptedModel, type ScriptedMessage } from '@cool-ai/beach-llm'
import { simulatedRuntime } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { echo, until } from '../support/phone-context.ts'
import { platforms, type TestedPlatform } from './platforms/index.ts'
import { principalOf, workChatContext } from './work-chat-context.ts'

const words = 'It takes two hours and costs 187 pounds, with a seat at the window and a bag.'

/** A model that says a piece of its answer each time the clock moves on. */
function slowModel(message: ScriptedMessage) {
  const { clock } = simulatedRuntime()
  const model = scriptedModel({ rules: [{ say: () => message }], pieceMs: 10, pieceLength: 12, clock })
  const actor = llmActor({ model, instructions: 'You book flights.' })
  return { actors: { main: actor }, go: async (pieces = 1) => clock.advance(10 * pieces) }
}

async function asked({ open }: TestedPlatform, message: ScriptedMessage = answer(words)) {
  const setup = await workChatContext(open)
  const { actors, go } = slowModel(message)
  const process = await setup.start(echo, { principalOf }, { actors })
  const { chat } = setup
  const shown = () => chat.direct('Anna').map(({ text }) => text)
  /** Lets the model go on until something is shown. */
  const goOnUntil = async (condition: () => boolean) =>
    until(async () => {
      if (!condition()) await go()
      return condition()
    })
  return { setup, process, chat, go, shown, goOnUntil, actors }
}

function answer(text: string, before: readonly { partType: string; text: string }[] = []): ScriptedMessage {
  return { respond: { parts: [...before, { partType: 'response', text }], turnState: 'complete' } }
}

describe.each(platforms)('answers that grow at $platform', (platform) => {
  test('text is in one message that is edited while it is written, and finished in it', async () => {
    const { chat, shown, goOnUntil } = await asked(platform)
    await chat.tell('Anna', 'how long?')
    await goOnUntil(() => shown().length === 1)
    expect(words.startsWith(shown()[0] ?? 'nothing')).toBe(true)
    expect(shown()[0]?.length).toBeLessThan(words.length)
    await goOnUntil(() => shown()[0] === words)
    expect(shown()).toEqual([words])
    expect(chat.direct('Anna')[0]?.edits).toBeGreaterThan(0)
    expect(chat.attempts().length).toBe(1)
  })

  test('a platform that wants a pause gets one, and the whole answer after it', async () => {
    const { chat, shown, goOnUntil } = await asked(platform)
    await chat.tell('Anna', 'how long?')
    await goOnUntil(() => shown().length === 1)
    chat.rate.refuseNext(1)
    await goOnUntil(() => chat.rate.refused > 0)
    await goOnUntil(() => shown()[0] === words)
    expect(shown()).toEqual([words])
  })

  test('a process that ends in the middle leaves one message, which the next process finishes', async () => {
    const { setup, process, chat, shown, goOnUntil, actors } = await asked(platform)
    await chat.tell('Anna', 'how long?')
    await goOnUntil(() => shown().length === 1)
    await process.stop()
    await setup.start(echo, { principalOf }, { actors })
    await goOnUntil(() => shown()[0] === words)
    expect(shown()).toEqual([words])
  })

  test('what the agent does meanwhile is shown as its status', async () => {
    const { chat, shown, goOnUntil } = await asked(platform, answer('Done.', [{ partType: 'ack', text: 'Looking.' }]))
    await chat.mention('Anna', 'book it')
    await goOnUntil(() => chat.team('Anna').length === 1)
    expect(chat.statuses() > 0).toBe(platform.hasStatus)
    expect(chat.team('Anna').map(({ text }) => text)).toEqual(['Done.'])
    expect(shown()).toEqual([])
  })

  const lost = platform.canRead
    ? 'a growing message whose acknowledgement was lost is the one that is finished'
    : 'a growing message whose acknowledgement was lost stays as it is, and the finished answer comes below it'
  test(lost, async () => {
    const { chat, shown, goOnUntil, go } = await asked(platform)
    chat.server.failNext({ kind: 'lost' })
    await chat.tell('Anna', 'how long?')
    await goOnUntil(() => shown().length === 1)
    await go(100)
    await until(() => shown().includes(words))
    const [first = '', ...more] = shown()
    expect(more).toEqual(platform.canRead ? [] : [words])
    expect(words.startsWith(first)).toBe(true)
  })

  test('a message that was removed while it grew is sent anew', async () => {
    const { chat, shown, goOnUntil, go } = await asked(platform)
    await chat.tell('Anna', 'how long?')
    await goOnUntil(() => shown().length === 1)
    chat.remove(chat.direct('Anna')[0])
    await go(100)
    await until(() => shown().length === 1 && shown()[0] === words)
    expect(shown()).toEqual([words])
  })
})
