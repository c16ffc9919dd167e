import { defineActor } from '@cool-ai/beach'
import type { Clock } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test } from 'vitest'
import { clients, customs, Gate, runtime, startAgent, StockAgent } from './agent.ts'

const graceMs = 5_000

/** A clock whose grace for clients that have left ends when a test says so. */
function heldGrace() {
  const waiting = new Set<() => void>()
  const asked: { count: number; reported: () => void }[] = []
  let begun = 0
  const timer: Clock['timer'] = (ms, run) => {
    if (ms !== graceMs) return runtime.clock.timer(ms, run)
    waiting.add(run)
    begun++
    for (const { count, reported } of asked) if (begun >= count) reported()
    return () => waiting.delete(run)
  }
  /** Resolves once so many graces have begun: one with each run that brings something, one with each that is left. */
  const reached = (count: number) =>
    new Promise<void>((reported) => (begun >= count ? reported() : asked.push({ count, reported })))
  const end = () => {
    for (const run of waiting) run()
    waiting.clear()
  }
  return { runtime: { ...runtime, clock: { ...runtime.clock, timer } }, reached, end, waiting }
}

/** Begins a story, and goes on when it is let; `stopped` when it is told to stop instead. */
function storyteller() {
  const [stopped, goes, waits, tells] = Array.from({ length: 4 }, () => new Gate()) as [Gate, Gate, Gate, Gate]
  const begun: string[] = []
  const actor = defineActor(async ({ text, respond, signal, tool }) => {
    begun.push(text)
    if (text === 'book') {
      await respond({ parts: [{ partType: 'ack', text: 'I ask.' }], turnState: 'awaiting' })
      await goes.opened
      const { outcome } = await tool({ name: 'book', args: {}, requiresApproval: true }, async () => 1)
      return respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
    }
    if (text === 'wait') await waits.opened
    if (text !== 'tell') {
      return respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' })
    }
    tells.open()
    async function* story() {
      yield 'Once upon '
      await new Promise<void>((resolve, reject) => {
        void goes.opened.then(resolve)
        signal.addEventListener('abort', () => {
          stopped.open()
          reject(signal.reason as Error)
        })
      })
      yield 'a time.'
    }
    await respond({ parts: [{ partType: 'response', text: story() }], turnState: 'complete' })
  })
  return {
    actor,
    stopped: stopped.opened,
    tells: tells.opened,
    goOn: () => goes.open(),
    answer: () => waits.open(),
    begun,
  }
}

describe.each(clients)('a client that stops its run, by %s', (client) => {
  test('has stopped the turn, unless it comes back in time', async () => {
    const { actor, stopped } = storyteller()
    const grace = heldGrace()
    const { url } = await startAgent({ actors: { actor }, runtime: grace.runtime })
    const stock = new StockAgent({ url, client })
    await stock.say('tell', { runId: 'run-1' }, { onTextMessageContentEvent: () => stock.agent.abortRun() })
    await grace.reached(2)
    grace.end()
    await stopped
    const { events, error } = await stock.run({ runId: 'run-1' })
    if (client === '1.0.0') expect(events.at(-1)).toMatchObject({ outcome: { type: 'cancelled' } })
    else expect(error).toMatchObject({ code: 'CANCELLED' })
    expect(stock.texts()).toEqual(['Once upon '])
    await stock.say('next')
    expect(stock.texts().at(-1)).toBe('You said next')
  })

  test('and runs again goes on with the turn', async () => {
    const { actor, goOn, begun } = storyteller()
    const grace = heldGrace()
    const { url } = await startAgent({ actors: { actor }, runtime: grace.runtime })
    const stock = new StockAgent({ url, client })
    await stock.say('tell', { runId: 'run-1' }, { onTextMessageContentEvent: () => stock.agent.abortRun() })
    await grace.reached(2)
    const again = stock.run({ runId: 'run-1' }, { onRunStartedEvent: () => (grace.end(), goOn()) })
    expect((await again).error).toBeUndefined()
    expect(stock.texts()).toEqual(['Once upon a time.'])
    expect(begun).toEqual(['tell'])
  })

  test('and is loaded again goes on with the turn', async () => {
    const { actor, goOn } = storyteller()
    const grace = heldGrace()
    const { url } = await startAgent({ actors: { actor }, runtime: grace.runtime })
    const stock = new StockAgent({ url, client })
    await stock.say('tell', {}, { onTextMessageContentEvent: () => stock.agent.abortRun() })
    await grace.reached(2)
    const page = new StockAgent({ url, client, threadId: stock.threadId })
    await page.run({}, { onTextMessageContentEvent: () => (grace.end(), goOn()) })
    expect(page.texts()).toEqual(['Once upon a time.'])
  })

  test('and says something new has stopped the turn at once', async () => {
    const { actor, stopped } = storyteller()
    const grace = heldGrace()
    const { url } = await startAgent({ actors: { actor }, runtime: grace.runtime, turns: { whileBusy: 'reject' } })
    const stock = new StockAgent({ url, client })
    await stock.say('tell', {}, { onTextMessageContentEvent: () => stock.agent.abortRun() })
    await grace.reached(2)
    const { rejected } = await stock.say('rather this')
    expect(rejected).toBeUndefined()
    await stopped
    expect(stock.texts()).toEqual(['Once upon ', 'You said rather this'])
  })
})

