import {
  PartTypeRegistry,
  simulatedRuntime,
  systemRuntime,
  TurnStateRegistry,
  type Actor,
  type Frame,
  type Originator,
} from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ModelFailure } from '../models/model-failure.ts'
import type { StreamPart } from '../models/model.ts'
import { scriptedModel, type ScriptedMessage, type ScriptRule } from '../models/scripted-model.ts'
import { defineTool, type AnyTool } from '../tools/tool.ts'
import { ToolRegistry } from '../tools/tool-registry.ts'
import type { LlmActorConfig } from './config.ts'
import { llmActor } from './llm-actor.ts'

const alice = { kind: 'user', id: 'alice', tenant: 't' } as const
const viewer: Originator = { id: 'v', transport: 'sse', deliveryClass: 'streaming', principal: alice }
const say = (text: string, turnState = 'complete', partType = 'response') => ({
  turnState,
  parts: [{ metadata: { partType }, text }],
})

/** Says these messages one after the other. */
function inOrder(...messages: ScriptedMessage[]): ScriptRule[] {
  return [{ say: ({ step }) => messages[step] ?? { respond: say('The script is over.', 'error', 'error') } }]
}

function conversation(
  config: Partial<LlmActorConfig> & { rules?: readonly ScriptRule[] },
  others: Record<string, Actor> = {},
) {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const partTypes = PartTypeRegistry.canonical()
  const turnStates = TurnStateRegistry.canonical()
  const prompts: unknown[] = []
  const scripted = scriptedModel({ rules: config.rules ?? [] })
  const model = config.model ?? {
    ...scripted,
    doStream: (options: Parameters<typeof scripted.doStream>[0]) => {
      prompts.push(options.prompt)
      return scripted.doStream(options)
    },
  }
  const base = { name: 'sally', prompt: 'You are Sally.', runtime, partTypes, turnStates }
  const start = (more: Partial<LlmActorConfig> = {}) => {
    const actor = llmActor({ ...base, ...config, ...more, model: more.model ?? model })
    const sessions = new SessionTurnManager({
      store,
      runtime,
      partTypes,
      turnStates,
      actors: { sally: actor, ...others },
      entry: 'sally',
    })
    sessions.start()
    return sessions
  }
  const sessions = start()
  return { runtime, store, sessions, prompts, start }
}

type Conversation = ReturnType<typeof conversation>

async function ask({ sessions, store }: Conversation, text = 'hello', session?: string, scopes?: readonly string[]) {
  const by = { ...alice, ...(scopes && { scopes }) }
  const from = { ...viewer, principal: by }
  const id = session ?? (await sessions.open({ principal: by }))
  const frames: Frame[] = []
  const end = new AbortController()
  const posted = await sessions.post(id, { parts: [{ text, metadata: { partType: 'message' } }], from }, by)
  for await (const frame of sessions.follow(id, viewer, String(posted.seq), end.signal)) {
    frames.push(frame)
    if (frame.kind === 'settled' || (frame.kind === 'turn' && frame.turnState === 'suspended')) break
  }
  end.abort()
  const events = (await store.read(id, posted.seq)).map((event) => event.data as SessionEvent)
  const notes = events.flatMap((event) => (event.type === 'actorNoted' ? [event.kind] : []))
  const others = notes.filter((kind) => kind !== 'usage' && kind !== 'model-message')
  return { session: id, frames, shown: shown(frames), events, notes: others }
}

function shown(frames: readonly Frame[]): string[] {
  const stream = new EnvelopeStream()
  for (const frame of frames) stream.apply(frame)
  return stream.parts.map((part) => `${part.partType}: ${part.text}`)
}

const search = (ran: unknown[] = []): AnyTool =>
  defineTool({
    name: 'search_flights',
    description: 'Finds flights.',
    inputSchema: z.object({ to: z.string() }),
    handler: ({ to }) => {
      ran.push(to)
      return { flights: [`to ${to}`] }
    },
  })

