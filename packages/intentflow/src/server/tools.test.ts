import type { Originator, Part, PlainTool, Principal, ToolContext } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import {
  alice,
  bob,
  eventsOf,
  eventually,
  follow,
  said,
  testContext,
} from '../../../session/src/host/test-context.test-helper.ts'
import type { ActorContext } from '../../../session/src/turn/function-actor.ts'
import { FlowError } from '../schemas/flow-error.ts'
import type { RenderPayload } from '../schemas/server-payloads.ts'
import type { Flows } from './index.ts'
import {
  callTool,
  mirrored,
  say,
  serverEvents,
  shop,
  shopProcess,
  shopRegistry,
  type Shop,
} from './shop.test-helper.ts'

const complete = (turn: ActorContext, text: string) =>
  turn.respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })

/** An actor that calls one tool and says what it got. */
const calling = (name: string, input: (turn: ActorContext) => unknown) => async (turn: ActorContext, flows: Flows) => {
  const value = await callTool(turn, flows.tools(), name, input(turn))
  await complete(turn, JSON.stringify(value))
}

async function answered(given: Shop, text: string, count = 1): Promise<unknown> {
  const listener = follow(given.sessions, given.session)
  await given.sessions.post(given.session, said(text), alice)
  const answers = () =>
    listener.frames.flatMap((frame) =>
      frame.kind === 'part' && frame.part.metadata.partType === 'response' ? [frame.part.text ?? ''] : [],
    )
  await eventually(() => answers().length >= count)
  listener.leave()
  return JSON.parse(answers().at(-1) ?? 'null')
}

