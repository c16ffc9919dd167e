import {
  isBeachError,
  StateMachineRegistry,
  type Frame,
  type Originator,
  type Principal,
  type Slice,
} from '@cool-ai/beach-core'
import type { SessionEvent, StateTransitionRefusal } from '@cool-ai/beach-core/log'
import { LlmContextTranslator, SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import type { ActorContext } from './function-actor.ts'
import type { SessionTurnManager } from '../host/session-turn-manager.ts'
import { alice, follow, said, testContext, type TestContext } from '../host/test-context.test-helper.ts'

async function answered(sessions: SessionTurnManager, text = 'go') {
  const session = await sessions.open({ principal: alice })
  const seen = follow(sessions, session)
  await sessions.post(session, said(text), alice)
  await seen.settled()
  return { session, frames: seen.frames }
}

function partTypes(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) => (frame.kind === 'part' ? [frame.part.metadata.partType] : []))
}

function texts(frames: readonly Frame[]): (string | undefined)[] {
  return frames.flatMap((frame) => (frame.kind === 'part' ? [frame.part.text] : []))
}

async function eventsOf({ store }: TestContext, session: string): Promise<SessionEvent[]> {
  return (await store.read(session, 0)).map((event) => event.data as SessionEvent)
}

describe('a handoff', () => {
  test('gives the turn and its messages to the named actor, who settles it', async () => {
    const there = testContext()
    const { sessions } = there.process(
      {
        desk: ({ respond }) =>
          respond({
            parts: [{ partType: 'thinking', text: 'One for the drafter.' }],
            turnState: 'passed',
            passTo: 'drafter',
          }),
        drafter: async ({ text, respond }) => {
          await respond({ parts: [{ partType: 'ack', text: 'Drafting.' }], turnState: 'awaiting' })
          await respond({ parts: [{ partType: 'response', text: `Draft of ${text}` }], turnState: 'complete' })
        },
      },
      { entry: 'desk' },
    )
    const { session, frames } = await answered(sessions, 'a letter')
    expect(texts(frames)).toEqual(['a letter', 'One for the drafter.', 'Drafting.', 'Draft of a letter'])
    const events = await eventsOf(there, session)
    expect(events.filter((event) => event.type === 'turnStarted')).toHaveLength(1)
    expect(events.filter((event) => event.type === 'turnResumed')).toHaveLength(0)
    expect(events.filter((event) => event.type === 'turnSettled')).toHaveLength(1)
  })

  test('to an unknown actor is an error that the actor can correct', async () => {
    const problems: unknown[] = []
    const { sessions } = testContext().process({
      desk: async ({ respond }) => {
        const parts = [{ partType: 'thinking', text: 'x' }]
        for (const wrong of [
          { parts, turnState: 'passed', passTo: 'missing' },
          { parts, turnState: 'passed' },
          { parts, turnState: 'complete', passTo: 'desk' },
        ]) {
          await respond(wrong).catch((error: unknown) => problems.push(error))
        }
        await respond({ parts: [{ partType: 'response', text: 'I do it myself.' }], turnState: 'complete' })
      },
    })
    const { frames } = await answered(sessions)
    expect(texts(frames)).toEqual(['go', 'I do it myself.'])
    expect(problems.map((error) => isBeachError(error) && error.code)).toEqual([
      'UNKNOWN_ACTOR',
      'INVALID_STATE',
      'INVALID_STATE',
    ])
  })

  test('that goes round in circles is cut', async () => {
    const pass = (passTo: string) => ({
      [passTo === 'a' ? 'b' : 'a']: ({ respond }: ActorContext) =>
        respond({ parts: [{ partType: 'thinking', text: 'not me' }], turnState: 'passed', passTo }),
    })
    const { sessions } = testContext().process({ ...pass('a'), ...pass('b') }, { entry: 'a' })
    const { frames } = await answered(sessions)
    expect(frames.at(-1)).toMatchObject({ kind: 'settled', turnState: 'error' })
    expect(partTypes(frames).filter((type) => type === 'thinking')).toHaveLength(11)
  })
})

