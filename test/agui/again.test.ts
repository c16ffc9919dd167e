import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineActor } from '@cool-ai/beach'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../support/server-process.ts'
import { clients, customs, frailFetch, Gate, newToken, runtime, startAgent, StockAgent, typesOf } from './agent.ts'

/** Says words one at a time; each test decides when. */
function speaker(words: readonly string[]) {
  const gates = words.map(() => new Gate())
  const begun: string[] = []
  async function* spoken() {
    for (const [index, word] of words.entries()) {
      await gates[index]?.opened
      yield `${word} `
    }
  }
  const actor = defineActor(async ({ text, respond }) => {
    begun.push(text)
    await respond({ parts: [{ partType: 'ack', text: `On ${text}.` }], turnState: 'awaiting' })
    await respond({ parts: [{ partType: 'response', text: spoken() }], turnState: 'complete' })
  })
  const open = (count = gates.length) => gates.slice(0, count).forEach((gate) => gate.open())
  return { actor, open, begun, all: words.map((word) => `${word} `).join('') }
}

function sqliteFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'beach-agui-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'beach.db')
}

describe.each(clients)('the same run again, by %s', (client) => {
  test('is one turn, and is told from the log', async () => {
    const { actor, open, begun, all } = speaker(['one', 'two'])
    const { url } = await startAgent({ actors: { actor } })
    open()
    const stock = new StockAgent({ url, client })
    const first = await stock.say('this', { runId: 'run-1' })
    const messages = stock.messages
    const again = await stock.run({ runId: 'run-1' })
    expect(again.error).toBeUndefined()
    // The client has it all: nothing is said a second time.
    expect(stock.messages).toEqual(messages)
    const other = new StockAgent({ url, client, threadId: stock.threadId, messages: messages.slice(0, 1) })
    const same = await other.run({ runId: 'run-1' })
    expect(other.texts()).toEqual(['On this.', all])
    expect(typesOf(same.events)).toEqual(typesOf(first.events))
    expect(begun).toEqual(['this'])
  })

  test('goes on where the connection broke in mid-text', async () => {
    const { actor, open, begun, all } = speaker(['one', 'two', 'three'])
    const { url } = await startAgent({ actors: { actor } })
    const { fetch, cut } = frailFetch()
    const stock = new StockAgent({ url, client, fetch })
    open(2)
    await stock.say(
      'this',
      { runId: 'run-1' },
      {
        onTextMessageContentEvent: ({ event, textMessageBuffer }) => {
          if (`${textMessageBuffer}${event.delta}`.includes('two')) cut()
        },
      },
    )
    expect(stock.texts()).toEqual(['On this.', 'one two '])
    const again = stock.run({ runId: 'run-1' })
    open()
    expect((await again).error).toBeUndefined()
    expect(stock.texts()).toEqual(['On this.', all])
    expect(typesOf((await again).events)).not.toContain('MESSAGES_SNAPSHOT')
    expect(begun).toEqual(['this'])
  })

  test('at the same time is one turn, told to both', async () => {
    const { actor, open, begun, all } = speaker(['one', 'two'])
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    stock.agent.addMessage({ id: 'm1', role: 'user', content: 'this' })
    const other = new StockAgent({ url, client, threadId: stock.threadId, messages: stock.messages })
    const both = [stock.run({ runId: 'run-1' }), other.run({ runId: 'run-1' })]
    open()
    for (const { error, rejected } of await Promise.all(both))
      expect({ error, rejected }).toEqual({ error: undefined, rejected: undefined })
    expect([stock.texts(), other.texts()]).toEqual([
      ['On this.', all],
      ['On this.', all],
    ])
    expect(begun).toEqual(['this'])
  })

  test('at the same time with another message is refused to one of them', async () => {
    const { url } = await startAgent()
    const stock = new StockAgent({ url, client })
    const other = new StockAgent({ url, client, threadId: stock.threadId })
    const both = await Promise.all([stock.say('one', { runId: 'run-1' }), other.say('two', { runId: 'run-1' })])
    const refused = both.filter(({ rejected }) => rejected !== undefined)
    expect(refused.map(({ rejected }) => rejected?.message)).toEqual([
      expect.stringMatching(/409.*new one for each run/),
    ])
  })

  test('with another message is refused', async () => {
    const { url } = await startAgent()
    const stock = new StockAgent({ url, client })
    await stock.say('one', { runId: 'run-1' })
    const { rejected } = await stock.say('two', { runId: 'run-1' })
    expect(rejected?.message).toMatch(/409.*IDEMPOTENCY_MISMATCH.*new one for each run/)
    expect(stock.texts()).toEqual(['I see.', 'You said one'])
  })
})

