import { expect, test, type TestContext } from 'vitest'
import { asks, homeAgent, inOrder, respond, say, reported } from '../a2a-client/home-agent.ts'
import { events, rawPeer, task, type RawRequest } from '../a2a-client/raw-peer.ts'
import { readCard } from '../a2a-client/stock-agent.ts'

// Document 004, "Turn states", `delegated`: "The session's timeout is the peer's turn budget, not this agent's."

const rules = inOrder(asks('ask_travel', { message: 'Flights?' }), respond('Travel has answered.'))
const minute = 60_000

/** An agent that has a minute for its turns, and asks a peer that has so much for its own. */
async function asking(context: TestContext, peerMinutes: number) {
  const { promise: asked, resolve } = Promise.withResolvers<RawRequest>()
  const { url } = await rawPeer(context, resolve)
  const card = readCard(url, { beach: { turnBudgetSeconds: peerMinutes * 60 } })
  const home = homeAgent({ cards: { travel: card }, rules, budget: { timeMs: minute } })
  const talking = say(home.start(), 'Flights, please.')
  return { request: await asked, clock: home.runtime.clock, talking }
}

test('004 "Turn states": a peer that takes longer than this agent’s own time is waited for, and the turn goes on', async (context) => {
  const { request, clock, talking } = await asking(context, 30)
  await clock.advance(20 * minute)
  const artifacts = [{ artifactId: 'a', parts: [{ text: 'Two.' }] }]
  events(request)({ task: task('COMPLETED', { artifacts }) })
  const { frames } = await talking
  expect(reported(frames)).toContain('delegated response: Two.')
  expect(reported(frames).at(-1)).toBe('complete response: Travel has answered.')
  expect(frames.at(-1)).toMatchObject({ kind: 'settled', finalizedBy: 'complete' })
})

test('004 "Turn states": a peer’s turn budget ends the waiting, and the agent still has its own time', async (context) => {
  const { clock, talking } = await asking(context, 2)
  await clock.advance(2 * minute)
  const { frames } = await talking
  expect(reported(frames)).toContain("awaiting thinking: The agent 'travel' has not answered within 120 s.")
  expect(reported(frames).at(-1)).toBe('complete response: Travel has answered.')
})