describe('a setState part', () => {
  const machines = () => {
    const registry = new StateMachineRegistry()
    const open = { order: { coordinates: { stage: states }, allowHandlerTransitions: true } }
    registry.register({ components: { ...open, vault: { coordinates: { door: states } } } })
    return registry
  }
  const states = { initial: 'draft', transitions: { draft: ['placed'], placed: ['sent'], sent: [] } }
  const setState = (data: Record<string, string>) => ({ partType: 'setState', data })
  const done = { partType: 'response', text: 'done' }

  test('moves the state, and no viewer sees it', async () => {
    const there = testContext()
    const { sessions } = there.process(
      {
        actor: ({ respond }) =>
          respond({ parts: [setState({ 'order.stage': 'placed' }), done], turnState: 'complete' }),
      },
      { stateMachines: machines() },
    )
    const { session, frames } = await answered(sessions)
    expect(partTypes(frames)).toEqual(['message', 'response'])
    expect((await sessions.view(session, alice)).coordinates).toEqual({
      'order.stage': 'placed',
      'vault.door': 'draft',
    })
    const { sessions: restarted } = there.process({ idle: async () => {} }, { stateMachines: machines() })
    expect((await restarted.view(session, alice)).coordinates).toMatchObject({ 'order.stage': 'placed' })
  })

  test('that may not move one coordinate moves none, tells the application, and the answer goes on', async () => {
    const there = testContext()
    const refusals: StateTransitionRefusal[] = []
    const { sessions } = there.process(
      {
        actor: ({ respond }) =>
          respond({
            parts: [
              setState({ 'order.stage': 'placed', 'vault.door': 'placed' }),
              setState({ 'order.stage': 'sent' }),
              done,
            ],
            turnState: 'complete',
          }),
      },
      { stateMachines: machines(), onStateTransitionRejected: (refusal) => refusals.push(refusal) },
    )
    const { session, frames } = await answered(sessions)
    expect(texts(frames)).toEqual(['go', 'done'])
    expect((await sessions.view(session, alice)).coordinates).toMatchObject({ 'order.stage': 'draft' })
    expect(refusals).toHaveLength(2)
    expect(refusals[0]).toMatchObject({ session, reason: expect.stringContaining('vault.door') as string })
    const types = (await eventsOf(there, session)).map((event) => event.type)
    expect(types.filter((type) => type === 'stateTransitionRejected')).toHaveLength(2)
    expect(types).not.toContain('stateChanged')
  })

  test('in a message that may not move a coordinate is told to the application too', async () => {
    const refusals: StateTransitionRefusal[] = []
    const { sessions } = testContext().process(
      { actor: ({ respond }) => respond({ parts: [done], turnState: 'complete' }) },
      { stateMachines: machines(), onStateTransitionRejected: (refusal) => refusals.push(refusal) },
    )
    const session = await sessions.open({ principal: alice })
    const message = said('go')
    const proposed = { data: { 'vault.door': 'placed' }, metadata: { partType: 'setState' } }
    const post = (by: Principal) => sessions.post(session, { ...message, parts: [...message.parts, proposed] }, by)
    await post({ ...alice, scopes: ['state:write'] })
    await post(alice)
    expect(refusals).toMatchObject([
      { session, reason: expect.stringContaining('vault.door') as string, by: { scopes: ['state:write'] } },
      { session, reason: expect.stringContaining('state:write') as string, by: alice },
    ])
  })
})

describe('the collector', () => {
  test('adds the surfaces that templates make of all the data of the turn, when it is complete', async () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('flights', (data) => [
      { version: 'v0.9', createSurface: { surfaceId: 'flights', catalogId: 'c' } },
      { version: 'v0.9', updateDataModel: { surfaceId: 'flights', path: '/', value: data } },
    ])
    const flights = (data: unknown) => ({ partType: 'domain-data', data, metadata: { kind: 'flights' } })
    const { sessions } = testContext().process(
      {
        actor: async ({ respond }) => {
          await respond({ parts: [flights({ outbound: ['BA 2043'] })], turnState: 'awaiting' })
          await respond({
            parts: [flights({ inbound: ['BA 2044'] }), { partType: 'response', text: 'Two.' }],
            turnState: 'complete',
          })
        },
      },
      { templates },
    )
    const { frames } = await answered(sessions)
    expect(partTypes(frames)).toEqual(['message', 'domain-data', 'domain-data', 'response', 'a2ui-surface'])
    const surface = frames.findLast((frame) => frame.kind === 'part')
    expect(surface).toMatchObject({
      part: { data: [{}, { updateDataModel: { value: { outbound: ['BA 2043'], inbound: ['BA 2044'] } } }] },
    })
  })
})

