import { defineActor, replay, type ReplayReport } from '@cool-ai/beach'
import { defineTool, llmActor, type ScriptedMessage } from '@cool-ai/beach-llm'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { simulatedRuntime, testAgent, type TestAgent, type TestAgentOptions } from '@cool-ai/beach-testing'
import { script, type ScriptStep } from '@cool-ai/beach-testing/model'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

const response = (text: string) => ({ partType: 'response' as const, text })
const says = (text: string, turnState = 'complete') => ({ respond: { parts: [response(text)], turnState } })
const calls = (name: string, args: unknown): ScriptedMessage => ({ tools: [{ name, args }] })

const ran: unknown[] = []
afterEach(() => void ran.splice(0))

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  requiresApproval: true,
  approval: ({ invoice }) => ({ title: `Pay ${invoice}`, details: { Invoice: invoice }, editable: ['invoice'] }),
  handler: ({ invoice }) => ran.push(invoice),
})
const look = defineTool({
  name: 'look',
  description: 'Looks an invoice up.',
  inputSchema: z.object({ invoice: z.string() }),
  handler: async ({ invoice }, { emit }) => {
    ran.push(invoice)
    await emit?.([{ partType: 'progress', data: { label: `Looking for ${invoice}` } }])
    if (invoice === 'none') throw new Error('There is no such invoice.')
    return `${invoice}: 100 EUR`
  },
})
const research = defineTool({
  name: 'research',
  description: 'Takes long.',
  inputSchema: z.object({ about: z.string() }),
  background: true,
  handler: ({ about }) => {
    ran.push(about)
    return { about, found: 3 }
  },
})
const clerk = () => llmActor({ name: 'clerk', model: script(), prompt: 'You pay.', tools: [pay, look, research] })

/** A conversation with a scripted clerk. */
async function talk(model: readonly ScriptStep[], say: (agent: TestAgent) => Promise<void>, more?: TestAgentOptions) {
  const agent = await testAgent({ actors: { clerk: clerk() }, model, ...more })
  await say(agent)
  const before = [...ran]
  return {
    agent,
    again: async (request?: Parameters<TestAgent['replay']>[0]) => {
      const report = await agent.replay(request)
      expect(ran, 'no tool runs in a replay').toEqual(before)
      return report
    },
    [Symbol.asyncDispose]: () => agent.stop(),
  }
}

/** A store that outlives the process that closes it. */
class KeptStore extends MemoryStore {
  override async close(): Promise<void> {}
}

/** What is different, for the message of a failing test. */
function differencesIn({ same, turns, events, problems }: ReplayReport): unknown {
  if (same) return 'none'
  const changed = turns.filter(({ change }) => change !== 'same')
  return { events, problems, changed: JSON.stringify(changed, undefined, 1) }
}

const paying = [calls('pay', { invoice: 'A1' }), 'Invoice A1 is paid.', 'You are welcome.']
const askAndApprove = async (agent: TestAgent) => {
  await agent.say('Pay invoice A1.')
  await agent.approve()
  await agent.say('Thanks.')
}

