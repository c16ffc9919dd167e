import type { Task } from '@a2a-js/sdk'
import { defineActor } from '@cool-ai/beach'
import { describe, expect, test } from 'vitest'
import { answerOf, approvalIn, data, getTask, says, send, startAgent, stateOf, stockClient, ways } from './agent.ts'

/** Pays after an approval; a message with a question mark is asked back about, and told how it was answered. */
const payer = defineActor(async ({ text, messages, respond, tool }) => {
  if (text.endsWith('?')) {
    await respond({ parts: [{ partType: 'clarify', text: 'Which one?' }], turnState: 'clarifying' })
    return
  }
  const [given] = messages.at(-1)?.parts ?? []
  if (given?.data !== undefined) {
    await respond({
      parts: [{ partType: 'response', text: `Told ${JSON.stringify(given.data)}` }],
      turnState: 'complete',
    })
    return
  }
  const outcome = await tool({ name: 'pay', args: { text }, requiresApproval: true }, async () => 'paid')
  const said = outcome.outcome === 'ok' ? outcome.value : `${outcome.outcome}: ${outcome.reason}`
  await respond({ parts: [{ partType: 'response', text: said }], turnState: 'complete' })
})

function decision({ id }: Pick<Task, 'id'>, value: object, partType?: string) {
  return says('', { taskId: id, parts: [data(value, partType)] })
}

describe.each(ways)('document 000, approval part schemas: an approval response by the stock client, %s', (way) => {
  test.each([
    [{ decision: 'granted' }, 'paid'],
    [{ decision: 'denied', reason: 'too expensive' }, 'denied: too expensive'],
    [{ decision: 'granted', decidedBy: 'olga', decidedAt: '2026-11-15T09:00:00Z' }, 'paid'],
  ])('decides by its shape, and the same message again is the same decision: %j', async (given, reply) => {
    const { url } = await startAgent({ actors: { payer } })
    const client = await stockClient(url, way)
    const asked = await send(client, says('A1'))
    const message = decision(asked, { approvalId: approvalIn(asked), ...given })
    const done = await send(client, message)
    expect([stateOf(done), ...answerOf(done)]).toEqual(['COMPLETED', reply])
    expect(await send(client, message)).toEqual(done)
  })

  test('with its part type, decides too', async () => {
    const { url } = await startAgent({ actors: { payer } })
    const client = await stockClient(url, way)
    const asked = await send(client, says('A1'))
    const given = { approvalId: approvalIn(asked), decision: 'granted' }
    expect(answerOf(await send(client, decision(asked, given, 'approval-response')))).toEqual(['paid'])
  })
})

test('the shape decides only what the task itself waits for', async () => {
  const { url } = await startAgent({ actors: { payer } })
  const client = await stockClient(url)
  const [one, other] = [await send(client, says('A1')), await send(client, says('A2'))]
  const given = { approvalId: approvalIn(other), decision: 'granted' }
  await expect(send(client, decision(one, given))).rejects.toThrow('This task waits for an approval')
  await expect(send(client, decision(one, { ...given, approvalId: 'approval_x' }))).rejects.toThrow('waits for an')
  expect([await getTask(client, one.id), await getTask(client, other.id)].map(stateOf)).toEqual([
    'INPUT_REQUIRED',
    'INPUT_REQUIRED',
  ])
})

test.each([
  ['one of another type', (id: string) => [data({ approvalId: id, decision: 'granted' }, 'domain-data')]],
  ['one that is named content', (id: string) => [data({ approvalId: id, decision: 'granted' }, 'message')]],
  [
    'one next to other content',
    (id: string) => [...says('if cheap').parts, data({ approvalId: id, decision: 'granted' })],
  ],
  ['one with another decision', (id: string) => [data({ approvalId: id, decision: 'maybe' })]],
])('%s is no decision', async (_, partsFor) => {
  const { url } = await startAgent({ actors: { payer } })
  const client = await stockClient(url)
  const asked = await send(client, says('A1'))
  const message = says('', { taskId: asked.id, parts: partsFor(approvalIn(asked)) })
  await expect(send(client, message)).rejects.toThrow('This task waits for an approval')
  expect(stateOf(await getTask(client, asked.id))).toBe('INPUT_REQUIRED')
})

test('the same shape answers a question as data', async () => {
  const { url } = await startAgent({ actors: { payer } })
  const client = await stockClient(url)
  const asked = await send(client, says('pay?'))
  const given = { approvalId: 'approval_x', decision: 'granted' }
  expect(answerOf(await send(client, decision(asked, given)))).toEqual([`Told ${JSON.stringify(given)}`])
})

test('a decision that comes too late, by its shape, is reply so', async () => {
  const { url } = await startAgent({ actors: { payer } })
  const client = await stockClient(url)
  const asked = await send(client, says('A1'))
  const given = { approvalId: approvalIn(asked), decision: 'granted' }
  await send(client, decision(asked, given))
  await expect(send(client, decision(asked, { ...given, decision: 'denied' }))).rejects.toThrow('already been decided')
})
