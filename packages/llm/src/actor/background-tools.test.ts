import {
  PartTypeRegistry,
  simulatedRuntime,
  TurnStateRegistry,
  type Frame,
  type Originator,
  type Store,
} from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { Lease } from '@cool-ai/beach-core/ports'
import { SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ModelPrompt } from '../models/model.ts'
import { scriptedModel, type ScriptedMessage, type ScriptRule } from '../models/scripted-model.ts'
import { defineTool, type AnyTool, type ToolContext, type ToolDefinition } from '../tools/tool.ts'
import type { LlmActorConfig } from './config.ts'
import { llmActor } from './llm-actor.ts'

const alice = { kind: 'user', id: 'alice', tenant: 't' } as const
const viewer: Originator = { id: 'v', transport: 'sse', deliveryClass: 'streaming', principal: alice }
const say = (text: string, turnState = 'complete', partType = 'response'): ScriptedMessage => ({
  respond: { turnState, parts: [{ metadata: { partType }, text }] },
})

interface Run {
  readonly to: string
  readonly context: ToolContext
  readonly finish: (value: unknown) => void
  readonly fail: (error: unknown) => void
}

/** A tool that runs in parallel to the turn until the test ends it. */
function search(more: Partial<ToolDefinition<{ to: string }>> = {}) {
  const runs: Run[] = []
  const tool: AnyTool = defineTool({
    name: 'search',
    description: 'Finds flights.',
    inputSchema: z.object({ to: z.string() }),
    background: true,
    handler: ({ to }, context) =>
      new Promise((resolve, reject) => runs.push({ to, context, finish: resolve, fail: reject })),
    ...more,
  })
  const started = async (to: string, times = 1): Promise<Run> => {
    await eventually(() => runs.filter((run) => run.to === to).length >= times)
    const run = runs.findLast((entry) => entry.to === to)
    if (run === undefined) throw new Error('It was not started.')
    return run
  }
  return { tool, runs, started }
}

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 2_000; round++) {
    if (await condition()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('It did not happen.')
}

const calls = (...towns: string[]) => ({ tools: towns.map((to) => ({ name: 'search', args: { to } })) })
const wait = say('Searching.', 'awaiting', 'ack')

/** Begins the searches when it is asked to go, waits, and says what it hears. */
function rules(...towns: string[]): ScriptRule[] {
  return [
    { when: ({ text }) => text.startsWith('('), say: ({ text }) => say(`Heard ${text}`) },
    { when: ({ results }) => results.has('search'), say: () => wait },
    { when: ({ text }) => text === 'go', say: () => calls(...towns) },
    { say: ({ text }) => say(`You said ${text}.`) },
  ]
}

function conversation(
  tool: AnyTool | readonly AnyTool[],
  script: readonly ScriptRule[],
  config: Partial<LlmActorConfig> = {},
) {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const partTypes = PartTypeRegistry.canonical()
  const turnStates = TurnStateRegistry.canonical()
  const prompts: ModelPrompt[] = []
  const scripted = scriptedModel({ rules: script })
  const model: typeof scripted = {
    ...scripted,
    doStream: (options) => {
      prompts.push(options.prompt)
      return scripted.doStream(options)
    },
  }
  const start = (on: Store = store) => {
    const actor = llmActor({
      name: 'sally',
      prompt: 'x',
      runtime,
      partTypes,
      turnStates,
      tools: [tool].flat(),
      model,
      ...config,
    })
    const sessions = new SessionTurnManager({ store: on, runtime, partTypes, turnStates, actors: { sally: actor } })
    sessions.start()
    return sessions
  }
  return { runtime, store, prompts, start, sessions: start() }
}

type Conversation = ReturnType<typeof conversation>

/** Opens a session, follows it and says the word. */
async function begun({ sessions, store }: Conversation) {
  const session = await sessions.open({ principal: alice })
  const post = (text: string, by = sessions) =>
    by.post(session, { parts: [{ text, metadata: { partType: 'message' } }], from: viewer }, alice)
  const frames = follow(sessions, session)
  await post('go')
  const events = async () => (await store.read(session, 0)).map((event) => event.data as SessionEvent)
  return { session, frames, post, events }
}

function follow(sessions: SessionTurnManager, session: string): Frame[] {
  const frames: Frame[] = []
  void (async () => {
    for await (const frame of sessions.follow(session, viewer, undefined, new AbortController().signal))
      frames.push(frame)
  })()
  return frames
}

function said(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) => {
    if (frame.kind !== 'part' || frame.role !== 'agent') return []
    const { metadata, text, data } = frame.part
    return [`${metadata.partType}: ${text ?? JSON.stringify(data)}`]
  })
}

const settledTimes = (frames: readonly Frame[]) => frames.filter((frame) => frame.kind === 'settled').length

