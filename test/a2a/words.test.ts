import { defineActor } from '@cool-ai/beach'
import { describe, expect, test } from 'vitest'
import { approvalIn, getTask, says, send, startAgent, stateOf, stockClient, answerOf, textsOf, ways } from './agent.ts'

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
  ])('says how it is answered, and is decided by the text: %s', async (words, told) => {
    const { url } = await startAgent({ actors: { payer } })
    const client = await stockClient(url, way)
    const asked = await send(client, says('A1'))
    expect(stateOf(asked)).toBe('INPUT_REQUIRED')
    expect(textsOf(asked.status?.message).join()).toContain('with "yes" or "no"')
    const done = await send(client, says(words, { taskId: asked.id }))
    expect(stateOf(done)).toBe('COMPLETED')
    expect(answerOf(done)).toContain(told)
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
