import { StateMachineRegistry } from '@cool-ai/beach-core'
import { decideDelivery, parsePart, type SetStatePart } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 000, "setState part schema".

const part: SetStatePart = { partType: 'setState', data: { 'booking.phase': 'selected', 'booking.payment': 'open' } }

const stateMachine = (allowHandlerTransitions: boolean) => ({
  components: {
    booking: {
      allowHandlerTransitions,
      coordinates: {
        phase: { initial: 'searching', transitions: { searching: ['selected'], selected: ['searching'] } },
        payment: { initial: 'none', transitions: { none: ['open'], open: ['paid'], paid: [] } },
      },
    },
  },
})

test('the part is accepted in the form of the document', () => {
  expect(parsePart(part)).toEqual({ data: part.data, metadata: { partType: 'setState' } })
})

test('the patch is applied as a whole or not at all', () => {
  const machines = new StateMachineRegistry()
  machines.register(stateMachine(true))
  const outcome = machines.apply(machines.initial(), part.data, 'handler')
  expect(outcome).toMatchObject({ accepted: true, coordinates: part.data })
  expect(machines.apply(machines.initial(), { ...part.data, 'booking.payment': 'paid' }, 'handler')).toMatchObject({
    accepted: false,
  })
})

test('handlers cannot propose transitions for components that do not enable this source', () => {
  const machines = new StateMachineRegistry()
  machines.register(stateMachine(false))
  expect(machines.apply(machines.initial(), part.data, 'handler')).toMatchObject({ accepted: false })
})

test('outbound formatters never see it, and A2A peers get it verbatim', () => {
  for (const transport of ['sse', 'websocket', 'agui', 'mcp', 'smtp', 'whatsapp', 'sms', 'webhook']) {
    expect(decideDelivery('setState', { transport, deliveryClass: 'streaming' })).toBe('drop')
    expect(decideDelivery('setState', { transport, deliveryClass: 'buffered' })).toBe('drop')
  }
  expect(decideDelivery('setState', { transport: 'a2a', deliveryClass: 'streaming' })).toBe('once')
  expect(decideDelivery('setState', { transport: 'a2a', deliveryClass: 'buffered' })).toBe('at-settlement')
})