describe('the loop', () => {
  test('streams an answer and settles, as parts of one respond() call', async () => {
    const { shown: parts, frames } = await ask(
      conversation({ rules: inOrder({ respond: say('Hello there, friend.') }) }),
    )
    expect(parts).toEqual(['response: Hello there, friend.'])
    const deltas = frames.filter((frame) => frame.kind === 'delta')
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.map((frame) => frame.text).join('')).toBe('Hello there, friend.')
  })

  test('says several things, calls tools between, and gives their results to the model as data', async () => {
    const ran: unknown[] = []
    const talk = conversation({
      tools: [search(ran)],
      rules: inOrder(
        { respond: say('Looking.', 'awaiting', 'ack'), tools: [{ name: 'search_flights', args: { to: 'Corfu' } }] },
        { respond: say('Found one.') },
      ),
    })
    const { shown: parts, events } = await ask(talk)
    expect(parts).toEqual(['ack: Looking.', 'response: Found one.'])
    expect(ran).toEqual(['Corfu'])
    const last = JSON.stringify(talk.prompts.at(-1))
    expect(last).toContain('<data origin=\\"tool:search_flights\\">')
    expect(last).toContain('to Corfu')
    // The acknowledgement, the call of the tool, and the answer.
    expect(events.filter((event) => event.type === 'stepCommitted')).toHaveLength(3)
  })

  test('runs the tools of one message in parallel, unless one must be alone', async () => {
    const log: string[] = []
    const slow = (name: string, sequential: boolean): AnyTool =>
      defineTool({
        name,
        description: name,
        sequential,
        inputSchema: z.object({}),
        handler: async () => {
          log.push(`${name} begins`)
          await new Promise((resolve) => setImmediate(resolve))
          log.push(`${name} ends`)
          return name
        },
      })
    const tools = [slow('one', false), slow('two', false), slow('three', true)]
    const calls = tools.map(({ name }) => ({ name, args: {} }))
    await ask(conversation({ tools, rules: inOrder({ tools: calls }, { respond: say('Done.') }) }))
    expect(log).toEqual(['one begins', 'two begins', 'one ends', 'two ends', 'three begins', 'three ends'])
  })

  test('tells the model of unknown tools, wrong arguments and failures, without a stack or a secret', async () => {
    const talk = conversation({
      tools: [
        search(),
        defineTool({
          name: 'explode',
          description: 'Fails.',
          inputSchema: z.object({}),
          handler: () => {
            throw new Error('password hunter2')
          },
        }),
      ],
      rules: inOrder(
        {
          tools: [
            { name: 'no_such_tool', args: {} },
            { name: 'search_flights', args: { to: 5 } },
            { name: 'explode', args: {} },
          ],
        },
        { respond: say('Sorry.') },
      ),
    })
    await ask(talk)
    const last = JSON.stringify(talk.prompts.at(-1))
    expect(last).toContain("There is no tool 'no_such_tool'. There are: search_flights, explode.")
    expect(last).toContain('The arguments are wrong. to:')
    expect(last).toContain('The tool failed.')
    expect(last).not.toContain('hunter2')
  })

  test.each([
    [true, false],
    [false, true],
  ])('tells the model what is known of a tool that takes too long (idempotent: %s)', async (idempotent, mayHaveRun) => {
    const started = Promise.withResolvers<void>()
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      timeoutMs: 1_000,
      idempotent,
      handler: () => {
        started.resolve()
        return new Promise<never>(() => {})
      },
    })
    const rules = inOrder({ tools: [{ name: 'pay', args: {} }] }, { respond: say('Sorry.') })
    const talk = conversation({ tools: [pay], rules })
    const answer = ask(talk)
    await started.promise
    await talk.runtime.clock.advance(1_000)
    await answer
    const last = JSON.stringify(talk.prompts.at(-1))
    expect(last).toContain('The tool pay took longer than 1000 ms.')
    const unknown = 'Whether it took effect is not known: find out before you do it again.'
    expect(last.includes(unknown)).toBe(mayHaveRun)
  })

  test('passes a turn on to the actor that the model names', async () => {
    const drafter = llmActor({
      name: 'drafter',
      prompt: 'You draft.',
      model: scriptedModel({ rules: inOrder({ respond: say('A draft.') }) }),
    })
    const pass = { turnState: 'passed', passTo: 'drafter', parts: say('Over to the drafter.', '', 'thinking').parts }
    const { shown: parts } = await ask(
      conversation({ passTo: ['drafter'], rules: inOrder({ respond: pass }) }, { drafter }),
    )
    expect(parts).toEqual(['thinking: Over to the drafter.', 'response: A draft.'])
  })

  test('remembers earlier turns, as much of them as its window holds', async () => {
    const rules = [{ say: ({ text }: { text: string }) => ({ respond: say(`You said ${text}.`) }) }]
    const talk = conversation({ rules, history: { turns: 2 } })
    const { session } = await ask(talk, 'one')
    for (const text of ['two', 'three', 'four']) await ask(talk, text, session)
    const last = JSON.stringify(talk.prompts.at(-1))
    expect(last).not.toContain('You said one.')
    expect(last).toContain('You said two.')
    expect(last).toContain('You said three.')
  })
})

