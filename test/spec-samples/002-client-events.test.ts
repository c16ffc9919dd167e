import {
  actionResponsePayloadSchema,
  clientEventSchema,
  dismissRequestPayloadSchema,
  eventPayloadSchema,
  intentFlowSaidSchema,
} from '@intentflow/core'
import type * as core from '@intentflow/core'
import { expect, expectTypeOf, test } from 'vitest'

// Document 002, "Client → Server Events": the interfaces and the examples as they stand there.

interface EventPayload {
  // Target Flow
  instanceId: string

  // Event details
  event: string // Event name, e.g., "CONFIRM"
  payload?: Record<string, unknown> // Event data
}

interface ActionResponsePayload {
  // Correlation
  actionId: string // ID from the action request

  // Result
  success: boolean
  result?: Record<string, unknown>
  error?: {
    code: string
    message: string
  }
}

interface DismissRequestPayload {
  // Target Flow
  instanceId: string

  // Reason
  reason: 'user_cancelled' | 'navigation' | 'timeout'
}

test('what has the types of the document has the exported ones, and the other way round', () => {
  expectTypeOf<EventPayload>().toExtend<core.EventPayload>()
  expectTypeOf<core.EventPayload>().toExtend<EventPayload>()
  expectTypeOf<ActionResponsePayload>().toExtend<core.ActionResponsePayload>()
  expectTypeOf<core.ActionResponsePayload>().toExtend<ActionResponsePayload>()
  expectTypeOf<DismissRequestPayload>().toExtend<core.DismissRequestPayload>()
  expectTypeOf<core.DismissRequestPayload>().toExtend<DismissRequestPayload>()
})

const event = {
  type: 'CUSTOM',
  name: 'intentflow.event',
  value: {
    instanceId: 'flow_abc123',
    event: 'CONFIRM',
    payload: {
      selectedPaymentId: 'pm_001',
      tip: 1.0,
    },
  },
}

const actionResponse = {
  type: 'CUSTOM',
  name: 'intentflow.action_response',
  value: {
    actionId: 'action_007',
    success: true,
    result: {
      authenticated: true,
      method: 'face_id',
    },
  },
}

const dismissRequest = {
  type: 'CUSTOM',
  name: 'intentflow.dismiss_request',
  value: {
    instanceId: 'flow_abc123',
    reason: 'user_cancelled',
  },
}

test.each([
  [eventPayloadSchema, event],
  [actionResponsePayloadSchema, actionResponse],
  [dismissRequestPayloadSchema, dismissRequest],
] as const)('example %#: accepted as it is written, and nothing is added or lost', (schema, example) => {
  expect(schema.parse(example.value)).toEqual(example.value)
  expect(clientEventSchema.parse(example)).toEqual(example)
  // With the id and the seq that we send.
  const ours = { ...example, value: { ...example.value, v: 1, eventId: '01J', expectedSeq: 3, sentAt: 5 } }
  expect(clientEventSchema.parse(ours)).toEqual(ours)
})

test('all three go into one request', () => {
  const said = { events: [event, actionResponse, dismissRequest] }
  expect(intentFlowSaidSchema.parse(said)).toEqual(said)
})