describe('a session is the same again', () => {
  test('when a function answers', async () => {
    const greeter = defineActor(async ({ text, respond }) => {
      await respond({ parts: [{ partType: 'ack', text: 'Well.' }], turnState: 'awaiting' })
      await respond({ parts: [response(`You said: ${text}`)], turnState: 'complete' })
    })
    await using agent = await testAgent({ actors: { greeter } })
    await agent.say('hello')
    await agent.say('again')
    expect(differencesIn(await agent.replay())).toBe('none')
  })

  test('with an approval, and the tool does not run twice', async () => {
    await using session = await talk(paying, askAndApprove)
    expect(ran).toEqual(['A1'])
    const report = await session.again()
    expect(differencesIn(report)).toBe('none')
    expect(report.turns.map(({ asked, change }) => [asked, change])).toEqual([
      ['Pay invoice A1.', 'same'],
      ['Thanks.', 'same'],
    ])
  })

  test('with an approval that was denied, and one whose arguments were changed', async () => {
    const model = [calls('pay', { invoice: 'A1' }), 'Not paid.', calls('pay', { invoice: 'A2' }), 'Paid.']
    await using session = await talk(model, async (agent) => {
      await agent.say('Pay A1.')
      await agent.deny(undefined, { reason: 'Too much.' })
      await agent.say('Pay A2.')
      await agent.approve(undefined, { args: { invoice: 'A3' } })
    })
    expect(ran).toEqual(['A3'])
    expect(differencesIn(await session.again())).toBe('none')
  })

  test('with an approval that expired', async () => {
    const expiring = defineTool({ ...pay, name: 'pay', approvalExpiresMs: 60_000 })
    const actor = llmActor({ name: 'clerk', model: script(), prompt: 'You pay.', tools: [expiring] })
    await using session = await talk(
      [calls('pay', { invoice: 'A1' }), 'It was not approved.'],
      async (agent) => {
        await agent.say('Pay A1.')
        await agent.advance('1 hour')
      },
      { actors: { clerk: actor } },
    )
    expect(differencesIn(await session.again())).toBe('none')
  })

  test('with tools in parallel that show progress, and one that fails', async () => {
    const both = { tools: ['A1', 'none', 'A2'].map((invoice) => ({ name: 'look', args: { invoice } })) }
    await using session = await talk([both, 'Two of three.'], async (agent) => void (await agent.say('Look.')))
    expect(ran).toHaveLength(3)
    expect(differencesIn(await session.again())).toBe('none')
  })

  test('with work in parallel to the turn, whose result begins a turn by itself', async () => {
    const model = [calls('research', { about: 'rain' }), says('It takes a while.'), 'There are three.', 'Bye.']
    await using session = await talk(model, async (agent) => {
      await agent.say('Research rain.')
      await agent.advance('1 minute')
      await agent.say('Bye.')
    })
    expect(ran).toEqual(['rain'])
    const report = await session.again()
    expect(differencesIn(report)).toBe('none')
  })

  test('with messages of the model that it had to say again', async () => {
    const model: ScriptStep[] = [
      { respond: { parts: [{ partType: 'nonsense', text: 'x' }], turnState: 'complete' } },
      { text: 'I speak freely.' },
      { respond: '{"turnState":"complete","parts":[{"partType":' },
      'Proper.',
    ]
    await using session = await talk(model, async (agent) => void (await agent.say('Speak.')))
    expect(differencesIn(await session.again())).toBe('none')
  })

  test('with a turn that one actor passes on to another', async () => {
    const actors = {
      front: llmActor({
        model: script({ respond: { parts: [response('A moment.')], turnState: 'passed', passTo: 'back' } }),
        prompt: 'You pass on.',
      }),
      back: llmActor({ model: script('Here I am.'), prompt: 'You answer.' }),
    }
    await using agent = await testAgent({ actors, entry: 'front' })
    await agent.say('hello')
    expect(differencesIn(await agent.replay())).toBe('none')
  })

  test('with a turn that was cancelled in mid-text', async () => {
    const { promise: never } = Promise.withResolvers<never>()
    const chatty = llmActor({
      prompt: 'You talk.',
      model: {
        specificationVersion: 'v4',
        provider: 'test',
        modelId: 'slow',
        supportedUrls: {},
        doGenerate: () => never,
        doStream: async () => ({
          stream: new ReadableStream({
            start(controller) {
              controller.enqueue({ type: 'tool-input-start', id: 'one', toolName: 'respond' })
              const delta = '{"turnState":"complete","parts":[{"partType":"response","text":"Once upon a time, \\"there'
              controller.enqueue({ type: 'tool-input-delta', id: 'one', delta })
            },
          }),
        }),
      },
    })
    await using agent = await testAgent({ actors: { chatty } })
    const { sessions } = agent.beach
    const { sessionId } = agent.conversation
    const told = agent.say('Tell me a story.').catch(() => {})
    const by = { kind: 'operator', id: 'op', tenant: 'default' } as const
    const viewer = { id: 'viewer', transport: 'sse', deliveryClass: 'streaming', principal: by } as const
    const ending = new AbortController()
    await expect.poll(() => sessions.checkAccess(sessionId, by).catch(() => undefined)).toBeDefined()
    for await (const { kind } of sessions.follow(sessionId, viewer, undefined, ending.signal))
      if (kind === 'delta') break
    ending.abort()
    await sessions.cancel(sessionId, undefined, by)
    await told
    const report = await agent.replay()
    expect(report.turns[0]).toMatchObject({
      end: { recorded: { finalizedBy: 'cancelled' } },
      parts: [{ recorded: { text: 'Once upon a time, "there', metadata: { truncated: true } } }],
    })
    expect(differencesIn(report)).toBe('none')
  })

  test('with a turn that another process took over while its tool ran', async () => {
    const runtime = simulatedRuntime()
    const store = new KeptStore({ runtime })
    const { promise: stuck } = Promise.withResolvers<never>()
    let isFirst = true
    const fetchIt = defineTool({
      name: 'fetch_it',
      description: 'Fetches.',
      inputSchema: z.object({}),
      idempotent: true,
      handler: async () => (isFirst ? stuck : 'fetched'),
    })
    const actor = llmActor({ prompt: 'You fetch.', model: script(calls('fetch_it', {}), 'Done.'), tools: [fetchIt] })
    const options = { actors: { actor }, data: { store }, runtime }
    const first = await testAgent(options)
    const waiting = first.say('Fetch.').catch(() => {})
    const { sessionId: session } = first.conversation
    const types = async () => (await store.read(session, 0)).map(({ data }) => (data as { type: string }).type)
    await expect.poll(types, { timeout: 10_000 }).toContain('toolStarted')
    isFirst = false
    await Promise.all([first.beach.close(), waiting])
    await using second = await testAgent(options)
    await expect.poll(types, { timeout: 10_000 }).toContain('turnSettled')
    expect(await types()).toContain('turnResumed')
    expect(differencesIn(await second.replay({ session }))).toBe('none')
  })
})