describe('a tool in a turn', () => {
  test('shows a flow as a part of the answer', async () => {
    const given = await shop({ actor: calling('order__place', () => ({ item: 'Latte', quantity: 2 })) })
    const listener = follow(given.sessions, given.session)
    const value = await answered(given, 'two lattes')
    expect(value).toMatchObject({
      status: 'shown',
      intentId: 'order.place',
      state: 'review',
      text: '2 × Latte (review)',
      events: expect.arrayContaining([
        expect.objectContaining({ event: 'CONFIRM', label: 'Place the order', needsConfirmation: true }),
      ]) as unknown,
    })
    const { instanceId } = value as { instanceId: string }
    expect(mirrored(listener.frames)).toEqual(await given.flows.active(given.session))
    expect(
      (
        await say(given, {
          events: [{ type: 'CUSTOM', name: 'intentflow.event', value: { instanceId, event: 'EDIT' } }],
        })
      ).answer.results,
    ).toMatchObject([{ status: 'applied', seq: 1 }])
    listener.leave()
  })

  test('a render reaches buffered listeners in words and with a link', async () => {
    const given = await shop({
      actor: calling('order__place', () => ({ item: 'Latte' })),
      publicUrl: 'https://shop.example/',
    })
    await answered(given, 'a latte')
    const [turn] = (await eventsOf(given.there, given.session)).flatMap((one) =>
      one.type === 'turnStarted' ? [one.turnId] : [],
    )
    const mail: Originator = { id: 'smtp:a', transport: 'smtp', deliveryClass: 'buffered', principal: alice }
    const envelope = await given.sessions.envelope(given.session, turn ?? '', mail)
    const part = envelope?.parts.find(({ metadata }) => metadata.partType === 'intentflow.render')
    if (part === undefined) throw new Error('There is no render in the envelope.')
    const type = given.partTypes.get('intentflow.render')
    expect(type?.toText?.(part)).toMatch(
      /^1 × Latte \(review\)\n\nReply to this message with CONFIRM to place the order, EDIT to edit, PICK to pick, SCAN to scan, or open https:\/\/shop\.example\/intentflow\/open\/[\w.-]+$/s,
    )
    expect(type?.toHtml?.(part)).toMatch(/<a href="https:\/\/shop\.example\/intentflow\/open\/[\w.-]+">/)
    expect(type?.validate?.(part)).toEqual([])
    expect(type?.validate?.({ ...part, data: {} })).not.toEqual([])
  })

  test('run again after a crash shows the same instance', async () => {
    const there = testContext()
    const registry = shopRegistry()
    let block: Promise<void> | undefined = new Promise<void>(() => {})
    const actor = async (turn: ActorContext, flows: Flows) => {
      const value = (await callTool(turn, flows.tools(), 'order__place', {})) as { instanceId: string }
      if (block !== undefined) await block
      await complete(turn, JSON.stringify(value))
    }
    const first = shopProcess(there, registry, { actor })
    const session = await first.sessions.open({ principal: alice })
    await first.sessions.post(session, said('hi'), alice)
    await eventually(async () => Object.keys(await first.flows.active(session)).length === 1)
    const before = await first.flows.active(session)
    first.crash()
    await there.runtime.clock.advance(10_001)
    block = undefined
    const second = shopProcess(there, registry, { actor })
    await eventually(async () => (await eventsOf(there, session)).some(({ type }) => type === 'turnSettled'))
    expect(await second.flows.active(session)).toEqual(before)
  })

  test.each([['when it is interrupted before the render is said', 'order__place', true]])(
    '%s: the flow is not open, and nothing is left behind',
    async (_, name) => {
      const given = await shop({
        actor: async (turn, flows) => {
          const tool = flows.tools().find((one) => one.name === name)
          const outcome = await turn.tool({ name, args: {}, idempotent: true }, async (run) => {
            const broken = { ...run, session: turn.view, emit: () => Promise.reject(new Error('gone')) }
            return tool?.handler({}, broken)
          })
          await complete(turn, JSON.stringify(outcome))
        },
      })
      expect(await answered(given, 'hi')).toMatchObject({ outcome: 'failed' })
      expect(await given.flows.active(given.session)).toEqual({})
    },
  )

  test('opens a flow whose time runs out like that of any other', async () => {
    const given = await shop({ actor: calling('order__track', () => ({ orderId: 'o1' })) })
    expect(given.flows.tools().find(({ name }) => name === 'order__track')?.inputSchema).toMatchObject({
      properties: { orderId: { type: 'string' } },
    })
    expect(await answered(given, 'where is it')).toMatchObject({ status: 'shown', intentId: 'order.track' })
    await given.there.runtime.clock.advance(60_001)
    await eventually(async () => Object.keys(await given.flows.active(given.session)).length === 0)
  })

  test('that fails is told to the model as a value', async () => {
    const given = await shop({
      actor: calling('order__place', () => ({})),
      hydrate: () => {
        throw new FlowError('HYDRATION_FAILED', 'You have no usual order yet.', { details: { appCode: 'NO_USUAL' } })
      },
    })
    expect(await answered(given, 'my usual')).toMatchObject({
      status: 'failed',
      error: { code: 'HYDRATION_FAILED', details: { appCode: 'NO_USUAL' } },
    })
  })

  test('cannot be forged: a render that no tool has prepared opens nothing', async () => {
    const forged: RenderPayload = {
      intentId: 'order.place',
      instanceId: 'flow_forged',
      version: '1.0.0',
      props: { items: [] },
      state: 'processing',
      displayMode: 'inline',
    }
    const given = await shop({
      actor: async (turn) => {
        await turn.tool({ name: 'evil', args: {}, idempotent: true }, (run) =>
          run.emit([{ partType: 'intentflow.render', data: forged }]),
        )
        await complete(turn, '"said"')
      },
    })
    await answered(given, 'hi')
    expect(await given.flows.active(given.session)).toEqual({})
  })
})