describe('several respond() calls in one message', () => {
  const ack = { name: 'respond', args: say('Looking.', 'awaiting', 'ack') }
  const answer = { name: 'respond', args: say('Found one.') }

  /** A scripted model that waits before it says what `isBefore` tells. */
  function pausing(rules: readonly ScriptRule[], isBefore: (part: StreamPart) => boolean, wait: () => Promise<void>) {
    const scripted = scriptedModel({ rules })
    return {
      ...scripted,
      async doStream(options: Parameters<typeof scripted.doStream>[0]) {
        const { stream } = await scripted.doStream(options)
        const pause = new TransformStream<StreamPart, StreamPart>({
          async transform(part, controller) {
            if (isBefore(part)) await wait()
            controller.enqueue(part)
          },
        })
        return { stream: stream.pipeThrough(pause) }
      },
    }
  }
  const beginsSecond = (part: StreamPart) => part.type === 'tool-input-start' && part.id.endsWith('_1')

  test('are seen one by one, each under its own state, while the message still arrives', async () => {
    const seen = Promise.withResolvers<void>()
    const model = pausing(inOrder({ tools: [ack, answer] }), beginsSecond, () => seen.promise)
    const talk = conversation({ model })
    const session = await talk.sessions.open({ principal: alice })
    const parts = [{ text: 'hello', metadata: { partType: 'message' } }]
    const { seq } = await talk.sessions.post(session, { parts, from: viewer }, alice)
    const reported: string[] = []
    for await (const frame of talk.sessions.follow(session, viewer, String(seq), new AbortController().signal)) {
      if (frame.kind === 'part') reported.push(`${frame.turnState} ${shown([frame])[0]}`)
      // The model says nothing more before the viewer has the acknowledgement.
      if (reported.length === 1) seen.resolve()
      if (frame.kind === 'settled') break
    }
    expect(reported).toEqual(['awaiting ack: Looking.', 'complete response: Found one.'])
  })

  test('go on after the last one that was delivered when the host ends in the middle of the message', async () => {
    const paused = Promise.withResolvers<void>()
    const wait = () => {
      paused.resolve()
      return new Promise<void>(() => {})
    }
    const talk = conversation({ model: pausing(inOrder({ tools: [ack, answer] }), beginsSecond, wait) })
    const session = await talk.sessions.open({ principal: alice })
    const parts = [{ text: 'hello', metadata: { partType: 'message' } }]
    await talk.sessions.post(session, { parts, from: viewer }, alice)
    await paused.promise
    await talk.sessions.stop()
    const prompts: string[] = []
    const rest = scriptedModel({ rules: inOrder({}, { respond: answer.args }) })
    const model = {
      ...rest,
      doStream: (options: Parameters<typeof rest.doStream>[0]) => {
        prompts.push(JSON.stringify(options.prompt))
        return rest.doStream(options)
      },
    }
    const frames: Frame[] = []
    for await (const frame of talk.start({ model }).follow(session, viewer, undefined, new AbortController().signal)) {
      frames.push(frame)
      if (frame.kind === 'settled') break
    }
    expect(shown(frames)).toEqual(['message: hello', 'ack: Looking.', 'response: Found one.'])
    expect(prompts).toHaveLength(1)
    expect(prompts[0]).toContain('Delivered.')
  })

  test('go on after the last one that was delivered when the model fails in the middle of the message', async () => {
    let fails = true
    const wait = async () => {
      if (!fails) return
      fails = false
      throw new ModelFailure({ reason: 'gone' }, { retryable: true })
    }
    const rules = inOrder({ tools: [ack, answer] }, { respond: say('Found two.') })
    const model = pausing(rules, beginsSecond, wait)
    const talk = conversation({ model, retry: { baseMs: 1 }, runtime: systemRuntime() })
    const { shown: parts, notes } = await ask(talk)
    expect(parts).toEqual(['ack: Looking.', 'response: Found two.'])
    expect(notes).toEqual(['model-error'])
  })

  test('are one message for the model, with the tools of the same message', async () => {
    const talk = conversation({
      tools: [search()],
      rules: inOrder(
        { tools: [ack, { name: 'search_flights', args: { to: 'Rome' } }] },
        { respond: say('Found one.') },
      ),
    })
    await ask(talk)
    const roles = (talk.prompts.at(-1) as { role: string; content: unknown[] }[]).slice(-2)
    expect(roles.map(({ role, content }) => [role, content.length])).toEqual([
      ['assistant', 2],
      ['tool', 2],
    ])
  })

  test('with one after the end of the turn are corrected, and what was delivered before it stays', async () => {
    const talk = conversation({
      rules: inOrder({ tools: [ack, answer, answer] }, { respond: say('All of it.') }),
    })
    const { shown: parts, notes } = await ask(talk)
    expect(parts).toEqual(['ack: Looking.', 'response: All of it.'])
    expect(notes).toEqual(['invalid-respond'])
    expect(JSON.stringify(talk.prompts.at(-1))).toContain(
      "'complete' ends the turn, but this message calls respond() again",
    )
  })

  test('of which one is wrong are corrected from that one on', async () => {
    const wrong = { name: 'respond', args: say('No.', 'nonsense') }
    const talk = conversation({ rules: inOrder({ tools: [ack, wrong, answer] }, { respond: say('Better.') }) })
    const { shown: parts } = await ask(talk)
    expect(parts).toEqual(['ack: Looking.', 'response: Better.'])
    const last = JSON.stringify(talk.prompts.at(-1))
    expect(last).toContain('Delivered.')
    expect(last).toContain('Not delivered: another respond()')
  })
})