describe('a slice', () => {
  interface Count {
    readonly wanted: number
    readonly done: number
  }
  const counter = (ran: string[]): Slice<Count> => ({
    ns: 'counter',
    version: 1,
    initial: { wanted: 0, done: 0 },
    fold(state, event) {
      if (event.type !== 'sliceEvent' || event.ns !== 'counter') return state
      return event.name === 'wanted' ? { ...state, wanted: state.wanted + 1 } : { ...state, done: state.done + 1 }
    },
    decide: () => [{ type: 'sliceEvent', ns: 'counter', name: 'wanted' }],
    effects: ({ wanted, done }) =>
      wanted > done
        ? [
            {
              key: `count-${wanted}`,
              run: async ({ commit }) => {
                ran.push(`count-${wanted}`)
                await commit(() => [{ type: 'sliceEvent', ns: 'counter', name: 'done' }])
              },
            },
          ]
        : [],
  })

  test('decides with the message, in one append, and its effect is run once in parallel to the turn', async () => {
    const there = testContext()
    const ran: string[] = []
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const { sessions } = there.process(
      {
        actor: async ({ respond }) => {
          await gate
          await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
        },
      },
      { slices: [counter(ran)] },
    )
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    const names = async () =>
      (await eventsOf(there, session)).flatMap((event) => (event.type === 'sliceEvent' ? [event.name] : []))
    while (!(await names()).includes('done')) await new Promise((resolve) => setImmediate(resolve))
    release()
    await seen.settled()
    expect(await names()).toEqual(['wanted', 'done'])
    expect(ran).toEqual(['count-1'])
  })
})