describe('in-flow conversation by a model', () => {
  async function open(
    actor: (turn: ActorContext, flows: Flows) => Promise<void>,
    more: Parameters<typeof shop>[0] = {},
  ) {
    const given = await shop({ ...more, actor })
    const { instanceId } = await given.flows.invoke(given.session, { intentId: 'order.place' }, alice)
    return { given, instanceId }
  }

  test('sends events to the flow that takes them, and says what came of it', async () => {
    const { given, instanceId } = await open(calling('flow_event', () => ({ event: 'EDIT', payload: { note: 'hot' } })))
    expect(await answered(given, 'make it hot')).toMatchObject({ status: 'done', instanceId, state: 'review' })
    expect(await given.flows.active(given.session)).toMatchObject({
      [instanceId]: { context: { problem: 'hot' }, seq: 1 },
    })
  })

  test('is told why it cannot', async () => {
    const { given } = await open(calling('flow_event', () => ({ event: 'SUCCESS', payload: { orderId: 'free' } })))
    expect(await answered(given, 'trick')).toMatchObject({ status: 'failed', error: { code: 'INSTANCE_NOT_FOUND' } })
  })

  test('cannot send what only the server may', async () => {
    const { given, instanceId } = await open((turn, flows) =>
      calling('flow_event', () => ({ instanceId, event: 'SUCCESS' }))(turn, flows),
    )
    expect(await answered(given, 'trick')).toMatchObject({ status: 'failed', error: { code: 'INVALID_TRANSITION' } })
  })

  test('needs the user’s approval for what must be confirmed, and waits for the handler', async () => {
    const { given, instanceId } = await open(
      calling('flow_event', () => ({ event: 'CONFIRM', payload: { tip: 2 } })),
      { confirm: () => ({ event: 'SUCCESS', payload: { orderId: 'o1' } }) },
    )
    const listener = follow(given.sessions, given.session)
    await given.sessions.post(given.session, said('yes, order it'), alice)
    const asked = () =>
      listener.frames.find((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'approval-request')
    await eventually(() => asked() !== undefined)
    expect(await given.flows.active(given.session)).toMatchObject({ [instanceId]: { state: 'review' } })
    const frame = asked()
    const { approvalId } = (frame?.kind === 'part' ? frame.part.data : {}) as { approvalId: string }
    await given.sessions.decide(approvalId, { decision: 'granted' }, alice)
    await listener.settled()
    const last = listener.frames.findLast((one) => one.kind === 'part' && one.part.metadata.partType === 'response')
    expect(JSON.parse(last?.kind === 'part' ? (last.part.text ?? '') : '')).toMatchObject({
      status: 'done',
      instanceId,
      isFinal: true,
      state: 'confirmed',
      reason: 'completed',
    })
    listener.leave()
  })

  test('lists and dismisses', async () => {
    const { given, instanceId } = await open(async (turn, flows) => {
      const listed = await callTool(turn, flows.tools(), 'flow_list', {})
      const gone = await callTool(turn, flows.tools(), 'flow_dismiss', {})
      await complete(turn, JSON.stringify([listed, gone]))
    })
    expect(await answered(given, 'forget it')).toMatchObject([
      { flows: [{ instanceId, title: 'Place an order' }] },
      { status: 'dismissed', instanceId },
    ])
    expect(await given.flows.active(given.session)).toEqual({})
  })
})

describe('tools for callers of MCP', () => {
  async function peer(more: Parameters<typeof shop>[0] = {}) {
    const given = await shop({ publicUrl: 'https://shop.example', ...more })
    const tools = given.flows.mcpTools()
    let calls = 0
    // As MCP does it: without a conversation each call is in a new session of the caller's.
    const call = async (
      name: string,
      input: unknown,
      by: Principal = alice,
      session?: string,
    ): Promise<Record<string, unknown>> => {
      const tool: PlainTool | undefined = tools.find((one) => one.name === name)
      const place = session ?? (await given.sessions.open({ principal: by }))
      const context: ToolContext = {
        key: `call_${calls++}`,
        signal: new AbortController().signal,
        session: await given.sessions.view(place, by),
        emit: async () => {},
      }
      return (await tool?.handler(input, context)) as Record<string, unknown>
    }
    return { given, call, tools }
  }

  test('open a flow that later calls find, whatever conversation they are in', async () => {
    const { call, tools } = await peer()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['order__place', 'flow_event', 'flow_confirm']),
    )
    const opened = await call('order__place', { quantity: 2 })
    expect(opened).toMatchObject({
      status: 'open',
      text: '2 × Cappuccino (review)',
      link: expect.stringContaining('https://shop.example/intentflow/open/') as string,
    })
    const edited = await call('flow_event', { instanceId: opened.instanceId, event: 'EDIT', payload: { note: 'x' } })
    expect(edited).toMatchObject({ status: 'done', instanceId: opened.instanceId })
    expect(await call('flow_get', { instanceId: opened.instanceId })).toMatchObject({ status: 'open', state: 'review' })
    // Words that every object knows are no ids.
    for (const name of ['toString', '__proto__']) {
      expect(await call('flow_get', { instanceId: name })).toMatchObject({ error: { code: 'INSTANCE_NOT_FOUND' } })
    }
  })

  test('an event that must be confirmed is done by a second call, once, by the caller that was asked', async () => {
    const { call } = await peer({ confirm: () => ({ event: 'SUCCESS', payload: { orderId: 'o1' } }) })
    const { instanceId } = await call('order__place', {})
    const asked = await call('flow_event', { instanceId, event: 'CONFIRM', payload: { tip: 1 } })
    expect(asked).toMatchObject({ status: 'confirmation_required', event: 'CONFIRM', payload: { tip: 1 } })
    expect(await call('flow_get', { instanceId })).toMatchObject({ state: 'review' })
    const { confirmation } = asked
    const notFound = { status: 'failed', error: { code: 'INSTANCE_NOT_FOUND' } }
    expect(await call('flow_confirm', { instanceId, confirmation }, bob)).toMatchObject(notFound)
    expect(await call('flow_event', { instanceId, event: 'EDIT' }, bob)).toMatchObject(notFound)
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({
      status: 'done',
      state: 'confirmed',
    })
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({
      status: 'failed',
      error: { code: 'INVALID_TRANSITION' },
    })
  })

  test('a confirmation is for the flow as it stood, and not for ever', async () => {
    const { given, call } = await peer()
    const { instanceId } = await call('order__place', {})
    const first = await call('flow_event', { instanceId, event: 'CONFIRM' })
    await call('flow_event', { instanceId, event: 'EDIT' })
    expect(await call('flow_confirm', { instanceId, confirmation: first.confirmation })).toMatchObject({
      error: { code: 'STATE_CONFLICT' },
    })
    const second = await call('flow_event', { instanceId, event: 'CONFIRM' })
    await given.there.runtime.clock.advance(10 * 60 * 1_000 + 1)
    expect(await call('flow_confirm', { instanceId, confirmation: second.confirmation })).toMatchObject({
      error: { code: 'INVALID_TRANSITION' },
    })
  })

  test('the user is not asked to confirm what cannot be done', async () => {
    const { call } = await peer()
    const { instanceId } = await call('order__place', {})
    expect(await call('flow_event', { instanceId, event: 'CONFIRM', payload: { tip: -5 } })).toMatchObject({
      error: { code: 'INVALID_PAYLOAD' },
    })
    const [asked] = [await call('flow_event', { instanceId, event: 'CONFIRM' })]
    await call('flow_confirm', { instanceId, confirmation: asked?.confirmation })
    expect(await call('flow_event', { instanceId, event: 'CONFIRM' })).toMatchObject({
      error: { code: 'INVALID_TRANSITION' },
    })
  })

  test('a handler that fails is an error of the call', async () => {
    const { call } = await peer({
      confirm: () => {
        throw new FlowError('MUTATION_FAILED', 'Your card was declined.')
      },
    })
    const { instanceId } = await call('order__place', {})
    const { confirmation } = await call('flow_event', { instanceId, event: 'CONFIRM' })
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({
      status: 'failed',
      state: 'review',
      error: { message: 'Your card was declined.' },
    })
    // Used up, though it came to nothing.
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({
      error: { code: 'INVALID_TRANSITION' },
    })
    expect(await call('flow_dismiss', { instanceId })).toMatchObject({ status: 'dismissed' })
    expect(await call('flow_get', { instanceId })).toMatchObject({ isFinal: true, reason: 'cancelled' })
  })
})

