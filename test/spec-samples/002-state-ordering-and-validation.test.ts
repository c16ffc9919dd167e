import type { CustomEvent } from '@ag-ui/core'
import { EventSchemas } from '@ag-ui/core/schemas'
import {
  activeFlowsSchema,
  applyServerEvent,
  FlowError,
  renderPayloadSchema,
  serverEventSchema,
  transitionPayloadSchema,
  eventPayloadSchema,
  type ActiveFlows,
  type AGUICustomEvent,
  type RenderPayload,
} from '@intentflow/core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

// Document 002, "Text Messages", "State Synchronization", "Event Ordering" and "Schema Validation".

test('conversational text is AG-UI’s own event', () => {
  const text = {
    type: 'TEXT_MESSAGE_CONTENT',
    messageId: 'msg_008',
    delta: "I've placed your order for a large oat milk cappuccino.",
  }
  expect(EventSchemas.parse(text)).toEqual(text)
})

test('the snapshot of the document is read; a server that says more is read with all of it', () => {
  // The document leaves the props out: "props": {...}.
  const event = {
    type: 'STATE_SNAPSHOT',
    snapshot: { activeFlows: { flow_abc123: { intentId: 'order.place', state: 'review', props: { items: [] } } } },
  }
  expect(EventSchemas.parse(event)).toEqual(event)
  const flows = activeFlowsSchema.parse(event.snapshot.activeFlows)
  expect(flows['flow_abc123']).toMatchObject({ intentId: 'order.place', state: 'review', props: { items: [] } })
  // It is a base to go on from.
  const moved = serverEventSchema.parse({
    type: 'CUSTOM',
    name: 'intentflow.transition',
    value: { instanceId: 'flow_abc123', toState: 'confirmed' },
  })
  expect(applyServerEvent(flows, moved)['flow_abc123']?.state).toBe('confirmed')
})

describe('sequence guarantees', () => {
  const render = (instanceId: string) => ({
    type: 'CUSTOM',
    name: 'intentflow.render',
    value: { eventId: `${instanceId}0`, seq: 0, instanceId, intentId: 'order.place', props: {}, displayMode: 'inline' },
  })
  const move = (instanceId: string, seq: number) => ({
    type: 'CUSTOM',
    name: 'intentflow.transition',
    value: { eventId: `${instanceId}${seq}`, seq, instanceId, toState: `s${seq}`, context: { [`k${seq}`]: seq } },
  })
  const fold = (events: readonly unknown[]) =>
    events.reduce<ActiveFlows>((flows, event) => applyServerEvent(flows, serverEventSchema.parse(event)), {})

  test('1: events for a single instanceId count in order only', () => {
    expect(fold([render('a'), move('a', 1), move('a', 2)])['a']).toMatchObject({ state: 's2', seq: 2 })
    expect(fold([render('a'), move('a', 2)])['a']?.seq).toBe(0)
    expect(fold([move('a', 1), render('a')])['a']?.seq).toBe(0)
  })

  test('2: events across different instances may interleave', () => {
    const apart = fold([render('a'), move('a', 1), move('a', 2), render('b'), move('b', 1)])
    const mixed = fold([render('b'), render('a'), move('a', 1), move('b', 1), move('a', 2)])
    expect(mixed).toEqual(apart)
  })

  test('3: a transition is seen whole or not at all', () => {
    expect(fold([render('a'), move('a', 2)])['a']).toMatchObject({ state: '', context: {} })
    expect(fold([render('a'), move('a', 1)])['a']).toMatchObject({ state: 's1', context: { k1: 1 } })
  })

  test('the sample for duplicates works as it stands: what it takes for new is known by its seq', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    let flows: ActiveFlows = {}
    let processed = 0
    const processedEvents = new Set<string>()

    function handleEvent(event: CustomEvent) {
      const eventId = `${event.name}-${event.value.instanceId}-${Date.now()}`
      if (processedEvents.has(eventId)) {
        return // Already processed
      }
      processedEvents.add(eventId)
      // Process event...
      processed++
      flows = applyServerEvent(flows, serverEventSchema.parse(event))
    }

    const events = [render('a'), move('a', 1)] as CustomEvent[]
    for (const event of [...events, ...events, ...events]) {
      handleEvent(event)
      vi.setSystemTime(Date.now() + 1)
    }
    // The time in its key makes every copy another event.
    expect(processed).toBe(6)
    expect(flows).toEqual(fold(events))
  })

  test('by the ids that our events carry, every copy is the same event', () => {
    const processedEvents = new Set<string>()
    for (const { value } of [render('a'), move('a', 1), move('a', 1), render('a')]) processedEvents.add(value.eventId)
    expect([...processedEvents]).toEqual(['a0', 'a1'])
  })
})

describe('schema validation', () => {
  const handleRender = (payload: RenderPayload) => payload.instanceId

  // Validate incoming IntentFlow custom event
  function handleCustomEvent(event: AGUICustomEvent) {
    if (event.name === 'intentflow.render') {
      const result = renderPayloadSchema.safeParse(event.value)
      if (!result.success) {
        throw new FlowError('INVALID_PAYLOAD', result.error)
      }
      return handleRender(result.data)
    }
    // ... handle other event types
  }

  test('the sample handles what is valid, and throws what says what is wrong', () => {
    const value = { intentId: 'order.place', instanceId: 'flow_abc123', props: {}, displayMode: 'fullscreen' }
    expect(handleCustomEvent({ type: 'CUSTOM', name: 'intentflow.render', value })).toBe('flow_abc123')
    expect(handleCustomEvent({ type: 'CUSTOM', name: 'other', value: 1 })).toBeUndefined()
    const broken = () => handleCustomEvent({ type: 'CUSTOM', name: 'intentflow.render', value: { ...value, props: 1 } })
    expect(broken).toThrow(FlowError)
    expect(broken).toThrow(
      expect.objectContaining({ code: 'INVALID_PAYLOAD', message: expect.stringContaining('props') }),
    )
  })

  test('the three schemas of the import are there', () => {
    for (const schema of [renderPayloadSchema, transitionPayloadSchema, eventPayloadSchema]) {
      expect(schema.safeParse({}).success).toBe(false)
    }
  })
})
