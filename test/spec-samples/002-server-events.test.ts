import {
  actionPayloadSchema,
  applyServerEvent,
  dismissPayloadSchema,
  errorCodes,
  errorPayloadSchema,
  propsUpdatePayloadSchema,
  renderPayloadSchema,
  serverEventSchema,
  transitionPayloadSchema,
} from '@intentflow/core'
import type * as core from '@intentflow/core'
import { describe, expect, expectTypeOf, test } from 'vitest'

// Document 002, "IntentFlow Custom Events" and "Server → Client Events": the interfaces and the examples as they stand there.

// All IntentFlow events use AG-UI's CUSTOM type
interface IntentFlowEvent {
  type: 'CUSTOM'
  name: string // e.g., 'intentflow.render'
  value: unknown // IntentFlow-specific payload
}

interface RenderPayload {
  // Flow identification
  intentId: string // e.g., "order.place"
  instanceId: string // Unique instance ID, e.g., "flow_abc123"

  // Flow data
  props: Record<string, unknown> // Validated against Flow schema
  initialState?: string // Starting state (defaults to machine's initial)
  context?: Record<string, unknown> // Initial state machine context

  // Presentation
  displayMode: 'inline' | 'modal' | 'fullscreen' | 'sheet'
  priority?: 'normal' | 'high' // High priority interrupts current view

  // Hierarchy
  parentInstanceId?: string // If this is a nested/child Flow

  // Options
  streaming?: boolean // Expect props_update events
  dismissable?: boolean // User can dismiss without completing (default: true)
}

interface TransitionPayload {
  // Target Flow
  instanceId: string

  // State change
  toState: string // New state name
  context?: Record<string, unknown> // Updated context (merged with existing)

  // Optional follow-up
  followUp?: {
    intentId: string // Suggested next Flow
    props?: Record<string, unknown> // Pre-populated props
  }
}

interface PropsUpdatePayload {
  // Target Flow
  instanceId: string

  // Props changes (shallow merge)
  patch?: Record<string, unknown>

  // Or deep patch operations
  operations?: PatchOperation[]
}

interface PatchOperation {
  op: 'set' | 'delete' | 'append' | 'prepend'
  path: string // JSON path, e.g., "items[0].quantity"
  value?: unknown // Value for set/append/prepend
}

interface DismissPayload {
  // Target Flow
  instanceId: string

  // Reason for dismissal
  reason: 'completed' | 'cancelled' | 'replaced' | 'timeout' | 'error'

  // Optional result data
  result?: Record<string, unknown>
}

interface ErrorPayload {
  // Error identification
  code: ErrorCode
  message: string // Human-readable description

  // Context
  instanceId?: string // Related Flow, if any

  // Details
  details?: Record<string, unknown>

  // Recovery options
  recoverable: boolean
  retryAfter?: number // Seconds until retry is appropriate
}

type ErrorCode =
  | 'INVALID_PROPS'
  | 'INVALID_TRANSITION'
  | 'FLOW_NOT_FOUND'
  | 'INSTANCE_NOT_FOUND'
  | 'PERMISSION_DENIED'
  | 'HYDRATION_FAILED'
  | 'MUTATION_FAILED'

interface ActionPayload {
  // Action type
  action: ActionType
  config: Record<string, unknown>

  // Context
  instanceId?: string // Related Flow, if any

  // Response handling
  responseRequired: boolean
}

type ActionType =
  | 'biometric_auth'
  | 'camera_capture'
  | 'location_request'
  | 'share'
  | 'open_url'
  | 'copy_to_clipboard'
  | 'haptic_feedback'
  | 'notification'

test('what has the types of the document has the exported ones, and the other way round', () => {
  expectTypeOf<core.IntentFlowEvent>().toEqualTypeOf<IntentFlowEvent>()
  expectTypeOf<core.ServerEvent>().toExtend<IntentFlowEvent>()
  expectTypeOf<RenderPayload>().toExtend<core.RenderPayload>()
  expectTypeOf<core.RenderPayload>().toExtend<RenderPayload>()
  expectTypeOf<TransitionPayload>().toExtend<core.TransitionPayload>()
  expectTypeOf<core.TransitionPayload>().toExtend<TransitionPayload>()
  expectTypeOf<PropsUpdatePayload>().toExtend<core.PropsUpdatePayload>()
  expectTypeOf<core.PropsUpdatePayload>().toExtend<PropsUpdatePayload>()
  expectTypeOf<core.PatchOperation>().toEqualTypeOf<PatchOperation>()
  expectTypeOf<DismissPayload>().toExtend<core.DismissPayload>()
  expectTypeOf<core.DismissPayload>().toExtend<DismissPayload>()
  // There are more codes than the document has.
  expectTypeOf<ErrorPayload>().toExtend<core.ErrorPayload>()
  expectTypeOf<Omit<core.ErrorPayload, 'code'>>().toExtend<Omit<ErrorPayload, 'code'>>()
  expectTypeOf<ErrorCode>().toExtend<core.ErrorCode>()
  // What each action can be told is more exact than in the document.
  expectTypeOf<core.ActionPayload>().toExtend<ActionPayload>()
  expectTypeOf<core.ActionType>().toEqualTypeOf<ActionType>()
})