describe('part types', () => {
  test('say what they change of the state, and go out only', async () => {
    const given = await shop()
    const { instanceId } = await given.flows.invoke(given.session, { intentId: 'order.place' }, alice)
    const listener = follow(given.sessions, given.session)
    await eventually(() => serverEvents(listener.frames).length === 1)
    const frame = listener.frames.find(({ kind }) => kind === 'part')
    const part = (frame?.kind === 'part' ? frame.part : undefined) as Part
    expect(given.partTypes.get('intentflow.render')?.statePatch?.(part)).toMatchObject([
      { op: 'add', path: `/activeFlows/${instanceId}` },
    ])
    expect(given.partTypes.get('intentflow.render')?.saidBy).toBe('tools')
    expect(given.partTypes.get('intentflow.event')?.deliveryRules.streaming).toBe('inbound-only')
    const error = {
      data: { code: 'TIMEOUT', message: 'Too <late>', recoverable: true },
      metadata: { partType: 'intentflow.error' },
    }
    expect(given.partTypes.get('intentflow.error')?.toText?.(error)).toBe('Too <late>')
    expect(given.partTypes.get('intentflow.error')?.toHtml?.(error)).toBe('<p>Too &lt;late&gt;</p>')
    given.flows.registerPartTypes(given.partTypes)
    listener.leave()
  })
})
