import { defineActor, type BeachData } from '@cool-ai/beach'
import { KeptEvaluations, type EvaluationReport } from '@cool-ai/beach/evaluations'
import type { SendOutcome } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { folderPlace, postgresPlace, type Place } from '../encryption/encrypted-context.ts'
import { ann, bob, kept, mailer, operator, Post, say, startAgent, text, viewer, type Agent } from './test-context.ts'

const places: [string, () => Promise<Place>][] = [
  ['a folder', async () => folderPlace()],
  ['PostgreSQL', postgresPlace],
]

/** A word for each kind of thing that is kept, and nowhere else. */
const canary = (what: string) => `canary-${what}-of-ann`
const kinds = [
  'message',
  'answer',
  'argument',
  'result',
  'pending',
  'reason',
  'error',
  'dedupe',
  'file',
  'file-name',
  'unnamed-file',
  'remembered',
  'address',
  'key',
  'in-others',
  'platform-id',
  'platform-error',
  'evaluation',
  'detail',
] as const

const clerk = defineActor(async ({ text: said, tool, respond }) => {
  if (said.includes('fail')) throw new Error(canary('error'))
  if (said.includes('pay')) {
    const which = said.includes('later') ? 'pending' : 'argument'
    const call = { name: 'pay', args: { note: canary(which) }, requiresApproval: true }
    await tool(call, () => Promise.resolve({ note: canary('result') }))
  }
  await respond({ parts: [{ partType: 'response', text: canary('answer') }], turnState: 'complete' })
})

/** Everything that an agent keeps of a person, each with its word. */
async function live(agent: Agent, data: BeachData): Promise<{ others: string }> {
  const own = await agent.sessions.open({ principal: ann, key: `thread:${canary('key')}` })
  const address = `${canary('address')}@example.com`
  const about = { name: `${canary('file-name')}.txt`, mimeType: 'text/plain', tenant: 'default', session: own }
  const artifact = await data.artifacts.put(Buffer.from(canary('file')), about)
  await data.artifacts.put(Buffer.from(canary('unnamed-file')), about)
  const file = { data: { ...artifact }, metadata: { partType: 'artifact' } }
  await say(agent, own, [text(`${canary('message')} `.repeat(300)), file])
  await say(agent, own, 'by mail', { ...mailer(address, ann), details: { note: canary('detail') } })
  await agent.sessions.post(own, { parts: [text('once')], from: viewer(), dedupeKey: canary('dedupe') }, ann)
  await say(agent, own, 'fail')
  for (const words of ['pay now', 'pay later']) {
    await agent.sessions.post(own, { parts: [text(words)], from: viewer() }, ann)
    const approvalId = await pendingIn(agent, own)
    const decision = { decision: 'granted' as const, reason: canary('reason'), via: 'test' }
    if (words === 'pay now') await agent.sessions.decide(approvalId, decision, ann, own)
  }
  const others = await agent.sessions.open({ principal: bob })
  await agent.sessions.join(others, mailer(address, ann), bob)
  await say(agent, others, 'bob asks', viewer(bob))
  await say(agent, others, canary('in-others'), mailer(address, ann), operator)
  await agent.memory?.consent(ann)
  await agent.memory?.remember(ann, { text: canary('remembered'), key: 'k', sessionId: own, origins: ['user'] })
  await new KeptEvaluations(data.store, 'default').keep(reportOf(own))
  await agent.missives.identities.join([`email:${address}`, 'principal:user~ann'], operator)
  await agent.missives.caughtUp()
  return { others }
}

/** What came of an evaluation that was made of a session: her words are in names, texts, arguments and failures. */
function reportOf(session: string): EvaluationReport {
  const words = canary('evaluation')
  const failures = [{ of: 'text', message: `It said ${words}` }]
  const tools = [{ name: 'pay', args: { note: words }, outcome: words }]
  const step = { did: `say: ${words}`, state: 'complete', text: words, parts: [words], tools, latencyMs: 1, failures }
  const figures = { latencyMs: 1, tokens: 1, cost: 0, modelSteps: 1 }
  const run = { passed: false, steps: [step], failures, error: words, problems: [words], ...figures }
  const from = { session, at: new Date(0).toISOString(), principal: principalKey(ann) }
  const about = { file: 'a.yaml', tags: [words], from, variant: 'agent', passed: false, passRate: 0, required: 1 }
  const agent = { id: 'keeper', name: 'Keeper' }
  const cases = [{ name: words, ...about, runs: [run] }]
  return { id: 'report1', agent, startedAt: 1, ms: 1, variants: ['agent'], passed: false, cases }
}

async function pendingIn(agent: Agent, session: string): Promise<string> {
  let found: string | undefined
  await expect
    .poll(async () => (found = (await agent.sessions.view(session, ann)).turn?.pendingApprovals?.[0]))
    .toBeDefined()
  return found ?? ''
}

test.each(places)('nothing of an erased person is in any table or file of %s', async (_, make) => {
  const place = await make()
  const data = await place.open(false)
  const post = new Post()
  let sent = 0
  post.outcome = (): SendOutcome => {
    const isSent = sent++ % 2 === 0
    if (isSent) return { status: 'sent', externalId: canary('platform-id') }
    return { status: 'refused', reason: canary('platform-error') }
  }
  const agent = await startAgent({ data, memory: true, inspect, actors: { clerk }, channels: [post.channel] })
  const { others } = await live(agent, data)
  const found = (bytes: string) => kinds.filter((kind) => bytes.includes(canary(kind)))
  // Of errors only a sentence and a code are kept.
  expect(found(await place.bytes())).toEqual(kinds.filter((kind) => kind !== 'error'))
  await agent.missives.erase({ person: `email:${canary('address')}@example.com` }, operator)
  expect(found(await place.bytes())).toEqual(agentSays)
  expect(JSON.stringify(await kept(agent))).not.toMatch(/canary-(?!answer)/)
  expect((await agent.sessions.view(others, bob)).owner?.id).toBe('bob')
  const report = await new KeptEvaluations(data.store, 'default').read('report1')
  expect(report?.cases, 'its figures stay').toMatchObject([{ isErased: true, passRate: 0, runs: [{ tokens: 1 }] }])
  await agent.close()
  expect(found(await place.bytes())).toEqual(agentSays)
})

/** Its rows have titles, and its record names of people. */
const inspect = { operators: { olga: 'o'.repeat(32) } }

/** What the agent said to bob is bob's. */
const agentSays = ['answer']