describe('a respond() that is wrong', () => {
  test.each([
    [
      'an unregistered part type',
      { turnState: 'complete', parts: [{ metadata: { partType: 'nonsense' }, text: 'x' }] },
    ],
    [
      'an unregistered state',
      { turnState: 'finished', parts: [{ metadata: { partType: 'response' }, text: 'Half an ans' }] },
    ],
    [
      'an approval of its own',
      { turnState: 'complete', parts: [{ metadata: { partType: 'approval-response' }, data: {} }] },
    ],
    ['passed to no actor', { turnState: 'passed', parts: [{ metadata: { partType: 'thinking' }, text: 'x' }] }],
    ['broken JSON', '{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"Half an ans'],
  ])('is taken back, told to the model, and corrected: %s', async (_, wrong) => {
    const talk = conversation({ rules: inOrder({ respond: wrong }, { respond: say('Better.') }) })
    const { shown: parts, notes, events } = await ask(talk)
    expect(parts).toEqual(['response: Better.'])
    expect(notes).toEqual(['invalid-respond'])
    expect(events.filter((event) => event.type === 'partReceived')).toHaveLength(1)
    expect(JSON.stringify(talk.prompts.at(-1))).toContain('error-text')
  })

  test('over and over ends the turn with an error', async () => {
    const rules = [{ say: () => ({ respond: say('x', 'nonsense') }) }]
    const { frames } = await ask(conversation({ rules }))
    expect(frames.at(-1)).toMatchObject({ kind: 'settled', turnState: 'error' })
  })

  test('because its data is not what the actor declares is corrected too', async () => {
    const domainDataSchema = { type: 'object', required: ['flights'], properties: { flights: { type: 'array' } } }
    const data = (value: unknown) => ({
      turnState: 'complete',
      parts: [{ metadata: { partType: 'domain-data' }, data: value }],
    })
    const talk = conversation({
      domainDataSchema,
      domainDataMergeStrategy: 'append',
      rules: inOrder({ respond: data({ hotels: [] }) }, { respond: data({ flights: [1] }) }),
    })
    const { events, notes } = await ask(talk)
    expect(notes).toEqual(['invalid-respond'])
    const part = events.find((event) => event.type === 'partReceived')
    expect(part?.payload?.part).toMatchObject({ data: { flights: [1] }, metadata: { mergeStrategy: 'append' } })
  })
})