test('a run that is stopped while its message still waits stops the turn that takes it', async () => {
  const { actor, stopped, tells, answer } = storyteller()
  const grace = heldGrace()
  const { url } = await startAgent({ actors: { actor }, runtime: grace.runtime })
  const first = new StockAgent({ url })
  const begun = new Gate()
  const waiting = first.say('wait', {}, { onRunStartedEvent: () => begun.open() })
  await begun.opened
  const second = new StockAgent({ url, threadId: first.threadId })
  await second.say('tell', {}, { onRunStartedEvent: () => second.agent.abortRun() })
  await grace.reached(3)
  answer()
  await waiting
  await tells
  grace.end()
  await stopped
})

test('a client that stops stops nothing that another page follows', async () => {
  const { actor, goOn } = storyteller()
  const grace = heldGrace()
  const { url } = await startAgent({ actors: { actor }, runtime: grace.runtime })
  const stock = new StockAgent({ url })
  const reported = new Gate()
  const running = stock.say('tell', {}, { onTextMessageContentEvent: () => reported.open() })
  await reported.opened
  const page = new StockAgent({ url, threadId: stock.threadId })
  await page.run({}, { onTextMessageContentEvent: () => page.agent.abortRun() })
  await grace.reached(2)
  grace.end()
  await answered(url)
  goOn()
  await running
  expect(stock.texts()).toEqual(['Once upon a time.'])
})

test('a client that comes back to another process of the agent goes on with the turn', async () => {
  const { actor, goOn } = storyteller()
  const grace = heldGrace()
  const store = new MemoryStore({ runtime })
  const options = { actors: { actor }, runtime: grace.runtime, data: { store: shared(store) } }
  const [one, two] = [await startAgent(options), await startAgent(options)]
  const stock = new StockAgent({ url: one.url })
  await stock.say('tell', { runId: 'run-1' }, { onTextMessageContentEvent: () => stock.agent.abortRun() })
  await grace.reached(2)
  stock.agent.url = `${two.url}/agui`
  const looked = new Gate()
  const list = store.list.bind(store)
  store.list = async (...asked) => {
    const found = await list(...asked)
    if (asked[0].startsWith('agui-open:')) looked.open()
    return found
  }
  const again = stock.run({ runId: 'run-1' })
  await following(store)
  grace.end()
  await looked.opened
  await answered(one.url)
  goOn()
  expect((await again).error).toBeUndefined()
  expect(stock.texts()).toEqual(['Once upon a time.'])
  expect(await store.list('agui-open:')).toEqual([])
})

/** A store that stays open when one of its processes stops. */
function shared(store: MemoryStore): MemoryStore {
  store.close = async () => {}
  return store
}

/** By then the agent has done what it was going to do. */
async function answered(url: string): Promise<void> {
  for (let round = 0; round < 5; round++) await fetch(`${url}/healthz`)
}

async function following(store: MemoryStore): Promise<void> {
  while ((await store.list('agui-open:')).length === 0) await new Promise((resolve) => setImmediate(resolve))
}

test('an approval that is asked for meanwhile stays', async () => {
  const { actor, goOn } = storyteller()
  const grace = heldGrace()
  const { url } = await startAgent({ actors: { actor }, runtime: grace.runtime })
  const opened = await fetch(`${url}/sessions`, { method: 'POST' })
  const { sessionId: threadId, token } = (await opened.json()) as { sessionId: string; token: string }
  const stock = new StockAgent({ url, token, threadId })
  await stock.say('book', {}, { onTextMessageEndEvent: () => stock.agent.abortRun() })
  await grace.reached(2)
  goOn()
  const headers = { authorization: `Bearer ${token}` }
  for (let state = ''; state !== 'suspended';) {
    const view = await fetch(`${url}/sessions/${threadId}`, { headers })
    state = ((await view.json()) as { turn?: { turnState: string } }).turn?.turnState ?? ''
  }
  grace.end()
  const page = new StockAgent({ url, token, threadId, messages: stock.messages })
  const { interrupts, events } = await page.run()
  expect(interrupts).toHaveLength(1)
  expect(customs(events, 'beach.notice')).toEqual([])
  await page.resume(true)
  expect(page.texts().at(-1)).toBe('ok')
})

describe('an agent can decide what a closed connection means', () => {
  test('nothing', async () => {
    const { actor, goOn } = storyteller()
    const grace = heldGrace()
    const options = { actors: { actor }, runtime: grace.runtime, protocols: { agui: { cancelOnDisconnect: false } } }
    const { url } = await startAgent(options)
    const stock = new StockAgent({ url })
    await stock.say('tell', { runId: 'run-1' }, { onTextMessageContentEvent: () => stock.agent.abortRun() })
    expect(grace.waiting.size).toBe(0)
    goOn()
    await stock.run({ runId: 'run-1' })
    expect(stock.texts()).toEqual(['Once upon a time.'])
  })

  test('stop at once', async () => {
    const { actor, stopped } = storyteller()
    const { url } = await startAgent({ actors: { actor }, protocols: { agui: { cancelOnDisconnect: true } } })
    const stock = new StockAgent({ url })
    await stock.say('tell', { runId: 'run-1' }, { onTextMessageContentEvent: () => stock.agent.abortRun() })
    await stopped
    const { events } = await stock.run({ runId: 'run-1' })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
    expect(stock.texts()).toEqual(['Once upon '])
  })
})
