import { defineActor } from '@cool-ai/beach'
import { agentCaller, defaultConsumes, peerTools } from '@cool-ai/beach-a2a/peers'
import { readAgentCard, type ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { runtime, startAgent } from '../a2a/agent.ts'
import { callerCard } from '../support/caller-card.ts'
import { frailConnection } from '../support/frail-connection.ts'
import { brief, caller, hello, passing, peersOf } from './calling.ts'
import { alice, asks, follow, homeAgent, inOrder, respond, say, reported } from './home-agent.ts'

async function cardOf(url: string): Promise<ReadAgentCard> {
  return readAgentCard(await (await fetch(`${url}/.well-known/agent-card.json`)).json())
}

/** Searches, and answers with words and data. */
const travel = defineActor(async ({ text, respond: answer }) => {
  await answer({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
  const progress = { label: 'Airlines', done: 1, total: 2 }
  await answer({ parts: [{ partType: 'progress', data: progress }], turnState: 'awaiting' })
  if (text === 'Where?') {
    await answer({ parts: [{ partType: 'clarify', text: 'From where?' }], turnState: 'clarifying' })
    return
  }
  const parts = [
    { partType: 'response', text: `Flights for: ${text}` },
    { partType: 'domain-data', data: { flights: 2 }, metadata: { kind: 'flight-results' } },
    { partType: 'llm-context', text: 'Two, one cheap.' },
  ]
  await answer({ parts, turnState: 'complete' })
})

describe('a Beach peer', () => {
  test('says what it does on the way, and answers with an envelope of all that we consume', async () => {
    const { url: card, callerCards } = await callerCard(defaultConsumes)
    const { url } = await startAgent({ actors: { travel }, access: { callerCards } })
    const { callAgent } = caller({ travel: await cardOf(url) }, { agent: { id: 'home', card } })
    const seen: string[] = []
    const result = await callAgent('travel', hello, { onPart: (part) => void seen.push(brief(part)) })
    expect(result).toMatchObject({ state: 'complete', meta: { turnState: 'complete', finalizedBy: 'complete' } })
    const types = result.parts.map(({ metadata }) => metadata.partType)
    expect(types).toEqual(expect.arrayContaining(['response', 'domain-data', 'llm-context']))
    const short = seen.map((line) => line.split(' ').slice(1).join(' '))
    expect(short).toContain('ack whole Looking.')
    expect(short).toContain('progress whole {"label":"Airlines","done":1,"total":2}')
    expect(short.filter((line) => line === 'response whole Flights for: hello')).toHaveLength(1)
  })

  test('that is answered in the same task says nothing again of what it said before the answer', async () => {
    const asking = defineActor(async ({ text, respond: answer }) => {
      if (text !== 'Corfu') {
        await answer({ parts: [{ partType: 'response', text: 'No flights go there.' }], turnState: 'awaiting' })
        return answer({ parts: [{ partType: 'clarify', text: 'Where else?' }], turnState: 'clarifying' })
      }
      await answer({ parts: [{ partType: 'response', text: 'Two flights.' }], turnState: 'complete' })
    })
    const { url } = await startAgent({ actors: { asking } })
    const { callAgent } = caller({ travel: await cardOf(url) })
    const asked = await callAgent('travel', hello)
    expect(asked.parts.map(({ text }) => text)).toEqual(['No flights go there.', 'Where else?'])
    const seen: string[] = []
    const { taskId = '', contextId = '' } = asked
    const answer = [{ text: 'Corfu', metadata: { partType: 'message' } }]
    const onPart = (part: Parameters<typeof brief>[0]) => void seen.push(brief(part))
    const answered = await callAgent('travel', answer, { taskId, contextId, onPart })
    expect(answered.parts.map(({ text }) => text)).toEqual(['Two flights.'])
    expect(seen.some((line) => line.includes('Two flights.'))).toBe(true)
    expect(seen.filter((line) => line.includes('No flights'))).toEqual([])
  })

  test('takes the same message twice for one', async () => {
    const runs: string[] = []
    const counts = defineActor(async ({ text, respond: answer }) => {
      runs.push(text)
      await answer({ parts: [{ partType: 'response', text: 'Once.' }], turnState: 'complete' })
    })
    const { url } = await startAgent({ actors: { counts } })
    const { callAgent } = caller({ travel: await cardOf(url) })
    const how = { messageId: 'm-1', contextId: crypto.randomUUID() }
    const first = await callAgent('travel', hello, how)
    const second = await callAgent('travel', hello, how)
    expect(second.taskId).toBe(first.taskId)
    expect(second.parts).toEqual(first.parts)
    expect(runs).toEqual(['hello'])
  })

  test('is found again after the connection broke in mid-sentence', async (context) => {
    const { promise: received, resolve: hasReceived } = Promise.withResolvers<void>()
    const { promise: cut, resolve: isCut } = Promise.withResolvers<void>()
    async function* pieces() {
      yield 'One, '
      await cut
      yield 'two, '
      yield 'three.'
    }
    const slow = defineActor(async ({ respond: answer }) => {
      await answer({ parts: [{ partType: 'response', text: pieces() }], turnState: 'complete' })
    })
    const { url } = await startAgent({ actors: { slow } })
    const card = await cardOf(url)
    const frail = await frailConnection(context, Number(new URL(url).port))
    const transports = card.transports.map((way) => ({ ...way, endpoint: way.endpoint.replace(url, frail.url) }))
    const { callAgent, runtime: own } = caller({ travel: { ...card, transports } })
    const calling = callAgent('travel', hello, { onPart: () => hasReceived() })
    await received
    frail.cut()
    isCut()
    const result = await passing(own.clock, calling)
    expect(result.parts.map((part) => part.text)).toEqual(['One, two, three.'])
  })
})

describe('asking a Beach peer', () => {
  test('shows its signals, its words and its data, and gives our model its llm-context', async () => {
    const { url: card, callerCards } = await callerCard(defaultConsumes)
    const { url } = await startAgent({ actors: { travel }, access: { callerCards } })
    const home = homeAgent({
      card,
      cards: { travel: await cardOf(url) },
      rules: inOrder(asks('ask_travel', { message: 'Corfu' }), respond('Two flights.')),
    })
    const { frames } = await say(home.start(), 'Flights, please.')
    expect(reported(frames)).toEqual([
      'delegated progress: {"label":"Asking Tester"}',
      'delegated ack: Looking.',
      'delegated progress: {"label":"Tester: Airlines","done":1,"total":2}',
      'delegated response: Flights for: Corfu',
      'delegated domain-data: {"flights":2}',
      'awaiting thinking: Tester has answered.',
      'complete response: Two flights.',
    ])
    expect(home.prompts.at(-1)).toContain('Two, one cheap.')
  })

  test('passes on what it wants to have approved, and what was decided, over a restart', async () => {
    const paid: unknown[] = []
    const pays = defineActor(async ({ respond: answer, tool }) => {
      const outcomes: string[] = []
      for (const amount of [7, 8]) {
        const call = { name: 'pay', args: { amount }, requiresApproval: true }
        const result = await tool(call, async () => void paid.push(amount))
        outcomes.push(result.outcome)
      }
      await answer({ parts: [{ partType: 'response', text: outcomes.join(', ') }], turnState: 'complete' })
    })
    const { url } = await startAgent({ actors: { pays } })
    const home = homeAgent({
      cards: { travel: await cardOf(url) },
      rules: inOrder(asks('ask_travel', { message: 'Pay.' }), respond('Paid one.')),
    })
    let sessions = home.start()
    const paying = await say(sessions, 'Pay.')
    const { session } = paying
    let { frames } = paying
    for (const [amount, decision] of [
      [7, 'granted'],
      [8, 'denied'],
    ] as const) {
      const request = frames.findLast(
        (frame) => frame.kind === 'part' && frame.part.metadata.partType === 'approval-request',
      )
      if (request?.kind !== 'part') throw new Error('Nothing is asked for.')
      const data = request.part.data as { approvalId: string }
      expect(data).toMatchObject({ toolName: 'travel: pay', args: { amount } })
      await sessions.stop()
      sessions = home.start()
      const { head } = await sessions.view(session, alice)
      expect(await sessions.decide(data.approvalId, { decision }, alice)).toBe('decided')
      frames = await follow(sessions, session, head)
    }
    expect(reported(frames)).toContain('delegated response: ok, denied')
    expect(reported(frames).at(-1)).toBe('complete response: Paid one.')
    expect(paid).toEqual([7])
    await sessions.stop()
  })

  test('that would ask us in turn ends where the circle would close', async () => {
    const cards: Record<string, ReadAgentCard> = {}
    const peers = { ids: () => ['a', 'b'], byId: (id: string) => peersOf(cards).byId(id) }
    const ran: string[] = []
    const start = async (id: string, other: string) => {
      const agent = { id, name: id }
      const made = agentCaller({ peers, agent, fetch, runtime })
      const actor = defineActor(async ({ respond: answer, tool, view }) => {
        ran.push(id)
        const tools = peerTools({ caller: made, peers, agentId: id, runtime })
        const ask = tools.find(({ name }) => name === `ask_${other}`)
        const call = { name: `ask_${other}`, args: {}, idempotent: true }
        const result = await tool(call, async (run) => {
          return (await ask?.handler({ message: 'And you?' }, { ...run, session: view })) as { answer?: string }
        })
        const said = result.outcome === 'ok' ? result.value.answer : result.reason
        await answer({ parts: [{ partType: 'response', text: `${id}: ${said}` }], turnState: 'complete' })
      })
      const card = { ...agent, schemaVersion: '1.0', description: 'Asks.', version: '1.0.0', capabilities: [] }
      const { url } = await startAgent({ agent: card, actors: { actor } })
      cards[id] = await cardOf(url)
    }
    await Promise.all([start('a', 'b'), start('b', 'a')])
    const { callAgent } = caller(cards)
    const { parts } = await callAgent('a', hello)
    expect(parts.find(({ metadata }) => metadata.partType === 'response')?.text).toBe(
      "a: b: The request has come through 'a' before: it would go round in a circle.",
    )
    expect(ran).toEqual(['a', 'b'])
  })

  test('that has been asked by us already is refused by it, however we are known to it', async () => {
    const { url } = await startAgent({ actors: { travel } })
    const { callAgent } = caller({ other: await cardOf(url) })
    const calling = callAgent('other', hello, { hops: ['tester', 'home'] })
    await expect(calling).rejects.toMatchObject({ code: expect.stringMatching(/^PEER_/) as string })
  })
})