describe('a part that an answer can do without', () => {
  const right = { metadata: { partType: 'a2ui-surface' }, data: [{ version: 'v0.9' }] }
  const wrong = { metadata: { partType: 'a2ui-surface' }, text: 'a picture' }
  const answer = (text: string, ...surfaces: object[]) => ({
    turnState: 'complete',
    parts: [...surfaces, { metadata: { partType: 'response' }, text }],
  })
  const needsData = "A part of type 'a2ui-surface' needs A2UI messages as its data."

  test('goes back to the model once, with what is wrong, and is taken when it is right then', async () => {
    const talk = conversation({
      rules: inOrder({ respond: answer('One.', wrong) }, { respond: answer('Two.', right) }),
    })
    const { shown: parts, notes, events } = await ask(talk)
    expect(parts).toEqual(['a2ui-surface: undefined', 'response: Two.'])
    expect(notes).toEqual(['invalid-respond'])
    expect(events.filter((event) => event.type === 'partReceived')).toHaveLength(2)
    expect(JSON.stringify(talk.prompts.at(-1))).toContain(`parts[0]: ${needsData}`)
  })

  test('is dropped when it is wrong again: the log says so, and the rest is delivered', async () => {
    const talk = conversation({
      rules: inOrder({ respond: answer('One.', wrong) }, { respond: answer('Two.', wrong, right) }),
    })
    const { shown: parts, notes, events, frames } = await ask(talk)
    expect(parts).toEqual(['a2ui-surface: undefined', 'response: Two.'])
    expect(notes).toEqual(['invalid-respond', 'dropped-part'])
    const dropped = events.find((event) => event.type === 'actorNoted' && event.kind === 'dropped-part')
    expect(dropped).toMatchObject({
      payload: { value: { partType: 'a2ui-surface', problems: [`parts[0]: ${needsData}`] } },
    })
    expect(frames.at(-1)).toMatchObject({ kind: 'settled', turnState: 'complete' })
    // Once for the first answer, and once because the text of the second stands in another place than it was shown.
    expect(frames.filter(({ kind }) => kind === 'retract')).toHaveLength(2)
  })

  test('is told again in the next answer of the same turn, and the model knows what was not shown', async () => {
    const awaiting = { ...answer('One.', wrong), turnState: 'awaiting' }
    const talk = conversation({
      tools: [search([])],
      rules: inOrder(
        { respond: awaiting },
        { respond: awaiting, tools: [{ name: 'search_flights', args: { to: 'Corfu' } }] },
        { respond: answer('Two.', wrong) },
        { respond: answer('Three.') },
      ),
    })
    const { shown: parts, notes } = await ask(talk)
    expect(parts).toEqual(['response: One.', 'response: Three.'])
    expect(notes).toEqual(['invalid-respond', 'dropped-part', 'invalid-respond'])
    expect(JSON.stringify(talk.prompts[2])).toContain('without the parts that were still not valid')
  })

  test('is refused like any other when nothing else is left', async () => {
    const nothing = { turnState: 'complete', parts: [wrong] }
    const { frames, notes } = await ask(conversation({ rules: [{ say: () => ({ respond: nothing }) }] }))
    expect(frames.at(-1)).toMatchObject({ kind: 'settled', turnState: 'error' })
    expect(notes).toEqual(['invalid-respond', 'invalid-respond', 'invalid-respond', 'invalid-respond'])
  })
})

describe('text outside of respond()', () => {
  test('is sent back once', async () => {
    const talk = conversation({ rules: inOrder({ text: 'Hi!' }, { respond: say('Hi, properly.') }) })
    expect(await ask(talk)).toMatchObject({ shown: ['response: Hi, properly.'], notes: ['free-text'] })
  })

  test.each([undefined, 'strict'] as const)(
    'ends the turn with an error the second time (freeText: %s)',
    async (freeText) => {
      const talk = conversation({
        ...(freeText && { freeText }),
        rules: inOrder({ text: 'Hi!' }, { text: 'Hi again!' }),
      })
      const { frames, notes, shown: parts } = await ask(talk)
      expect(parts).toEqual(['error: I could not put my answer into a valid form.'])
      expect(frames.at(-1)).toMatchObject({ turnState: 'error' })
      expect(notes).toEqual(['free-text', 'free-text'])
    },
  )

  test('is taken as the response the second time where the author asks for it', async () => {
    const talk = conversation({ freeText: 'wrap', rules: inOrder({ text: 'Hi!' }, { text: 'Hi again!' }) })
    expect(await ask(talk)).toMatchObject({ shown: ['response: Hi again!'], notes: ['free-text', 'free-text'] })
  })

  test('next to a proper call is left out and noted', async () => {
    const talk = conversation({ rules: inOrder({ text: 'Let me see.', respond: say('Hello.') }) })
    expect(await ask(talk)).toMatchObject({ shown: ['response: Hello.'], notes: ['free-text'] })
  })

  test('that is nothing at all ends in an error after one more try', async () => {
    const { frames } = await ask(conversation({ rules: [{ say: () => ({}) }] }))
    expect(frames.at(-1)).toMatchObject({ turnState: 'error' })
  })
})

