import { agentCaller, type CallablePeer, type CallAgentOptions, type Peers } from '@cool-ai/beach-a2a/peers'
import { BeachError, simulatedRuntime } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { hello } from './calling.ts'
import { asks, homeAgent, inOrder, respond, say, reported } from './home-agent.ts'
import { events, rawPeer, task } from './raw-peer.ts'
import { readCard } from './stock-agent.ts'

/** A registry whose only peer's card comes when its test wants it. */
function slowPeers() {
  const { promise, resolve, reject } = Promise.withResolvers<CallablePeer>()
  promise.catch(() => {})
  const peers: Peers = { ids: () => [], known: () => ['bee'], byId: () => undefined, current: () => promise }
  return { peers, resolve, reject }
}

function calling(peers: Peers, how: CallAgentOptions = {}) {
  const runtime = simulatedRuntime()
  const { callAgent } = agentCaller({ peers, agent: { id: 'home' }, fetch, runtime })
  const outcome: { error?: unknown } = {}
  const ended = callAgent('bee', hello, how).catch((error: unknown) => void (outcome.error = error))
  return { clock: runtime.clock, outcome, ended }
}

describe('a card that does not come', () => {
  test('takes no longer than the call may', async () => {
    const { clock, outcome, ended } = calling(slowPeers().peers, { timeout: 500 })
    await clock.advance(499)
    expect(outcome).toEqual({})
    await clock.advance(1)
    await ended
    expect(outcome.error).toMatchObject({ code: 'TIMEOUT', details: { peer: 'bee' } })
  })

  test('is waited for five minutes by default', async () => {
    const { clock, outcome, ended } = calling(slowPeers().peers)
    await clock.advance(299_999)
    expect(outcome).toEqual({})
    await clock.advance(1)
    await ended
    expect(outcome.error).toMatchObject({ code: 'TIMEOUT' })
  })

  test.for([['before'], ['meanwhile']] as const)('is not waited for when the call was cancelled %s', async ([when]) => {
    const control = new AbortController()
    if (when === 'before') control.abort()
    const { outcome, ended } = calling(slowPeers().peers, { signal: control.signal })
    control.abort()
    await ended
    expect(outcome.error).toBeInstanceOf(BeachError)
    expect(outcome.error).toMatchObject({ code: 'CANCELLED', details: { peer: 'bee' } })
  })
})

test.for([
  ['shorter than usual', 20, {}, 20_000],
  ['longer than usual', 600, {}, 600_000],
  ['longer than any caller waits', 1_000_000, {}, 3_600_000],
  ['other than what the caller says', 20, { timeout: 90_000 }, 90_000],
] as const)('a peer may take the time that its card names: %s', async ([, turnBudgetSeconds, how, ms], context) => {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  const { url } = await rawPeer(context, (raw) => {
    events(raw)({ task: task('WORKING') })
    isAsked()
  })
  const { peers, resolve } = slowPeers()
  const { clock, outcome, ended } = calling(peers, how)
  const card = readCard(url, { beach: { turnBudgetSeconds } })
  resolve({ id: 'bee', card, transports: card.transports })
  await asked
  await clock.advance(ms - 1)
  expect(outcome).toEqual({})
  await clock.advance(1)
  await ended
  expect(outcome.error).toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringContaining(`${ms / 1_000} s`) as string,
  })
})

test('asking a peer whose card cannot be read says so from the beginning, and ends with the reason', async () => {
  const { peers, reject } = slowPeers()
  const rules = inOrder(asks('ask_bee', { message: 'Hello?' }), respond('I go on.'))
  const home = homeAgent({ peers, rules })
  const sessions = home.start()
  const following = say(sessions, 'Go.')
  const why = "The card of 'bee' cannot be read."
  setTimeout(() => reject(new BeachError('UNREACHABLE', why)), 50)
  const { frames } = await following
  expect(reported(frames)).toEqual([
    'delegated progress: {"label":"Asking bee"}',
    `awaiting thinking: ${why}`,
    'complete response: I go on.',
  ])
  const parts = frames.flatMap((frame) => (frame.kind === 'part' && frame.role === 'agent' ? [frame.part] : []))
  expect(parts[0]?.metadata).toMatchObject({ origin: { peer: 'bee' } })
  expect(parts[1]?.metadata).toMatchObject({ origin: { peer: 'bee' }, code: 'UNREACHABLE' })
  await sessions.stop()
})

test('a peer is called by the name that the configuration gives it, until its card is read', async () => {
  const { peers, reject } = slowPeers()
  const rules = inOrder(asks('ask_bee', { message: 'Hello?' }), respond('I go on.'))
  const sessions = homeAgent({ peers, rules, names: new Map([['bee', 'The Beehive']]) }).start()
  const following = say(sessions, 'Go.')
  setTimeout(() => reject(new BeachError('UNREACHABLE', 'It is away.')), 50)
  expect(reported((await following).frames)[0]).toBe('delegated progress: {"label":"Asking The Beehive"}')
  await sessions.stop()
})
