import { defineActor } from '@cool-ai/beach'
import { defineTool, llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { sleep, systemRuntime } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testAgent } from './test-agent.ts'

const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'ack', text: 'One moment.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
})

const payer = defineActor(async ({ tool, respond }) => {
  const call = { name: 'pay', args: { invoice: 'A1' }, requiresApproval: true }
  const { outcome } = await tool(call, async () => 'paid')
  await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
})

/** An actor whose own model can say nothing. */
function clerk(paid: string[]) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: z.object({ invoice: z.string() }),
    requiresApproval: true,
    handler: ({ invoice }) => paid.push(invoice),
  })
  const model = scriptedModel({ rules: [] })
  return llmActor({ name: 'clerk', model, prompt: 'You pay invoices.', tools: [pay] })
}

test('a test says something and gets the settled turn, with its text and all its parts', async () => {
  await using agent = await testAgent({ actors: { greeter } })
  const turn = await agent.say('hello')
  expect(turn).toMatchObject({ text: 'You said: hello', turnState: 'complete', settled: true, approvals: [] })
  expect(turn.parts.map(({ partType, text }) => [partType, text])).toEqual([
    ['ack', 'One moment.'],
    ['response', 'You said: hello'],
  ])
  expect((await agent.say('again')).text).toBe('You said: again')
  expect(agent.turns.map(({ text }) => text)).toEqual(['You said: hello', 'You said: again'])
})

test('a turn rests at an approval, and goes on when it is granted', async () => {
  await using agent = await testAgent({ actors: { payer } })
  const asked = await agent.say('pay it')
  expect(asked).toMatchObject({ settled: false, turnState: 'suspended', text: '' })
  expect(asked.approvals).toMatchObject([{ toolName: 'pay', args: { invoice: 'A1' } }])
  const paid = await agent.approve(asked.approvals[0])
  expect(paid).toMatchObject({ turnId: asked.turnId, settled: true, text: 'ok', approvals: [] })
  await expect(agent.approve(asked.approvals[0])).rejects.toMatchObject({ code: 'ALREADY_DECIDED' })
})

test('the only open approval needs no name; with none open the error says so', async () => {
  await using agent = await testAgent({ actors: { payer } })
  await expect(agent.approve()).rejects.toThrow('No approval is open')
  await agent.say('pay it')
  expect((await agent.deny(undefined, { reason: 'not now' })).text).toBe('denied')
})

test('a script plays an actor in place of its own model, message by message', async () => {
  const paid: string[] = []
  const model = [
    { tools: [{ name: 'pay', args: { invoice: 'A1' } }] },
    ({ results }: { results: ReadonlyMap<string, string> }) => `Paid: ${results.get('pay')}`,
    'You are welcome.',
  ]
  await using agent = await testAgent({ actors: { clerk: clerk(paid) }, model })
  const { approvals } = await agent.say('Pay invoice A1.')
  expect(paid).toEqual([])
  expect((await agent.approve(approvals[0])).text).toBe('Paid: 1')
  expect(paid).toEqual(['A1'])
  expect((await agent.say('Thanks.')).text).toBe('You are welcome.')
  const turn = await agent.say('And?')
  expect(turn.turnState).toBe('error')
  expect(agent.problems.join('\n')).toContain('The script has 3 messages')
})

test('a model for actors that no model plays is refused', async () => {
  await expect(testAgent({ actors: { greeter }, model: ['Hello'] })).rejects.toThrow('No actor is played by a model')
})

describe('the clock', () => {
  test('stands still until it is advanced, and approvals expire by it', async () => {
    const expiring = defineActor(async ({ tool, respond }) => {
      const approvalExpiresAt = agent.runtime.clock.now() + 3 * 3_600_000
      const call = { name: 'pay', args: {}, requiresApproval: true, approvalExpiresAt }
      const { outcome } = await tool(call, async () => 'paid')
      await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
    })
    await using agent = await testAgent({ actors: { expiring } })
    const began = agent.runtime.clock.now()
    const { approvals } = await agent.say('pay it')
    expect(agent.runtime.clock.now()).toBe(began)
    await agent.advance('2.5 hours')
    expect(agent.turns[0]).toMatchObject({ settled: false })
    await agent.advance('30 minutes')
    expect(agent.turns).toMatchObject([{ settled: true, text: 'denied' }])
    await expect(agent.approve(approvals[0])).rejects.toMatchObject({ code: 'ALREADY_DECIDED' })
  })

  test('can be advanced while a turn waits for it', async () => {
    const slow = defineActor(async ({ respond }) => {
      await sleep(agent.runtime.clock, 3_600_000)
      await respond({ parts: [{ partType: 'response', text: 'An hour later.' }], turnState: 'complete' })
    })
    await using agent = await testAgent({ actors: { slow } })
    const turn = agent.say('wait')
    await agent.advance('1 hour')
    expect((await turn).text).toBe('An hour later.')
  })

  test('runs by itself while a test waits, up to a limit', async () => {
    let ms = 20
    const slow = defineActor(async ({ respond }) => {
      await sleep(agent.runtime.clock, ms)
      await respond({ parts: [{ partType: 'response', text: 'Soon.' }], turnState: 'complete' })
    })
    await using agent = await testAgent({ actors: { slow }, maxWaitMs: 200 })
    expect((await agent.say('wait')).text).toBe('Soon.')
    ms = 60_000
    await expect(agent.say('wait long')).rejects.toThrow(/^The turn is still 'awaiting'.*call advance\(\)/)
  })

  test('adds up what it is advanced by at the same time', async () => {
    await using agent = await testAgent({ actors: { greeter } })
    const began = agent.runtime.clock.now()
    await Promise.all([agent.advance('1 hour'), agent.advance('2 hours')])
    expect(agent.runtime.clock.now() - began).toBe(3 * 3_600_000)
  })

  test.each(['3 fortnights', 'soon', -1])('refuses %s as a duration', async (duration) => {
    await using agent = await testAgent({ actors: { greeter } })
    await expect(agent.advance(duration)).rejects.toThrow('is not a duration')
  })
})

test('why an actor failed is among the problems', async () => {
  const broken = defineActor(() => Promise.reject(new Error('The flux is low.')))
  await using agent = await testAgent({ actors: { broken } })
  expect((await agent.say('hello')).turnState).toBe('error')
  expect(agent.problems).toEqual([expect.stringContaining('The flux is low.')])
})

test('with a runtime of the test’s own time is real, and its logger still hears of problems', async () => {
  const lines: string[] = []
  const logger = { log: (_: string, message: string) => void lines.push(message) }
  const broken = defineActor(() => Promise.reject(new Error('The flux is low.')))
  await using agent = await testAgent({ actors: { broken }, runtime: systemRuntime({ logger }) })
  expect((await agent.say('hello')).turnState).toBe('error')
  expect(agent.problems).toHaveLength(1)
  expect(lines).toHaveLength(1)
  await expect(agent.advance('1 day')).rejects.toThrow('Only a simulated clock')
})

test('another conversation is another user’s, and knows nothing of the first', async () => {
  await using agent = await testAgent({ actors: { greeter } })
  await agent.say('hello')
  const other = agent.open({ kind: 'user', id: 'bob', tenant: 'default' })
  expect((await other.say('I am Bob')).text).toBe('You said: I am Bob')
  expect(other.turns).toHaveLength(1)
  expect(agent.turns).toHaveLength(1)
})

test('the agent is served on a free port until it is stopped', async () => {
  const agent = await testAgent({ actors: { greeter } })
  const url = await agent.serve()
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  await agent.stop()
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
})