describe('approvals', () => {
  const book = (ran: string[], requiresApproval: NonNullable<AnyTool['requiresApproval']>): AnyTool =>
    defineTool({
      name: 'book',
      description: 'Books.',
      inputSchema: z.object({ price: z.number() }),
      requiresApproval,
      handler: ({ price }) => {
        ran.push(String(price))
        return 'booked'
      },
    })
  const rules = (price: number): ScriptRule[] => [
    { when: ({ results }) => results.has('book'), say: ({ results }) => ({ respond: say(results.get('book') ?? '') }) },
    { say: () => ({ respond: say('One moment.', 'awaiting', 'ack'), tools: [{ name: 'book', args: { price } }] }) },
  ]

  test.each([
    ['granted', 'booked', ['187']],
    ['denied', 'ToolDenied: too expensive', []],
  ] as const)('suspend the turn, and when %s the model is told: %s', async (decision, reported, calls) => {
    const ran: string[] = []
    const talk = conversation({ tools: [book(ran, 'admin')], rules: rules(187) })
    const { session, events } = await ask(talk)
    const request = events.find((event) => event.type === 'partReceived' && event.partType === 'approval-request')
    expect(request).toMatchObject({
      payload: {
        part: { data: { toolName: 'book', args: { price: 187 }, handler: 'sally' }, metadata: { level: 'admin' } },
      },
    })
    expect(ran).toEqual([])
    const [approvalId = ''] = (await talk.sessions.view(session, alice)).turn?.pendingApprovals ?? []
    await talk.sessions.stop()
    const restarted = { ...talk, sessions: talk.start() }
    expect(await restarted.sessions.decide(approvalId, { decision }, alice)).toBe('notFound')
    const admin = { kind: 'operator', id: 'root', tenant: 't' } as const
    await restarted.sessions.decide(approvalId, { decision, reason: 'too expensive' }, admin)
    const frames: Frame[] = []
    for await (const frame of restarted.sessions.follow(session, viewer, undefined, new AbortController().signal)) {
      frames.push(frame)
      if (frame.kind === 'settled') break
    }
    expect(shown(frames).at(-1)).toBe(`response: ${reported}`)
    expect(ran).toEqual(calls)
  })

  test.each([
    ['granted', 'booked', ['187']],
    ['denied', 'ToolDenied: too expensive', []],
  ] as const)(
    'are asked for by the model itself, for the call that it names, and when %s: %s',
    async (decision, reported, calls) => {
      const ran: string[] = []
      const asks = {
        turnState: 'suspended',
        parts: [
          { metadata: { partType: 'thinking' }, text: 'This costs money.' },
          { metadata: { partType: 'approval-request' }, data: { toolName: 'book', args: { price: 187 } } },
        ],
      }
      const talk = conversation({
        tools: [book(ran, false)],
        rules: [
          {
            when: ({ results }) => results.has('respond'),
            say: ({ results }) => ({ respond: say(results.get('respond') ?? '') }),
          },
          { say: () => ({ respond: asks }) },
        ],
      })
      const { session, events, shown: parts, frames } = await ask(talk)
      expect(parts[0]).toBe('thinking: This costs money.')
      expect(frames.at(-1)).toMatchObject({ kind: 'turn', turnState: 'suspended' })
      const request = events.find((event) => event.type === 'partReceived' && event.partType === 'approval-request')
      expect(request).toMatchObject({
        payload: { part: { data: { toolName: 'book', args: { price: 187 }, handler: 'sally' } } },
      })
      expect(ran).toEqual([])
      const [approvalId = ''] = (await talk.sessions.view(session, alice)).turn?.pendingApprovals ?? []
      await talk.sessions.stop()
      const restarted = talk.start()
      expect(await restarted.decide(approvalId, { decision, reason: 'too expensive' }, alice)).toBe('decided')
      const after: Frame[] = []
      for await (const frame of restarted.follow(session, viewer, undefined, new AbortController().signal)) {
        after.push(frame)
        if (frame.kind === 'settled') break
      }
      expect(shown(after).at(-1)).toBe(`response: ${reported}`)
      expect(ran).toEqual(calls)
    },
  )

  test('are given by a policy where it says so, and recorded under its name', async () => {
    const ran: string[] = []
    const policy = ({ price }: { price: number }) => (price < 100 ? { grantedBy: 'small-amounts' } : true)
    const talk = conversation({ tools: [book(ran, policy)], rules: rules(94) })
    const { events, shown: parts } = await ask(talk)
    expect(parts.at(-1)).toBe('response: booked')
    expect(events.find((event) => event.type === 'approvalDecided')).toMatchObject({
      payload: { decidedBy: 'small-amounts' },
    })
  })
})

