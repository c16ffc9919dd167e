import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { script } from '../model/index.ts'
import { matchTranscript } from './match-transcript.ts'
import { testAgent } from './test-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'beach-transcripts-'))
afterAll(() => rmSync(folder, { recursive: true }))

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string(), amount: z.number() }),
  requiresApproval: true,
  handler: ({ invoice }, { session }) => ({ paid: invoice, session: session.sessionId, at: new Date().toISOString() }),
})
const clerk = llmActor({ model: script(), instructions: 'You pay invoices.', tools: [pay] })
const ask = { tools: [{ name: 'pay', args: { invoice: 'A1', amount: 40 } }] }

/** A conversation in which an invoice is paid, and then another one is not. */
async function paying(answer = 'Invoice A1 is paid.') {
  const data = { respond: { turnState: 'complete', parts: [{ partType: 'domain-data', data: { b: 1, a: 2 } }] } }
  const agent = await testAgent({ actors: { clerk }, model: [ask, answer, ask, 'It was not approved.', data] })
  await agent.say('Pay invoice A1 for 40.\nSoon, please.')
  await agent.approve(undefined, { reason: 'It is due.' })
  await agent.say('And again.')
  await agent.deny(undefined, { by: { kind: 'operator', id: 'olga@office.example', tenant: 'default' } })
  await agent.say('As data.')
  return agent
}

test('a transcript has what was said, asked, decided, called and answered, without ids and times', async () => {
  await using agent = await paying()
  expect(await agent.transcript()).toBe(`tester
  Pay invoice A1 for 40.
  Soon, please.

clerk
  asks to call pay {"amount":40,"invoice":"A1"}
  = suspended

tester
  granted: It is due.

clerk
  calls pay {"amount":40,"invoice":"A1"}
  pay returns: {"at":"<time>","paid":"A1","session":"sess_1"}
  response: Invoice A1 is paid.
  = complete

tester
  And again.

clerk
  asks to call pay {"amount":40,"invoice":"A1"}
  = suspended

olga@office.example
  denied

clerk
  response: It was not approved.
  = complete

tester
  As data.

clerk
  domain-data: {"a":2,"b":1}
  = complete
`)
})

test('a transcript is written when that is wanted, and compared from then on', async () => {
  const file = pathToFileURL(join(folder, 'paying.transcript.txt'))
  {
    await using agent = await paying()
    await expect(matchTranscript(agent, file)).rejects.toThrow(/There is no transcript .*BEACH_UPDATE_TRANSCRIPTS=1/)
    await matchTranscript(agent, file, { update: true })
  }
  await using same = await paying()
  await matchTranscript(same, file)
  await using other = await paying('Done.')
  const differing = matchTranscript(other, file)
  await expect(differing).rejects.toThrow('Invoice A1 is paid.')
  await expect(differing).rejects.toThrow('Done.')
})

test('the environment can have transcripts written, and what is hidden may differ', async () => {
  const file = join(folder, 'hidden.transcript.txt')
  process.env.BEACH_UPDATE_TRANSCRIPTS = '1'
  try {
    await using agent = await paying()
    await matchTranscript(agent, file, { hide: [/A\d/] })
  } finally {
    delete process.env.BEACH_UPDATE_TRANSCRIPTS
  }
  expect(readFileSync(file, 'utf8')).not.toContain('A1')
  await using other = await paying('Invoice A2 is paid.')
  await matchTranscript(other, file, { hide: [/A\d/] })
})