describe.each(clients)('another run, by %s', (client) => {
  test('after a broken connection first brings what is missing, where that stops nothing', async () => {
    const { actor, open, begun, all } = speaker(['one', 'two', 'three'])
    const { url } = await startAgent({ actors: { actor }, protocols: { agui: { cancelOnDisconnect: false } } })
    const { fetch, cut } = frailFetch()
    const stock = new StockAgent({ url, client, fetch })
    open(1)
    await stock.say(
      'this',
      {},
      {
        onTextMessageContentEvent: ({ event }) => {
          if (event.delta.startsWith('one')) cut()
        },
      },
    )
    open()
    await stock.say('that')
    expect(stock.texts()).toEqual(['On this.', all, 'On that.', all])
    expect(begun).toEqual(['this', 'that'])
  })

  test('that only brings the same message once more follows its answer', async () => {
    const { actor, open, begun, all } = speaker(['one', 'two'])
    const { url } = await startAgent({ actors: { actor } })
    const { fetch, cut } = frailFetch()
    const stock = new StockAgent({ url, client, fetch })
    await stock.say('this', {}, { onRunStartedEvent: () => cut() })
    const again = stock.run()
    open()
    expect((await again).error).toBeUndefined()
    expect(stock.texts()).toEqual(['On this.', all])
    expect(begun).toEqual(['this'])
  })

  test('at the same time on one thread waits for its turn, and each has its own answer', async () => {
    const { actor, open, begun, all } = speaker(['one', 'two'])
    const { url } = await startAgent({ actors: { actor } })
    const one = new StockAgent({ url, client })
    const isRunning = new Gate()
    const first = one.say('this', {}, { onTextMessageEndEvent: () => isRunning.open() })
    await isRunning.opened
    const two = new StockAgent({ url, client, threadId: one.threadId })
    const started = new Gate()
    const second = two.say('that', {}, { onRunStartedEvent: () => started.open() })
    await started.opened
    open()
    for (const { error, rejected } of [await first, await second])
      expect({ error, rejected }).toEqual({ error: undefined, rejected: undefined })
    expect(one.texts()).toEqual(['On this.', all])
    expect(two.texts()).toEqual(['On that.', all])
    expect(begun).toEqual(['this', 'that'])
  })

  test('is told what was said meanwhile: by another participant, and by the agent itself', async () => {
    const found = new Gate()
    const reported = new Gate()
    const works = {
      find: {
        idempotent: true,
        run: async () => {
          await found.opened
          return { section: 'culture' }
        },
      },
    }
    const actor = defineActor(
      async ({ text, began, respond, manifest }) => {
        if (began.length > 0) {
          await respond({ parts: [{ partType: 'response', text: 'Here is what I found.' }], turnState: 'complete' })
          return reported.open()
        }
        if (text === 'research') await manifest({ name: 'research', slots: { culture: { work: 'find' } } })
        await respond({ parts: [{ partType: 'response', text: `You said ${text}.` }], turnState: 'complete' })
      },
      { works },
    )
    const { url } = await startAgent({ actors: { actor } })
    const token = await newToken(url)
    const stock = new StockAgent({ url, client, token, threadId: 'mine' })
    await stock.say('research')
    expect(stock.texts()).toEqual(['You said research.'])
    found.open()
    await reported.opened
    const other = new StockAgent({ url, client, token, threadId: 'mine' })
    await other.say('elsewhere')
    const { events } = await stock.say('here')
    expect(stock.texts()).toEqual([
      'You said research.',
      'Here is what I found.',
      'You said elsewhere.',
      'You said here.',
    ])
    expect(stock.texts('user').toSorted()).toEqual(['elsewhere', 'here', 'research'])
    expect(customs(events, 'domain-data')).toHaveLength(1)
    // A page that was loaded again and has nothing gets the conversation by a run that brings nothing.
    const page = new StockAgent({ url, client, token, threadId: 'mine' })
    expect((await page.run()).error).toBeUndefined()
    expect(page.texts()).toEqual(stock.texts())
    expect(page.texts('user')).toEqual(['research', 'elsewhere', 'here'])
  })
})

