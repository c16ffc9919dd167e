import { defineActor, replay, type BeachOptions, type ReplayReport } from '@cool-ai/beach'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { testAgent, type TestAgentOptions } from '@cool-ai/beach-testing'
import { script } from '@cool-ai/beach-testing/model'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { simulatedRuntime } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** A conversation of an agent on a store of its own, and its replay. */
async function recorded(
  options: TestAgentOptions,
  talk: (agent: Awaited<ReturnType<typeof testAgent>>) => Promise<void>,
) {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const agent = await testAgent({ ...options, runtime, data: { store } })
  await talk(agent)
  const session = agent.conversation.sessionId
  const again = (changes: Partial<Parameters<typeof replay>[1]> = {}, others: Partial<BeachOptions> = {}) => {
    const { model: _, principal: __, maxWaitMs: ___, data: ____, ...given } = options
    const all = { agent: { id: 'test-agent', name: 'Test agent' }, ...given, ...others, runtime, data: { store } }
    return replay(all as BeachOptions, { session, ...changes })
  }
  return { agent, session, again }
}

function summary({ same, turns, events, problems }: ReplayReport) {
  const all = turns.map(({ change, others, parts, tools }) => ({
    change,
    others,
    parts: parts.filter((p) => p.change !== 'same'),
    tools: tools.filter((t) => t.change !== 'same'),
  }))
  return same ? 'same' : JSON.stringify({ events, problems, all }, null, 1)
}

const paid: string[] = []
const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  requiresApproval: true,
  handler: ({ invoice }) => paid.push(invoice),
})
const clerk = llmActor({ name: 'clerk', model: script(), prompt: 'You pay invoices.', tools: [pay] })

test('a session of a function actor is the same again', async () => {
  const greeter = defineActor(async ({ text, respond }) => {
    await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
  })
  const { agent, again } = await recorded({ actors: { greeter } }, async (talk) => {
    await talk.say('hello')
    await talk.say('again')
  })
  expect(summary(await again())).toBe('same')
  await agent.stop()
})

test('a session of a model with a tool that was approved is the same again, and the tool does not run', async () => {
  const model = [{ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'Invoice A1 is paid.', 'You are welcome.']
  const { agent, again } = await recorded({ actors: { clerk }, model }, async (talk) => {
    const asked = await talk.say('Pay invoice A1.')
    await talk.approve(asked.approvals[0])
    await talk.say('Thanks.')
  })
  expect(paid).toEqual(['A1'])
  const report = await again()
  expect(summary(report)).toBe('same')
  expect(report.turns).toHaveLength(2)
  expect(paid).toEqual(['A1'])
  await agent.stop()
})
