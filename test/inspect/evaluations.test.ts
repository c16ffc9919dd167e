import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineActor, openData, type BeachData } from '@cool-ai/beach'
import { evaluate, KeptEvaluations, readEvaluations, type EvaluationReport } from '@cool-ai/beach/evaluations'
import type { Principal } from '@cool-ai/beach-core'
import { expect, onTestFinished, test } from 'vitest'
import { clerkActor, inspected, keys, type Loose } from './inspect-context.ts'

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
    from: { session: id, at: expect.stringMatching(/^20/) },
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

const operator: Principal = { kind: 'operator', id: 'root', tenant: 'default' }

/** An agent with a session of Anna's, of which an evaluation was made, and results of it that were kept. */
async function keptFromSession(open: () => Promise<BeachData>) {
  const data = await open()
  const { ask, act, beach, talk } = await inspected({ data })
  const { id, say } = await talk({ kind: 'user', id: 'anna.secretname', tenant: 'default' })
  await say('price of secrettea')
  const { text } = await ask(`sessions/${id}/evaluation`)
  const kept = new KeptEvaluations(data.store, 'default')
  const run = async () => {
    const made = await evaluate({
      agent: { agent: { id: 'clerk', name: 'Clerk' }, actors: { clerk: clerkActor() } },
      evaluations: [...readEvaluations(text, 'evaluations/secretfile.yaml'), ...evaluations],
    })
    return { report: made, gone: await kept.keep(made) }
  }
  const readBack = async (of: EvaluationReport) => (await ask(`evaluations/${of.id}`)).text
  return { data, ask, act, beach, id, run, readBack, keys: () => data.store.list('copy:') }
}

const figuresOnly = {
  isErased: true,
  passed: true,
  passRate: 1,
  runs: [{ passed: true, steps: [], failures: [], problems: [] }],
}

test('results of a session that is erased keep their figures, and none of its words in any file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'beach-kept-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { act, ask, id, run, readBack, keys: copies } = await keptFromSession(() => openData({ folder }))
  const { report: kept, gone } = await run()
  expect(gone).toEqual([])
  expect(await readBack(kept)).toContain('price of secrettea')
  expect((await act(`sessions/${id}/erase`)).status).toBe(200)
  const left = (await ask(`evaluations/${kept.id}`)).body
  expect(left.cases[0]).toMatchObject({ name: `Erased with ${id}`, ...figuresOnly })
  expect(left.cases[1], 'one that its author wrote').toMatchObject({ name: 'tells a price', runs: [{ steps: [{}] }] })
  expect(left.totals).toMatchObject({ agent: { cases: 3, passed: 2 } })
  expect(await copies()).toEqual([])
  for (const name of readdirSync(folder).filter((each) => /\.db/.test(each))) {
    expect(readFileSync(join(folder, name)).includes('secret'), name).toBe(false)
  }
  const again = await run()
  expect(again.gone, 'those of a file that outlives its session').toMatchObject([{ name: 'price of secrettea' }])
  expect(await readBack(again.report)).not.toContain('secret')
})

test('results lose the words of a person who is erased, also when the session was dropped before', async () => {
  const data = () => openData({ folder: '', store: 'memory' })
  const { beach, id, run, readBack, data: opened } = await keptFromSession(data)
  const { report: kept } = await run()
  await opened.store.drop(id)
  await beach.missives?.erase({ person: 'email:someone.else@example.com' }, operator)
  await beach.missives?.erase({ person: 'principal:user~anna.secretname' }, { ...operator, tenant: 'elsewhere' })
  expect(await readBack(kept)).toContain('secrettea')
  await beach.missives?.erase({ person: 'principal:user~anna.secretname' }, operator)
  expect(await readBack(kept)).not.toContain('secret')
})

test('results lose the words of a session in which one participant was erased', async () => {
  const data = () => openData({ folder: '', store: 'memory' })
  const { beach, id, run, readBack } = await keptFromSession(data)
  const { report: kept } = await run()
  const originatorIds = ['web:anna.secretname']
  await (beach.sessions as Loose).erase(id, { scope: 'originators', originatorIds }, operator)
  expect(await readBack(kept)).not.toContain('secret')
})

test('results that an operator forgets leave no note of where they were from', async () => {
  const { ask, run, keys: copies } = await keptFromSession(() => openData({ folder: '', store: 'memory' }))
  const { report: kept } = await run()
  expect(await copies()).toHaveLength(1)
  expect((await ask(`evaluations/${kept.id}`, keys.operator, { method: 'DELETE' })).status).toBe(204)
  expect(await copies()).toEqual([])
})