const render = {
  type: 'CUSTOM',
  name: 'intentflow.render',
  value: {
    intentId: 'order.place',
    instanceId: 'flow_abc123',
    props: {
      items: [
        {
          item: { id: 'item_001', name: 'Cappuccino', price: 4.5 },
          quantity: 1,
          selectedOptions: { size: 'large', milk: 'oat' },
        },
      ],
      location: {
        id: 'loc_001',
        name: '123 Main Street',
        estimatedTime: 8,
      },
      paymentMethods: [{ id: 'pm_001', label: 'Visa ••4242', type: 'card' }],
    },
    displayMode: 'fullscreen',
    dismissable: true,
  },
}

const transition = {
  type: 'CUSTOM',
  name: 'intentflow.transition',
  value: {
    instanceId: 'flow_abc123',
    toState: 'confirmed',
    context: {
      orderId: 'order_789',
      confirmationNumber: 'CF-12345',
    },
    followUp: {
      intentId: 'order.track',
      props: { orderId: 'order_789' },
    },
  },
}

const shallowPatch = {
  type: 'CUSTOM',
  name: 'intentflow.props_update',
  value: {
    instanceId: 'flow_track123',
    patch: {
      status: 'ready',
      estimatedTime: 0,
    },
  },
}

// The document leaves the item out: { "item": {...}, "quantity": 1 }.
const espresso = { id: 'item_002', name: 'Espresso', price: 2.5 }

const deepPatch = {
  type: 'CUSTOM',
  name: 'intentflow.props_update',
  value: {
    instanceId: 'flow_abc123',
    operations: [
      { op: 'set', path: 'items[0].quantity', value: 2 },
      { op: 'append', path: 'items', value: { item: espresso, quantity: 1 } },
    ],
  },
}

const dismiss = {
  type: 'CUSTOM',
  name: 'intentflow.dismiss',
  value: {
    instanceId: 'flow_abc123',
    reason: 'completed',
    result: {
      orderId: 'order_789',
      total: 5.25,
    },
  },
}

const error = {
  type: 'CUSTOM',
  name: 'intentflow.error',
  value: {
    code: 'MUTATION_FAILED',
    message: 'Payment declined by processor',
    instanceId: 'flow_abc123',
    details: {
      processorCode: 'insufficient_funds',
      processorMessage: 'Card declined',
    },
    recoverable: true,
  },
}

const action = {
  type: 'CUSTOM',
  name: 'intentflow.action',
  value: {
    action: 'biometric_auth',
    config: {
      reason: 'Authorize payment of $5.25',
      fallback: 'passcode',
    },
    instanceId: 'flow_abc123',
    responseRequired: true,
  },
}

test.each([
  [renderPayloadSchema, render],
  [transitionPayloadSchema, transition],
  [propsUpdatePayloadSchema, shallowPatch],
  [propsUpdatePayloadSchema, deepPatch],
  [dismissPayloadSchema, dismiss],
  [errorPayloadSchema, error],
  [actionPayloadSchema, action],
] as const)('example %#: accepted as it is written, and nothing is added or lost', (schema, example) => {
  expect(schema.parse(example.value)).toEqual(example.value)
  expect(serverEventSchema.parse(example)).toEqual(example)
})

describe('the examples one after the other', () => {
  const said = (flows: core.ActiveFlows, example: unknown) => applyServerEvent(flows, serverEventSchema.parse(example))
  const shown = said({}, render)

  test('the flow is shown; what is left out has its default', () => {
    const { instanceId, ...rest } = render.value
    expect(shown[instanceId]).toMatchObject({ ...rest, priority: 'normal', context: {} })
    const { dismissable: _, ...bare } = render.value
    expect(said({}, { ...render, value: bare })['flow_abc123']?.dismissable).toBe(true)
  })

  test('its state and context change, and a next flow is suggested', () => {
    const { toState, context, followUp } = transition.value
    expect(said(shown, transition)['flow_abc123']).toMatchObject({ state: toState, context, followUp })
  })

  test('its props are patched, deeply or not', () => {
    expect(said(shown, deepPatch)['flow_abc123']?.props).toEqual({
      ...render.value.props,
      items: [
        { ...render.value.props.items[0], quantity: 2 },
        { item: espresso, quantity: 1 },
      ],
    })
    const tracked = {
      ...render,
      value: { ...render.value, instanceId: 'flow_track123', props: { status: 'new', id: 1 } },
    }
    expect(said(said({}, tracked), shallowPatch)['flow_track123']?.props).toEqual({
      status: 'ready',
      id: 1,
      estimatedTime: 0,
    })
  })

  test('it is removed from display; errors and actions leave it alone', () => {
    expect(said(shown, dismiss)).toEqual({})
    expect(said(shown, error)).toEqual(shown)
    expect(said(shown, action)).toEqual(shown)
  })
})

test('every code of the document is there', () => {
  const codes: ErrorCode[] = [
    'INVALID_PROPS',
    'INVALID_TRANSITION',
    'FLOW_NOT_FOUND',
    'INSTANCE_NOT_FOUND',
    'PERMISSION_DENIED',
    'HYDRATION_FAILED',
    'MUTATION_FAILED',
  ]
  expect(Object.keys(errorCodes)).toEqual(expect.arrayContaining(codes))
})
