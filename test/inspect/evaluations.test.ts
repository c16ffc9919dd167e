import { openData } from '@cool-ai/beach'
import { defineActor } from '@cool-ai/beach'
import { evaluate, KeptEvaluations, readEvaluations, type EvaluationReport } from '@cool-ai/beach/evaluations'
import { expect, test } from 'vitest'
import { clerkActor, inspected, keys } from './inspect-context.ts'

const evaluations = readEvaluations(
  `name: tells a price
turns:
  - say: price of tea
    expect: { text: Done., tools: [look_up] }
---
name: sings
turns:
  - say: sing
    expect: { text: La la la }
`,
  'evaluations/clerk.yaml',
)

/** A report on the clerk. */
const report = (): Promise<EvaluationReport> =>
  evaluate({ agent: { agent: { id: 'clerk', name: 'Clerk' }, actors: { clerk: clerkActor() } }, evaluations })

test('a session becomes an evaluation, which its agent passes and another agent does not', async () => {
  const { ask, act, talk } = await inspected()
  const { id, say } = await talk()
  await say('price of tea')
  await say('pay 5')
  const [first] = (await ask('approvals')).body.items
  await act(`approvals/${first.approvalId}`, { decision: 'granted' })
  await say('Anything else?')
  await say('pay 7')
  const [second] = (await ask('approvals')).body.items
  await act(`approvals/${second.approvalId}`, { decision: 'denied', reason: 'Not today.' })
  await say('Good bye')
  const made = await ask(`sessions/${id}/evaluation`)
  expect([made.status, made.headers.get('content-type')]).toEqual([200, 'application/yaml'])
  expect(made.headers.get('content-disposition')).toContain(`${id}.yaml`)
  expect(made.text, 'secrets of tools are left out').not.toContain('tok-do-not-show')
  const [evaluation] = readEvaluations(made.text, 'session.yaml')
  expect(evaluation).toMatchObject({
    name: 'price of tea',
    user: { kind: 'user', id: 'anna' },
    tools: {
      look_up: [{ args: { what: 'tea' }, result: { what: 'tea', price: 12 } }],
      pay: [{ args: { amount: 5 }, result: { paid: 5 } }],
    },
    turns: [
      {
        say: 'price of tea',
        expect: { state: 'complete', tools: { includes: [{ name: 'look_up', args: { what: 'tea' } }] } },
      },
      { say: 'pay 5', expect: { state: 'suspended', approvals: [{ tool: 'pay', args: { amount: 5 } }] } },
      {
        approve: { tool: 'pay', by: { kind: 'operator', id: 'olga' } },
        expect: { tools: { includes: [{ name: 'pay' }] } },
      },
      { say: 'Anything else?' },
      { say: 'pay 7', expect: { approvals: [{ args: { amount: 7 } }] } },
      { deny: { tool: 'pay', reason: 'Not today.' } },
      { say: 'Good bye' },
    ],
  })
  const again = await evaluate({
    agent: { actors: { clerk: clerkActor() } },
    evaluations: evaluation ? [evaluation] : [],
  })
  expect(again.cases[0]?.runs[0]).toMatchObject({ passed: true })
  const mute = defineActor(({ respond }) =>
    respond({ parts: [{ partType: 'response', text: '…' }], turnState: 'complete' }),
  )
  const other = await evaluate({ agent: { actors: { mute } }, evaluations: evaluation ? [evaluation] : [] })
  expect(other.passed).toBe(false)
  const whats = (await ask('audit')).body.items.map(
    ({ kind, what }: { kind: string; what: string }) => `${kind} ${what}`,
  )
  expect(whats).toContain('act session.evaluation')
})

test('results are kept by tenant, listed newest first, read whole, and forgotten', async () => {
  const data = await openData({ folder: '', store: 'memory' })
  const { ask } = await inspected({ data })
  const [one, other] = [await report(), await report()]
  const kept = new KeptEvaluations(data.store, 'default')
  await kept.keep({ ...one, startedAt: 1_000 })
  await kept.keep({ ...other, startedAt: 2_000 })
  const listed = await ask('evaluations?limit=1')
  expect(listed.body.items).toMatchObject([{ id: other.id, totals: { agent: { cases: 2, passed: 1 } } }])
  expect(listed.body.items[0]).not.toHaveProperty('cases')
  const rest = await ask(`evaluations?limit=5&after=${encodeURIComponent(listed.body.next)}`)
  expect(rest.body).toMatchObject({ items: [{ id: one.id }] })
  expect(rest.body.next).toBeUndefined()
  expect((await ask('evaluations?after=x')).status).toBe(400)
  const whole = (await ask(`evaluations/${one.id}`)).body
  expect(whole.cases).toMatchObject([
    { name: 'tells a price', file: 'evaluations/clerk.yaml', passed: true },
    {
      name: 'sings',
      passed: false,
      runs: [{ steps: [{ did: 'say: sing', text: 'You said: sing.', failures: [{ of: 'text' }] }] }],
    },
  ])
  expect((await ask('evaluations', keys.foreign)).body.items, 'another tenant').toEqual([])
  expect((await ask(`evaluations/${one.id}`, keys.foreign)).status).toBe(404)
  expect((await ask(`evaluations/${one.id}`, keys.foreign, { method: 'DELETE' })).status).toBe(404)
  expect((await ask(`evaluations/${one.id}`, keys.reader, { method: 'DELETE' })).status).toBe(403)
  expect((await ask(`evaluations/${one.id}`, keys.operator, { method: 'DELETE' })).status).toBe(204)
  expect((await ask(`evaluations/${one.id}`)).status).toBe(404)
  expect((await ask('evaluations')).body.items).toMatchObject([{ id: other.id }])
})

test('only the newest 500 results stay', async () => {
  const { store } = await openData({ folder: '', store: 'memory' })
  const kept = new KeptEvaluations(store, 'default')
  const one = await report()
  for (let number = 1; number <= 502; number++)
    await kept.keep({ ...one, cases: [], id: `evl_${number}`, startedAt: number })
  expect((await kept.list(undefined, 1_000)).items.map(({ id }) => id).slice(-2)).toEqual(['evl_4', 'evl_3'])
  expect(await kept.read('evl_2')).toBeUndefined()
  expect(await kept.read('evl_3')).toMatchObject({ id: 'evl_3', cases: [] })
})