/** The texts of the last messages of a prompt, from the user's last own words on. */
function reported(prompt: ModelPrompt | undefined): string[] {
  return (prompt ?? []).flatMap(({ role, content }) => {
    if (role === 'system' || typeof content === 'string') return []
    return content.flatMap((part) => {
      if (part.type === 'text') return [`${role}: ${part.text}`]
      if (part.type === 'tool-result' && part.output.type === 'text') return [`${role}: ${part.output.value}`]
      return part.type === 'tool-call' ? [`${role} calls ${part.toolName}`] : []
    })
  })
}

const begunText =
  'tool: <data origin="tool:search">\nIt has started and runs in the background. You will get its result later; do not call it again for this.\n</data>'
const result = (value: unknown) =>
  `(The result of search.)\n<data origin="domain-data">\n${JSON.stringify(value)}\n</data>`

describe('a tool that runs in the background', () => {
  test('is said to have begun, and its result wakes the model that waits for it', async () => {
    const { tool, started, runs } = search()
    const talk = conversation(tool, rules('Corfu'))
    const { frames, session } = await begun(talk)
    const { finish, context } = await started('Corfu')
    await eventually(() => said(frames).includes('ack: Searching.'))
    expect(talk.prompts).toHaveLength(2)
    expect(reported(talk.prompts[1])).toEqual(['user: go', 'assistant calls search', begunText])
    expect(context.manifest).toBeUndefined()
    finish({ flights: ['BA 2043'] })
    await eventually(() => settledTimes(frames) === 1)
    expect(talk.prompts).toHaveLength(3)
    expect(reported(talk.prompts[2]).slice(3)).toEqual([
      'assistant calls respond',
      'tool: Delivered.',
      `user: ${result({ flights: ['BA 2043'] })}`,
    ])
    expect(said(frames)).toEqual([
      'ack: Searching.',
      'domain-data: {"flights":["BA 2043"]}',
      `response: Heard ${result({ flights: ['BA 2043'] })}`,
    ])
    expect(runs).toHaveLength(1)
    expect((await talk.sessions.view(session, alice)).manifests).toEqual([])
  })

  test('puts its result where its rule says', async () => {
    const { tool, started } = search({
      background: { slotKey: ({ to }) => `to-${to}`, mergeStrategy: 'append', kind: 'flights' },
    })
    const { frames } = await begun(conversation(tool, rules('Corfu')))
    ;(await started('Corfu')).finish([1])
    await eventually(() => settledTimes(frames) === 1)
    const data = frames.find((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'domain-data')
    expect(data).toMatchObject({
      part: { metadata: { slotKey: 'to-Corfu', mergeStrategy: 'append', kind: 'flights' } },
    })
  })

  test('has a place of its own for each call when no rule says where', async () => {
    const { tool, started } = search()
    const script: ScriptRule[] = [
      { when: ({ text }) => text.includes('Rome'), say: () => say('Both.') },
      { when: ({ text }) => text.startsWith('('), say: () => wait },
      ...rules('Corfu', 'Rome'),
    ]
    const talk = conversation(tool, script)
    const { frames } = await begun(talk)
    ;(await started('Corfu')).finish({ to: 'Corfu' })
    await eventually(() => talk.prompts.length === 3)
    expect(reported(talk.prompts[2]).at(-1)).toBe(`user: ${result({ to: 'Corfu' })}`)
    ;(await started('Rome')).finish({ to: 'Rome' })
    await eventually(() => settledTimes(frames) === 1)
    const keys = frames.flatMap((frame) => (frame.kind === 'part' ? (frame.part.metadata.slotKey ?? []) : []))
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(2)
  })

  test('begins a turn of its own when the turn is over', async () => {
    const { tool, started } = search()
    const script: ScriptRule[] = [
      { when: ({ results }) => results.has('search'), say: () => say('I will tell you.') },
      ...rules('Corfu'),
    ]
    const talk = conversation(tool, script)
    const { frames, post } = await begun(talk)
    await eventually(() => settledTimes(frames) === 1)
    await post('thanks')
    await eventually(() => settledTimes(frames) === 2)
    ;(await started('Corfu')).finish({ flights: 1 })
    await eventually(() => settledTimes(frames) === 3)
    expect(said(frames).at(-1)).toBe(`response: Heard ${result({ flights: 1 })}`)
    expect(reported(talk.prompts.at(-1))).toEqual([
      'user: go',
      'assistant calls respond',
      'tool: Delivered.',
      'user: thanks',
      'assistant calls respond',
      'tool: Delivered.',
      `user: ${result({ flights: 1 })}`,
    ])
    await post('and?')
    await eventually(() => settledTimes(frames) === 4)
    // What a result has begun is remembered like any other turn.
    expect(reported(talk.prompts.at(-1)).slice(6)).toEqual([
      `user: ${result({ flights: 1 })}`,
      'assistant calls respond',
      'tool: Delivered.',
      'user: and?',
    ])
  })

  test('that fails is told to the model without its words', async () => {
    const { tool, started } = search()
    const { frames, events } = await begun(conversation(tool, rules('Corfu')))
    ;(await started('Corfu')).fail(new Error('password hunter2'))
    await eventually(() => settledTimes(frames) === 1)
    expect(said(frames).at(-1)).toBe(
      'response: Heard (search has no result.)\n<data origin="work">\nThe work failed.\n</data>',
    )
    expect(JSON.stringify(await events())).not.toContain('hunter2')
  })

  test('that takes longer than it may is told to the model as missing', async () => {
    const { tool, started } = search({ background: { deadlineMs: 5_000 } })
    const talk = conversation(tool, rules('Corfu'))
    const { frames } = await begun(talk)
    const { context } = await started('Corfu')
    await eventually(() => said(frames).length === 1)
    await talk.runtime.clock.advance(5_000)
    await eventually(() => settledTimes(frames) === 1)
    expect(context.signal.aborted).toBe(true)
    expect(said(frames).at(-1)).toBe('response: Heard (search has ended without a result for: search.)')
  })

  test('that has a time limit of its own fails by it', async () => {
    const { tool, started } = search({ timeoutMs: 1_000 })
    const talk = conversation(tool, rules('Corfu'))
    const { frames } = await begun(talk)
    await started('Corfu')
    await talk.runtime.clock.advance(1_000)
    await eventually(() => settledTimes(frames) === 1)
    expect(said(frames).at(-1)).toContain('The tool search took longer than 1000 ms.')
  })

  test('does not let a turn wait longer than its budget of time', async () => {
    const { tool, started } = search()
    const talk = conversation(tool, rules('Corfu'), { budget: { timeMs: 10_000 } })
    const { frames } = await begun(talk)
    await started('Corfu')
    await eventually(() => said(frames).length === 1)
    await talk.runtime.clock.advance(10_000)
    await eventually(() => settledTimes(frames) === 1)
    expect(frames.at(-1)).toMatchObject({ kind: 'settled', finalizedBy: 'timeout' })
  })

  test('says what it does meanwhile, to followers', async () => {
    const { tool, started } = search()
    const { frames } = await begun(conversation(tool, rules('Corfu')))
    const { context } = await started('Corfu')
    await context.emit([{ partType: 'progress', text: 'half', data: { label: 'half' } }])
    await eventually(() => said(frames).includes('progress: half'))
  })

  test('can be begun by another tool, which does not wait for it', async () => {
    const { tool, started } = search()
    const plan: AnyTool = defineTool({
      name: 'plan',
      description: 'Plans.',
      inputSchema: z.object({}),
      handler: async (_, { manifest }) => {
        const slots = {
          there: { work: 'search', args: { to: 'Corfu' } },
          back: { work: 'search', args: { to: 'Rome' } },
        }
        return manifest?.({ name: 'trip', slots })
      },
    })
    const script: ScriptRule[] = [
      { when: ({ text }) => text.includes('back of trip'), say: ({ text }) => say(`Heard ${text}`) },
      { when: ({ results, text }) => results.has('plan') || text.startsWith('('), say: () => wait },
      { say: () => ({ tools: [{ name: 'plan', args: {} }] }) },
    ]
    const { frames } = await begun(conversation([tool, plan], script))
    ;(await started('Corfu')).finish(1)
    await eventually(() => said(frames).filter((text) => text === 'ack: Searching.').length === 2)
    ;(await started('Rome')).finish(2)
    await eventually(() => settledTimes(frames) === 1)
    expect(said(frames).at(-1)).toContain('(The result of back of trip.)')
  })

  test('is not begun with arguments that are wrong, nor before an approver has approved it', async () => {
    const { tool, started, runs } = search({ requiresApproval: true })
    const script: ScriptRule[] = [
      { when: ({ results }) => results.get('search')?.includes('wrong') === true, say: () => calls('Corfu') },
      { when: ({ text, step }) => text === 'go' && step === 0, say: () => ({ tools: [{ name: 'search', args: {} }] }) },
      ...rules('Corfu'),
    ]
    const talk = conversation(tool, script)
    const { frames, session } = await begun(talk)
    await eventually(async () => (await talk.sessions.view(session, alice)).turn?.turnState === 'suspended')
    expect(runs).toEqual([])
    const [approvalId = ''] = (await talk.sessions.view(session, alice)).turn?.pendingApprovals ?? []
    await talk.sessions.decide(approvalId, { decision: 'granted' }, alice)
    ;(await started('Corfu')).finish(1)
    await eventually(() => settledTimes(frames) === 1)
    expect(said(frames).at(-1)).toBe(`response: Heard ${result(1)}`)
    expect(runs).toHaveLength(1)
  })
})

/** The store as a process sees it that dies when it is about to write an event of one of these types. */
function dyingBefore(types: readonly SessionEvent['type'][], store: Store): Store {
  const dead = new AbortController()
  const never = new Promise<never>(() => {})
  const mortalLease = (lease: Lease): Lease => ({
    session: lease.session,
    renew: () => (dead.signal.aborted ? never : lease.renew()),
    release: (nextWakeAt) => (dead.signal.aborted ? never : lease.release(nextWakeAt)),
  })
  const mortal: Pick<Store, 'append' | 'appendAndClaim' | 'claim'> = {
    async appendAndClaim(session, expected, events, beginning) {
      if (dead.signal.aborted) return never
      const { head, lease } = await store.appendAndClaim(session, expected, events, beginning)
      return { head, ...(lease && { lease: mortalLease(lease) }) }
    },
    append(session, expected, events, wakeAt) {
      if (events.some((event) => types.includes((event as SessionEvent).type))) dead.abort()
      return dead.signal.aborted ? never : store.append(session, expected, events, wakeAt)
    },
    async claim(leaseMs, signal) {
      const lease = await store.claim(leaseMs, AbortSignal.any([signal, dead.signal]))
      if (lease === undefined) return dead.signal.aborted ? never : undefined
      return mortalLease(lease)
    },
  }
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in mortal ? mortal : target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

describe('after a restart', () => {
  test('a search that had begun when the process died has begun, and is not begun again', async () => {
    const { tool, started } = search()
    const talk = conversation(tool, rules('Corfu'))
    await talk.sessions.stop()
    const dying = talk.start(dyingBefore(['toolFinished', 'slotStarted'], talk.store))
    const { session, events } = await begun({ ...talk, sessions: dying })
    await eventually(async () => (await events()).some(({ type }) => type === 'manifestOpened'))
    const again = talk.start()
    await talk.runtime.clock.advance(10_000)
    const frames = follow(again, session)
    await eventually(() => said(frames).includes('ack: Searching.'))
    ;(await started('Corfu')).finish(1)
    await eventually(() => settledTimes(frames) === 1)
    expect(said(frames).at(-1)).toBe(`response: Heard ${result(1)}`)
    expect((await events()).filter(({ type }) => type === 'manifestOpened')).toHaveLength(1)
    expect((await events()).find((event) => event.type === 'toolFinished')).toMatchObject({ outcome: 'ok' })
  })

  test.each([true, false])(
    'a search that ran, idempotent %s, is found by a model that still waits',
    async (idempotent) => {
      const { tool, started, runs } = search({ idempotent })
      const talk = conversation(tool, rules('Corfu'))
      const { session, frames: before } = await begun(talk)
      const first = await started('Corfu')
      await eventually(() => said(before).length === 1)
      await talk.sessions.stop()
      const frames = follow(talk.start(), session)
      if (idempotent) {
        const again = await started('Corfu', 2)
        expect(again.context.key).toBe(first.context.key)
        // The model has nothing new to hear yet, and is not asked.
        for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
        expect(talk.prompts).toHaveLength(2)
        again.finish(1)
      }
      await eventually(() => settledTimes(frames) === 1)
      expect(runs).toHaveLength(idempotent ? 2 : 1)
      const unknown =
        '(search has no result.)\n<data origin="work">\nThe process ended while this ran; whether it took effect is not known.\n</data>'
      expect(said(frames).at(-1)).toBe(`response: Heard ${idempotent ? result(1) : unknown}`)
      expect(said(frames).filter((text) => text === 'ack: Searching.')).toHaveLength(1)
    },
  )

  test('the model is shown results at the places where it had seen them', async () => {
    const { tool, started, runs } = search({ idempotent: true })
    const script: ScriptRule[] = [
      { when: ({ text, step }) => text.includes('Corfu') && step === 0, say: () => say('One.', 'awaiting', 'ack') },
      ...rules('Corfu', 'Rome'),
    ]
    const talk = conversation(tool, script)
    const { session, frames: before } = await begun(talk)
    ;(await started('Corfu')).finish({ to: 'Corfu' })
    await eventually(() => said(before).includes('ack: One.'))
    await started('Rome')
    await talk.sessions.stop()
    const frames = follow(talk.start(), session)
    ;(await started('Rome', 2)).finish({ to: 'Rome' })
    await eventually(() => settledTimes(frames) === 1)
    const [, , third, last] = talk.prompts
    expect(talk.prompts).toHaveLength(4)
    expect(reported(last)).toEqual([
      ...reported(third),
      'assistant calls respond',
      'tool: Delivered.',
      `user: ${result({ to: 'Rome' })}`,
    ])
    expect(runs.map(({ to }) => to)).toEqual(['Corfu', 'Rome', 'Rome'])
  })
})