describe('an envelope', () => {
  const peer = (consumes?: string[]) => ({
    id: 'a2a:peer',
    transport: 'a2a',
    deliveryClass: 'buffered' as const,
    principal: alice,
    ...(consumes && { consumes }),
  })

  test('of a settled turn is made from the log alone, for each listener its own', async () => {
    const there = testContext()
    const { sessions } = there.process({
      actor: async ({ respond }) => {
        await respond({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
        await respond({ parts: [{ partType: 'domain-data', data: { outbound: 'BA 2043' } }], turnState: 'awaiting' })
        await respond({
          parts: [
            { partType: 'response', text: 'Two flights.' },
            { partType: 'domain-data', data: { inbound: 'BA 2044' } },
            { partType: 'llm-context', text: 'Cheapest first.' },
            { partType: 'reasoning-trace', text: 'hm' },
          ],
          turnState: 'complete',
        })
      },
    })
    const { session } = await answered(sessions)
    const { sessions: elsewhere } = there.process({ idle: async () => {} })
    const { turnId } = (await eventsOf(there, session)).find((event) => event.type === 'turnStarted') ?? { turnId: '' }
    const envelope = await elsewhere.envelope(session, turnId, peer(['llm-context']))
    expect(envelope?.parts.map((part) => [part.metadata.partType, part.text ?? part.data])).toEqual([
      ['domain-data', { outbound: 'BA 2043', inbound: 'BA 2044' }],
      ['response', 'Two flights.'],
      ['llm-context', 'Cheapest first.'],
    ])
    expect(envelope?.meta).toMatchObject({
      sessionId: session,
      turnId,
      originatorId: 'a2a:peer',
      finalizedBy: 'complete',
      producedAt: expect.stringMatching(/^2026-/) as string,
    })
    const plain = await elsewhere.envelope(session, turnId, peer())
    expect(plain?.parts.map((part) => part.metadata.partType)).toEqual(['domain-data', 'response'])
    const words = (await eventsOf(there, session)).flatMap((event) => {
      return event.type === 'partReceived' && event.payload?.part.text === 'Two flights.' ? [event.partId] : []
    })
    const rest = await elsewhere.envelope(session, turnId, peer(), undefined, undefined, new Set(words))
    expect(rest?.parts.map((part) => part.metadata.partType)).toEqual(['domain-data'])
    expect(await elsewhere.envelope(session, 'turn_none', peer())).toBeUndefined()
  })
})

describe('llm-context', () => {
  const answerOnce = ({ respond }: ActorContext) =>
    respond({ parts: [{ partType: 'response', text: 'The easyJet is cheaper.' }], turnState: 'complete' })

  async function ask(actor: (turn: ActorContext) => Promise<void>, consumes?: string[]) {
    const there = testContext()
    const asked: string[] = []
    const model = {
      generate: async ({ text }: { text: string }) => {
        asked.push(text)
        return 'EJ4521 costs half.'
      },
    }
    const { sessions } = there.process({ actor }, { translator: new LlmContextTranslator({ model }) })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    const from = { ...said('').from, transport: 'a2a', ...(consumes && { consumes }) }
    await sessions.post(session, { ...said('flights?'), from }, alice)
    await seen.settled()
    const events = await eventsOf(there, session)
    const parts = events.flatMap((event) => (event.type === 'partReceived' ? [event.partType] : []))
    return { asked, parts }
  }

  test('is written for a peer that consumes it, and settles with the turn', async () => {
    expect(await ask(answerOnce, ['llm-context'])).toMatchObject({
      asked: [expect.stringContaining('cheaper') as string],
      parts: ['response', 'llm-context'],
    })
  })

  test('is not written for what is said before the turn is complete', async () => {
    const twice = async ({ respond }: ActorContext) => {
      await respond({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
      await respond({ parts: [{ partType: 'response', text: 'The easyJet is cheaper.' }], turnState: 'complete' })
    }
    const { asked, parts } = await ask(twice, ['llm-context'])
    expect([asked.length, parts]).toEqual([1, ['ack', 'response', 'llm-context']])
  })

  test('is not written for other listeners, nor when the actor wrote it itself', async () => {
    expect(await ask(answerOnce)).toEqual({ asked: [], parts: ['response'] })
    expect(await ask(answerOnce, ['domain-data'])).toEqual({ asked: [], parts: ['response'] })
    const own = ({ respond }: ActorContext) =>
      respond({
        parts: [
          { partType: 'response', text: 'Cheaper.' },
          { partType: 'llm-context', text: 'Mine.' },
        ],
        turnState: 'complete',
      })
    expect(await ask(own, ['llm-context'])).toEqual({ asked: [], parts: ['response', 'llm-context'] })
  })

  test('is written in each language that a listener wants, once, and each gets its own', async () => {
    const asked: string[] = []
    const generate = async ({ system }: { system: string }) => {
      const language = /\((\w\w)\)/.exec(system)?.[1] ?? '?'
      asked.push(language)
      return language === 'nl' ? '' : `in ${language}`
    }
    const translator = new LlmContextTranslator({ model: { generate }, language: 'it' })
    const { sessions } = testContext().process({ actor: answerOnce }, { translator })
    const session = await sessions.open({ principal: alice })
    const peer = (id: string, llmContextLanguage?: string): Originator => ({
      ...said('').from,
      id,
      transport: 'a2a',
      consumes: ['llm-context'],
      ...(llmContextLanguage && { llmContextLanguage }),
    })
    const peers = [peer('a', 'de'), peer('b', 'DE'), peer('c', 'fr'), peer('d'), peer('e', 'nl')]
    for (const one of peers) await sessions.join(session, one, alice)
    const seen = follow(sessions, session)
    await sessions.post(session, said('flights?'), alice)
    await seen.settled()
    const turnId = seen.frames.flatMap((frame) => ('turnId' in frame ? [frame.turnId] : [])).at(-1) ?? ''
    const reported = async (to: Originator) => {
      const parts = (await sessions.envelope(session, turnId, to))?.parts ?? []
      return parts.flatMap(({ text, metadata }) => (metadata.partType === 'llm-context' ? [text] : []))
    }
    expect(await Promise.all(peers.map(reported))).toEqual([['in de'], ['in de'], ['in fr'], ['in it'], ['in it']])
    // One that comes later, and wants what no listener wanted then, gets the agent's own.
    expect(await reported(peer('f', 'es'))).toEqual(['in it'])
    expect(asked.toSorted()).toEqual(['de', 'fr', 'it', 'nl'])
  })
})