describe.each(clients)('an agent that stops, by %s', (client) => {
  test('says so, and the same run goes on with its next process', async () => {
    const path = sqliteFile()
    const { actor, open } = speaker(['one', 'two'])
    const first = await startAgent({ actors: { actor }, data: { store: await SqliteStore.open({ path, runtime }) } })
    const stock = new StockAgent({ url: first.url, client })
    open(1)
    const received = new Gate()
    const running = stock.say(
      'this',
      { runId: 'run-1' },
      {
        onTextMessageContentEvent: ({ event }) => {
          if (event.delta.startsWith('one')) received.open()
        },
      },
    )
    await received.opened
    await first.stop()
    expect((await running).error).toEqual({ message: expect.stringMatching(/same runId/), code: 'CUT_OFF' })
    expect(stock.texts()).toEqual(['On this.', 'one '])
    // The next process says it otherwise: what the client has is put right.
    const next = speaker(['uno', 'due'])
    const second = await startAgent({
      actors: { actor: next.actor },
      data: { store: await SqliteStore.open({ path, runtime }) },
    })
    next.open()
    stock.agent.url = `${second.url}/agui`
    const { error, events } = await stock.run({ runId: 'run-1' })
    expect(error).toBeUndefined()
    expect(typesOf(events)).toContain('MESSAGES_SNAPSHOT')
    expect(stock.texts()).toEqual(['On this.', next.all])
    expect(stock.texts('user')).toEqual(['this'])
  })
})

test.concurrent.for(clients)('killed in mid-run, the agent goes on with it: by %s', async (client, context) => {
  const program = 'examples/travel/start.mjs'
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '40' } })
  const { fetch } = frailFetch()
  const stock = new StockAgent({ url: server.url, client, fetch })
  let killing: Promise<void> | undefined
  await stock.say(
    'find me flights to Corfu in August',
    { runId: 'run-1' },
    {
      onTextMessageContentEvent: ({ textMessageBuffer }) => {
        // In the middle of the answer, which comes after the acknowledgement.
        if (textMessageBuffer.startsWith('Two direct')) killing ??= server.kill9()
      },
    },
  )
  await killing
  context.expect(stock.texts().at(-1)).toMatch(/^Two direct/)
  await server.start()
  const { error } = await stock.run({ runId: 'run-1' })
  context.expect(error).toBeUndefined()
  context
    .expect(stock.texts())
    .toEqual([
      context.expect.stringMatching(/^Looking up flights/),
      'Two direct options to Corfu on Saturday 15 August 2026, for 2 people. easyJet £94pp at 06:15; British Airways £187pp at 08:45.',
    ])
})

describe('threads', () => {
  test('belong to the caller that named them', async () => {
    const { url } = await startAgent()
    const [alice, bob] = [await newToken(url), await newToken(url)]
    const mine = new StockAgent({ url, token: alice, threadId: 'trip' })
    await mine.say('secret')
    const theirs = new StockAgent({ url, token: bob, threadId: 'trip' })
    await theirs.run()
    expect(theirs.messages).toEqual([])
    await theirs.say('hello')
    expect(theirs.texts()).toEqual(['I see.', 'You said hello'])
    const again = new StockAgent({ url, token: alice, threadId: 'trip' })
    await again.run()
    expect(again.texts('user')).toEqual(['secret'])
  })

  test('a session of the caller is one too, by its id, and no other caller’s', async () => {
    const { url } = await startAgent()
    const opened = await fetch(`${url}/sessions`, { method: 'POST' })
    const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const body = JSON.stringify({ text: 'from the page' })
    await fetch(`${url}/sessions/${sessionId}/messages`, { method: 'POST', headers, body })
    const stock = new StockAgent({ url, token, threadId: sessionId })
    await stock.say('by AG-UI')
    const page = new StockAgent({ url, token, threadId: sessionId })
    await page.run()
    expect(page.texts('user')).toEqual(['from the page', 'by AG-UI'])
    const stranger = new StockAgent({ url, token: await newToken(url), threadId: sessionId })
    expect((await stranger.say('hello')).rejected?.message).toMatch(/404.*no such thread/)
  })
})
