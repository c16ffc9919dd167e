import type { ToolContext } from '@cool-ai/beach-core'
import { missiveTools, MemoryIdentityStore, MemoryMissiveStore } from '@cool-ai/beach-missives'
import { exposedTools, ToolRegistry } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import { ann, bob, kept, mailer, operator, Post, say, simulated, startAgent, viewer } from './test-context.ts'

async function setup() {
  const stores = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
  const agent = await startAgent({ data: { missives: stores }, channels: [new Post().channel] })
  const tools = missiveTools(stores)
  /** Calls a tool as the loop of an actor in that session does: arguments are checked by the schema first. */
  const call = async (name: string, input: unknown, session: string) => {
    const registry = new ToolRegistry([...tools])
    const [tool] = registry.select([name], 'tester')
    const checked = tool?.input.check(input)
    if (checked === undefined || 'problems' in checked) throw new Error(checked?.problems.join('; ') ?? 'none')
    const view = await agent.sessions.view(session, operator)
    const context: ToolContext = { key: 'k', signal: new AbortController().signal, session: view, emit: async () => {} }
    return (await tool?.definition.handler(checked.value, context)) as Found
  }
  return { agent, call, tools }
}

interface Found {
  readonly missives: readonly { readonly text: string; readonly threadId: string; readonly direction: string }[]
  readonly more: boolean
}

describe('an actor', () => {
  test('finds what its person said earlier, on other channels and in other sessions, and reads it in its thread', async () => {
    const { agent, call } = await setup()
    const before = await agent.sessions.open({ principal: ann })
    const now = await agent.sessions.open({ principal: ann })
    await say(agent, before, 'I like window seats', mailer('ann@example.com', ann))
    await say(agent, before, 'and no meals', mailer('ann@example.com', ann))
    await say(agent, now, 'hello')
    await kept(agent)
    const { missives } = await call('search_missives', { text: 'window', direction: 'in' }, now)
    expect(missives).toEqual([
      expect.objectContaining({ text: 'I like window seats', channel: 'smtp', state: 'received', sessionId: before }),
    ])
    const thread = await call('read_thread', { threadId: missives[0]?.threadId }, now)
    expect(thread.missives.map(({ direction, text }) => `${direction}: ${text}`)).toEqual([
      'in: I like window seats',
      'out: You said: I like window seats',
      'in: and no meals',
      'out: You said: and no meals',
    ])
    const last = await call('read_thread', { threadId: missives[0]?.threadId, limit: 1 }, now)
    expect(last.missives.map(({ text }) => text)).toEqual(['You said: and no meals'])
    expect(last.more).toBe(true)
  })

  test('sees nothing of other people, whichever principal runs the session', async () => {
    const { agent, call } = await setup()
    const theirs = await agent.sessions.open({ principal: bob })
    const mine = await agent.sessions.open({ principal: ann })
    const ops = await agent.sessions.open({ principal: operator })
    await say(agent, theirs, 'a secret of bob', viewer(bob))
    await say(agent, mine, 'hello')
    await say(agent, ops, 'something of my own', viewer(operator))
    const [secret] = await kept(agent, bob)
    for (const session of [mine, ops]) {
      expect((await call('search_missives', { text: 'secret' }, session)).missives).toEqual([])
      expect((await call('read_thread', { threadId: secret?.threadId }, session)).missives).toEqual([])
    }
    expect((await call('search_missives', { text: 'own', direction: 'in' }, ops)).missives).toHaveLength(1)
    await agent.missives.erase({ session: mine }, ann)
    await expect(call('search_missives', { text: 'x' }, mine)).rejects.toThrow('no such session')
  })

  test('gets a bounded amount, however much there is', async () => {
    const { agent, call } = await setup()
    const session = await agent.sessions.open({ principal: ann })
    for (let n = 0; n < 15; n++) await say(agent, session, `long ${n} ${'x'.repeat(10_000)}`)
    await kept(agent)
    const found = await call('search_missives', { text: 'long', limit: 20 }, session)
    expect(JSON.stringify(found).length).toBeLessThan(25_000)
    expect(found.missives.length).toBeLessThan(20)
    expect(found.missives[0]?.text).toMatch(/…$/)
    expect(found.more).toBe(true)
  })

  test('is told what is wrong with a search', async () => {
    const { agent, call } = await setup()
    const session = await agent.sessions.open({ principal: ann })
    for (const [input, problem] of [
      [{ text: '???' }, /no word/],
      [{ limit: 1_000 }, /limit/],
      [{ text: 'x', tenant: 'other' }, /tenant/],
      [{ since: 'yesterday' }, /since/],
    ] as const) {
      await expect(call('search_missives', input, session)).rejects.toThrow(problem)
    }
    await expect(call('read_thread', {}, session)).rejects.toThrow(/threadId/)
    const since = await call('search_missives', { since: '2020-01-01T00:00:00Z' }, session)
    expect(since.missives).toEqual([])
  })
})

test('the tools are not for peers by default', async () => {
  const { tools } = await setup()
  expect(exposedTools([...tools], simulated())).toEqual([])
})