describe('a budget', () => {
  test.each([
    ['steps', { steps: 3 }],
    ['tokens', { tokens: 50 }],
    ['cost', { cost: 0.000_001 }],
  ])('of %s stops a model that goes on for ever', async (_, budget) => {
    const talk = conversation({
      budget,
      prices: { input: 1, output: 1 },
      rules: [{ say: () => ({ respond: say('Still working.', 'awaiting', 'thinking') }) }],
    })
    const { frames, shown: parts } = await ask(talk)
    expect(frames.at(-1)).toMatchObject({ turnState: 'error', finalizedBy: 'budget' })
    expect(parts.at(-1)).toMatch(/^error: This /)
  })

  test('of time stops a model that does not answer', async () => {
    const asked = Promise.withResolvers<void>()
    const talk = conversation({
      budget: { timeMs: 1_000 },
      model: {
        ...scriptedModel({ rules: [] }),
        doStream: ({ abortSignal }: { abortSignal?: AbortSignal }) => {
          asked.resolve()
          return new Promise<never>((_, reject) => {
            abortSignal?.addEventListener('abort', () => reject(new Error('aborted')))
          })
        },
      },
    })
    const answer = ask(talk)
    await asked.promise
    await talk.runtime.clock.advance(1_000)
    expect((await answer).frames.at(-1)).toMatchObject({ finalizedBy: 'timeout' })
  })

  test('of time does not wait for a model that ignores its end', async () => {
    const asked = Promise.withResolvers<void>()
    const doStream = () => {
      asked.resolve()
      return new Promise<never>(() => {})
    }
    const talk = conversation({ budget: { timeMs: 1_000 }, model: { ...scriptedModel({ rules: [] }), doStream } })
    const answer = ask(talk)
    await asked.promise
    await talk.runtime.clock.advance(1_000)
    expect((await answer).frames.at(-1)).toMatchObject({ finalizedBy: 'timeout' })
  })
})

describe('a failure that is not the model’s', () => {
  test('is not told as one of the model’s, and the model is not asked again', async () => {
    const talk = conversation({ rules: inOrder({ respond: say('x'.repeat(500_000)) }) })
    const { shown: parts, events } = await ask(talk)
    expect(parts).toEqual(['error: Something went wrong while answering. Please try again.'])
    expect(events.find((event) => event.type === 'partReceived')?.payload?.part.metadata.code).toBe('TOO_LARGE')
    expect(talk.prompts).toHaveLength(1)
  })
})

describe('after a restart', () => {
  test('the turn goes on from the last complete step, and finished tools are not run again', async () => {
    const ran: unknown[] = []
    const rules: ScriptRule[] = [
      { when: ({ results }) => results.has('search_flights'), say: () => ({ respond: say('Found.') }) },
      {
        say: () => ({
          respond: say('Looking.', 'awaiting', 'ack'),
          tools: [{ name: 'search_flights', args: { to: 'Rome' } }],
        }),
      },
    ]
    const hanging = { ...scriptedModel({ rules }) }
    let called = () => {}
    const secondCall = new Promise<void>((resolve) => (called = resolve))
    let calls = 0
    const model = {
      ...hanging,
      doStream: (options: Parameters<typeof hanging.doStream>[0]) => {
        if (++calls !== 2) return hanging.doStream(options)
        called()
        return new Promise<never>(() => {})
      },
    }
    const talk = conversation({ tools: [search(ran)], model })
    const session = await talk.sessions.open({ principal: alice })
    await talk.sessions.post(
      session,
      { parts: [{ text: 'go', metadata: { partType: 'message' } }], from: viewer },
      alice,
    )
    await secondCall
    await talk.sessions.stop()
    const restarted = talk.start({ model: hanging })
    const frames: Frame[] = []
    for await (const frame of restarted.follow(session, viewer, undefined, new AbortController().signal)) {
      frames.push(frame)
      if (frame.kind === 'settled') break
    }
    expect(shown(frames)).toEqual(['message: go', 'ack: Looking.', 'response: Found.'])
    expect(ran).toEqual(['Rome'])
  })
})

