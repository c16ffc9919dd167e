import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineActor } from '@cool-ai/beach'
import { systemRuntime, type Channel } from '@cool-ai/beach-core'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { script } from '../model/index.ts'
import { testAgent } from './test-agent.ts'

/** A clerk whose tool ships once, and in the first run never ends; `began` resolves when it has begun. */
function slowClerk(idempotent: boolean) {
  const began = Promise.withResolvers<void>()
  const keys: string[] = []
  const ship = defineTool({
    name: 'ship',
    description: 'Ships an order.',
    inputSchema: z.object({ order: z.string() }),
    idempotent,
    handler: (_, { key }) => {
      if (keys.push(key) > 1) return 'shipped'
      began.resolve()
      return new Promise<string>(() => {})
    },
  })
  return {
    began: began.promise,
    keys,
    clerk: llmActor({ model: script(), instructions: 'You ship.', tools: [ship] }),
  }
}

const call = { tools: [{ name: 'ship', args: { order: 'A1' } }] }
const told = ({ results }: { results: ReadonlyMap<string, string> }) => `I heard: ${results.get('ship')}`

describe('an agent that crashes', () => {
  test('goes on with a turn that waited for an approval', async () => {
    const payer = defineActor(async ({ tool, respond }) => {
      const { outcome } = await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
      await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
    })
    await using agent = await testAgent({ actors: { payer } })
    const before = agent.beach
    const { approvals } = await agent.say('pay it')
    await agent.crash()
    expect(agent.beach).not.toBe(before)
    expect((await agent.approve(approvals[0])).text).toBe('ok')
    expect((await agent.replay()).same).toBe(true)
  })

  test('runs an idempotent tool again, with the same key', async () => {
    const { began, keys, clerk } = slowClerk(true)
    await using agent = await testAgent({ actors: { clerk }, model: [call, told] })
    const turn = agent.say('Ship A1.')
    await began
    await agent.crash()
    expect(await turn).toMatchObject({ turnState: 'complete', text: expect.stringContaining('shipped') as string })
    expect(keys).toEqual([keys[0], keys[0]])
  })

  test('does not run another tool again, and tells its model that the outcome is unknown', async () => {
    const { began, keys, clerk } = slowClerk(false)
    await using agent = await testAgent({ actors: { clerk }, model: [call, told] })
    const turn = agent.say('Ship A1.')
    await began
    await agent.crash()
    expect((await turn).text).toMatch(/I heard: .*not known/s)
    expect(keys).toHaveLength(1)
  })

  test('has what the dead process does afterwards count for nothing', async () => {
    const begin = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    let runs = 0
    const slow = defineActor(async ({ respond }) => {
      const run = ++runs
      if (run === 1) {
        begin.resolve()
        await finish.promise
      }
      await respond({ parts: [{ partType: 'response', text: `Run ${run}.` }], turnState: 'complete' })
    })
    await using agent = await testAgent({ actors: { slow } })
    const turn = agent.say('hello')
    await begin.promise
    await agent.crash()
    finish.resolve()
    expect((await turn).text).toBe('Run 2.')
    await agent.advance('1 minute')
    expect(agent.turns.map(({ text }) => text)).toEqual(['Run 2.'])
  })

  test('goes on with every conversation, and again after a second crash, also on a data folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'beach-crash-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const greeter = defineActor(async ({ text, respond }) => {
      await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
    })
    await using agent = await testAgent({ actors: { greeter }, data: folder })
    const other = agent.open({ kind: 'user', id: 'bob', tenant: 'default' })
    await agent.say('one')
    await other.say('two')
    await agent.crash()
    await agent.crash()
    expect((await agent.say('three')).text).toBe('You said: three')
    expect((await other.say('four')).text).toBe('You said: four')
    expect(agent.turns.map(({ text }) => text)).toEqual(['You said: one', 'You said: three'])
    expect(agent.problems).toEqual([])
  })
})

describe('a crash is refused, with the reason,', () => {
  const greeter = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'complete' })
  })
  const channel: Channel = { transport: 'none', deliveryClass: 'streaming', start: async () => {} }
  test.each([
    ['in real time', { runtime: systemRuntime() }, 'Only with a simulated clock'],
    ['with a channel of its own', { channels: [channel] }, 'A channel belongs to one process'],
  ])('%s', async (_, options, reason) => {
    await using agent = await testAgent({ actors: { greeter }, ...options })
    await expect(agent.crash()).rejects.toThrow(reason)
  })

  test('while the agent is served', async () => {
    await using agent = await testAgent({ actors: { greeter } })
    await agent.serve()
    await expect(agent.crash()).rejects.toThrow('is served')
  })
})
