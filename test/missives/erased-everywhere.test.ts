import { defineActor, type BeachData } from '@cool-ai/beach'
import { noteCopy } from '@cool-ai/beach-core/log'
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
  const log = 'evaluations:one'
  await data.store.append(log, 0, [{ name: 'summary' }, { text: canary('evaluation') }])
  const copy = { session: own, tenant: 'default', principal: principalKey(ann), log, after: 1 }
  await noteCopy(data.store, copy, { text: '' })
  await agent.missives.identities.join([`email:${address}`, 'principal:user~ann'], operator)
  await agent.missives.caughtUp()
  return { others }
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
  const agent = await startAgent({ data, memory: true, actors: { clerk }, channels: [new Post().channel] })
  const { others } = await live(agent, data)
  const found = (bytes: string) => kinds.filter((kind) => bytes.includes(canary(kind)))
  // Of errors only a sentence and a code are kept.
  expect(found(await place.bytes())).toEqual(kinds.filter((kind) => kind !== 'error'))
  await agent.missives.erase({ person: `email:${canary('address')}@example.com` }, operator)
  expect(found(await place.bytes())).toEqual(agentSays)
  expect(JSON.stringify(await kept(agent))).not.toMatch(/canary-(?!answer)/)
  expect((await agent.sessions.view(others, bob)).owner?.id).toBe('bob')
  await agent.close()
  expect(found(await place.bytes())).toEqual(agentSays)
})

/** What the agent said to bob is bob's. */
const agentSays = ['answer']
