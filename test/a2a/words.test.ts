import { defineActor } from '@cool-ai/beach'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { script } from '@cool-ai/beach-testing/model'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  approvalIn,
  data,
  getTask,
  says,
  send,
  startAgent,
  stateOf,
  stockClient,
  answerOf,
  textsOf,
  ways,
} from './agent.ts'

/** Pays once for each word of a message, each time after an approval. */
const payer = defineActor(async ({ text, respond, tool }) => {
  const outcomes: string[] = []
  for (const invoice of text.split(' ')) {
    const outcome = await tool(
      { name: 'pay', args: { invoice }, requiresApproval: true },
      async () => `paid ${invoice}`,
    )
    outcomes.push(outcome.outcome === 'ok' ? outcome.value : `${outcome.outcome}: ${outcome.reason}`)
  }
  await respond({ parts: [{ partType: 'response', text: outcomes.join(', ') }], turnState: 'complete' })
})

describe.each(ways)('an approval by %s', (way) => {
  test.each([
    ['yes', 'paid A1'],
    ['No, too expensive.', 'denied: too expensive.'],
  ])('says how it is answered, and is decided by the text: %s', async (words, reported) => {
    const { url } = await startAgent({ actors: { payer } })
    const client = await stockClient(url, way)
    const asked = await send(client, says('A1'))
    expect(stateOf(asked)).toBe('INPUT_REQUIRED')
    const lines = textsOf(asked.status?.message).join('\n').split('\n')
    expect(lines.filter((line) => line.includes('"yes"'))).toEqual([
      'Answer to this task with "yes" or "no" and nothing else.',
    ])
    const done = await send(client, says(words, { taskId: asked.id }))
    expect(stateOf(done)).toBe('COMPLETED')
    expect(answerOf(done)).toContain(reported)
  })
})

test.each(['yes, but only half of it', 'perhaps', 'уes'])(
  'the text "%s" decides nothing, and is told how to',
  async (words) => {
    const { url } = await startAgent({ actors: { payer } })
    const client = await stockClient(url)
    const asked = await send(client, says('A1'))
    await expect(send(client, says(words, { taskId: asked.id }))).rejects.toThrow(
      'Answer with "yes" or "no" and nothing else',
    )
    expect(stateOf(await getTask(client, asked.id))).toBe('INPUT_REQUIRED')
  },
)

test('of several approvals each says how it alone is decided, and a word decides none of them', async () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: z.object({ invoice: z.string() }),
    requiresApproval: true,
    handler: ({ invoice }) => `paid ${invoice}`,
  })
  const calls = ['A1', 'A2'].map((invoice) => ({ name: 'pay', args: { invoice } }))
  const model = script({ tools: calls }, 'That is all.')
  const both = llmActor({ model, instructions: 'You pay.', tools: [pay] })
  const { url } = await startAgent({ actors: { both } })
  const client = await stockClient(url)
  const asked = await send(client, says('Pay both.'))
  const texts = textsOf(asked.status?.message)
  const ids = texts.map((text) => /"approvalId": "([^"]+)", "decision": "granted" }, or "denied"/.exec(text)?.[1])
  expect([new Set(ids).size, ids.includes(undefined), texts.join()]).toEqual([
    2,
    false,
    expect.not.stringContaining('yes'),
  ])
  await expect(send(client, says('yes', { taskId: asked.id }))).rejects.toThrow('where it waits for several')
  const decide = (approvalId: unknown, decision: string) =>
    send(client, says('', { taskId: asked.id, parts: [data({ approvalId, decision })] }))
  await decide(ids[0], 'granted')
  expect(answerOf(await decide(ids[1], 'denied'))).toEqual(['That is all.'])
})

test('a yes decides the approval that its sender has seen, and not the next one when it is sent again', async () => {
  const { url } = await startAgent({ actors: { payer } })
  const client = await stockClient(url)
  const first = await send(client, says('A1 A2'))
  const yes = says('yes', { taskId: first.id })
  const second = await send(client, yes)
  expect(approvalIn(second)).not.toBe(approvalIn(first))
  await expect(send(client, yes)).rejects.toThrow('messageId was used')
  expect(approvalIn(await getTask(client, first.id))).toBe(approvalIn(second))
})

test('two text parts of a message are two lines', async () => {
  const echo = defineActor(async ({ text, respond }) => {
    await respond({ parts: [{ partType: 'response', text: JSON.stringify(text) }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { echo } })
  const parts = [...says('one').parts, ...says('two').parts]
  const done = await send(await stockClient(url), says('', { parts }))
  expect(answerOf(done)).toEqual(['"one\\ntwo"'])
})