describe('a replay with changes', () => {
  test('says with another model what it says now, from a turn on, next to what was said', async () => {
    await using session = await talk(paying, askAndApprove)
    const recorded = await session.again()
    const [, second] = recorded.turns
    const report = await session.again({ from: second?.turnId, model: script('You are very welcome.') })
    expect(report).toMatchObject({ same: false, from: second?.turnId, model: 'scripted' })
    expect(report.turns).toHaveLength(1)
    const [turn] = report.turns
    expect(turn).toMatchObject({ asked: 'Thanks.', change: 'changed', end: { change: 'same' }, notRecorded: [] })
    expect(turn?.parts).toMatchObject([
      {
        change: 'changed',
        text: [
          { in: 'both', text: 'You are ' },
          { in: 'replayed', text: 'very ' },
          { in: 'both', text: 'welcome.' },
        ],
      },
    ])
  })

  test('uses the recorded decision and result for the same call, also at another place', async () => {
    await using session = await talk(paying, askAndApprove)
    const model = script(calls('look', { invoice: 'A1' }), calls('pay', { invoice: 'A1' }), 'Done.', 'Bye.')
    const report = await session.again({ model })
    const [turn] = report.turns
    expect(turn?.tools).toMatchObject([
      { change: 'added', replayed: { name: 'look', outcome: 'failed' } },
      { change: 'same', replayed: { name: 'pay', outcome: 'ok' } },
    ])
    expect(turn?.notRecorded).toMatchObject([{ kind: 'tool', name: 'look', args: { invoice: 'A1' } }])
    expect(turn?.tools[0]?.replayed?.value).toMatch(/^Not recorded: the session has no call of 'look'/)
    expect(turn?.end).toMatchObject({ change: 'same', replayed: { turnState: 'complete' } })
  })

  test('waits where it asks for what the record has no decision on', async () => {
    await using session = await talk(paying, askAndApprove)
    const report = await session.again({ model: script(calls('pay', { invoice: 'B7' }), 'Paid.') })
    expect(report.turns[0]).toMatchObject({ end: { replayed: { turnState: 'suspended' } } })
    expect(report.turns[0]?.notRecorded).toMatchObject([{ kind: 'decision', name: 'pay', args: { invoice: 'B7' } }])
    expect(report.turns[1]).toMatchObject({ change: 'removed' })
  })

  test('with other instructions asks the actor’s own model', async () => {
    const prompts: string[] = []
    const told: ScriptStep = ({ prompt }) => {
      const [system] = prompt
      prompts.push(JSON.stringify(system?.content).slice(0, 20))
      return prompts.length === 1 ? 'Good day.' : 'Ahoy.'
    }
    await using session = await talk([told, told], async (agent) => void (await agent.say('Hello.')))
    const report = await session.again({ instructions: 'You are a pirate.' })
    expect(prompts).toEqual(['You pay.', 'You are a pirate.'].map((text) => expect.stringContaining(text)))
    expect(report.turns[0]?.parts).toMatchObject([{ change: 'changed', replayed: { text: 'Ahoy.' } }])
    expect(report).toMatchObject({ same: false, instructions: true })
  })

  test('with other code finds where it leaves the record', async () => {
    const actor = (polite: boolean) =>
      defineActor(async ({ text, tool, respond }) => {
        const found = await tool({ name: 'search', args: { text } }, async () => ran.push(text))
        if (polite) await tool({ name: 'greet', args: {} }, async () => ran.push('greet'))
        await respond({ parts: [response(`${found.outcome}: ${text}`)], turnState: 'complete' })
      })
    const runtime = simulatedRuntime()
    const store = new MemoryStore({ runtime })
    await using agent = await testAgent({ actors: { actor: actor(false) }, runtime, data: { store } })
    await agent.say('sand')
    await agent.say('salt')
    const session = agent.conversation.sessionId
    const about = { id: 'test-agent', name: 'Test agent' }
    const report = await replay({ agent: about, actors: { actor: actor(true) }, data: { store } }, { session })
    expect(ran).toEqual(['sand', 'salt'])
    expect(report.same).toBe(false)
    for (const turn of report.turns) {
      expect(turn.tools.map(({ change }) => change)).toEqual(['same', 'added'])
      expect(turn.parts).toMatchObject([{ change: 'same' }])
    }
  })
})

describe('a replay is refused', () => {
  test.each([
    ['of a session that is not there', { session: 'sess_none' }, 'NOT_FOUND'],
    ['from a turn that is not there', { from: 'turn_none' }, 'NOT_FOUND'],
    ['with a model for an actor that is not there', { model: script(), actor: 'nobody' }, 'BAD_REQUEST'],
  ])('%s', async (_, request, code) => {
    await using session = await talk(['Hello.'], async (agent) => void (await agent.say('Hello.')))
    await expect(session.again(request)).rejects.toMatchObject({ code })
  })

  test('of a folder without sessions, which stays as it is', async () => {
    const options = { agent: { id: 'a', name: 'A' }, actors: { clerk: clerk() }, data: '/tmp/there-is-no-such-folder' }
    await expect(replay(options, { session: 's' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