describe('reasoning', () => {
  test.each([
    [undefined, ['response', 'reasoning-trace']],
    ['off' as const, ['response']],
  ])('is kept for audit by default and never shown: %s', async (reasoning, stored) => {
    const talk = conversation({
      ...(reasoning && { reasoning }),
      rules: inOrder({ reasoning: 'Hm, flights.', respond: say('Flights.') }),
    })
    const { shown: parts, events } = await ask(talk)
    expect(parts).toEqual(['response: Flights.'])
    expect(events.flatMap((event) => (event.type === 'partReceived' ? [event.partType] : []))).toEqual(stored)
  })
})

describe('the configuration', () => {
  const model = scriptedModel({ rules: [] })

  test('fails at once on a tool that is not registered', () => {
    const toolRegistry = new ToolRegistry([search()])
    const wrong = () => llmActor({ name: 'sally', prompt: 'x', model, tools: ['serch_flights'], toolRegistry })
    expect(wrong).toThrow(/'sally' names the tool 'serch_flights'.*Registered are: search_flights/)
    expect(() => llmActor({ name: 'sally', prompt: 'x', model, tools: ['search_flights'], toolRegistry })).not.toThrow()
  })

  test.each([
    ['a bad name', { name: 'search flights' }],
    ['the name respond', { name: 'respond' }],
    ['no description', { description: ' ' }],
    ['an input that is no object', { inputSchema: z.string() }],
  ])('refuses a tool with %s', (_, wrong) => {
    expect(() => new ToolRegistry([{ ...search(), ...wrong }])).toThrow(/The tool/)
  })

  test('refuses a tool twice', () => {
    expect(() => new ToolRegistry([search(), search()])).toThrow(/already registered/)
  })

  test('runs a tool only for users who have its scopes', async () => {
    const ran: unknown[] = []
    const talk = conversation({
      tools: [{ ...search(ran), requiredScopes: ['booking:write'] }],
      rules: inOrder({ tools: [{ name: 'search_flights', args: { to: 'x' } }] }, { respond: say('No.') }),
    })
    await ask(talk)
    expect(ran).toEqual([])
    expect(JSON.stringify(talk.prompts.at(-1))).toContain('booking:write')
  })

  test('looks at the scopes of who says something now, not of who opened the session', async () => {
    const ran: unknown[] = []
    const talk = conversation({
      tools: [{ ...search(ran), requiredScopes: ['booking:write'] }],
      rules: inOrder({ tools: [{ name: 'search_flights', args: { to: 'x' } }] }, { respond: say('Done.') }),
    })
    const { session: opened } = await ask(talk, 'hello', undefined, ['booking:write'])
    expect(ran).toHaveLength(1)
    await ask(talk, 'hello', opened, [])
    expect(ran).toHaveLength(1)
    const { session: plain } = await ask(talk)
    expect(ran).toHaveLength(1)
    await ask(talk, 'hello', plain, ['booking:write'])
    expect(ran).toHaveLength(2)
  })

  test('asks the scopes of all who speak in the same turn', async () => {
    const ran: unknown[] = []
    const talk = conversation({
      tools: [{ ...search(ran), requiredScopes: ['booking:write'] }],
      rules: inOrder({ tools: [{ name: 'search_flights', args: { to: 'x' } }] }, { respond: say('Done.') }),
    })
    const may = { ...alice, scopes: ['booking:write'] }
    const session = await talk.sessions.open({ principal: may })
    const parts = [{ text: 'hello', metadata: { partType: 'message' } }]
    const posted = await Promise.all(
      [may, alice, may].map((by) => talk.sessions.post(session, { parts, from: { ...viewer, principal: by } }, by)),
    )
    await ask(talk, 'And?', session)
    const turns = (await talk.store.read(session, 0)).map(({ data }) => data as SessionEvent)
    const begun = turns.flatMap((event) => (event.type === 'turnStarted' ? [event.messageIds] : []))
    // The first message begins a turn by itself; the others wait for it together.
    expect(begun[0]).toEqual([posted[0]?.messageId])
    expect(begun[1]).toEqual(expect.arrayContaining([posted[1]?.messageId, posted[2]?.messageId]))
    expect(ran).toHaveLength(1)
  })
})
