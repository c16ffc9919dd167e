import { describe, expect, expectTypeOf, test } from 'vitest'
import { actionPayloadSchema, actionTypes, type ActionPayload } from './action-payload.ts'
import { clientEventSchema, eventPayloadSchema, intentFlowSaidSchema } from './client-payloads.ts'
import {
  errorPayloadSchema,
  patchOperationSchema,
  propsUpdatePayloadSchema,
  renderPayloadSchema,
  serverEventSchema,
  type ServerEvent,
} from './server-payloads.ts'
import { flowLimits } from './json-problem.ts'
import { intentFlowJsonSchemas } from './json-schemas.ts'

const render = { intentId: 'order.place', instanceId: 'flow_1', props: {}, displayMode: 'inline' }

test('what the resolutions add is optional when read, and kept', () => {
  expect(renderPayloadSchema.parse(render)).toEqual(render)
  const full = {
    ...render,
    v: 1,
    eventId: 'e1',
    at: 5,
    seq: 0,
    inReplyTo: 'c1',
    version: '1.0.0',
    state: 'review',
    context: { n: 1 },
    dismissable: false,
    expiresAt: 9,
  }
  expect(renderPayloadSchema.parse(full)).toEqual(full)
})

describe('what is too large or dangerous is refused, and the error says what it is', () => {
  const problem = (props: unknown) => renderPayloadSchema.safeParse({ ...render, props }).error?.issues[0]?.message

  test.each(['__proto__', 'constructor', 'prototype'])('the key %s, wherever it stands', (key) => {
    const deep = JSON.parse(`{"items":[{"${key}":1}]}`) as unknown
    expect(problem(deep)).toBe(`has the key "${key}" at items[0], which is not allowed`)
    expect(renderPayloadSchema.safeParse({ ...render, instanceId: key }).success).toBe(false)
  })

  test('what JSON cannot hold', () => {
    expect(problem({ a: Number.NaN })).toContain('NaN at a')
    expect(problem({ a: new Date(0) })).toContain('at a that JSON cannot hold')
    expect(problem({ a: () => 1 })).toContain('function')
    expect(problem([])).toBe('must be an object')
    expect(problem(undefined)).toBe('must be an object')
    let nested: unknown = 1
    for (let depth = 0; depth <= flowLimits.depth; depth++) nested = { nested }
    expect(problem(nested)).toContain('deeper')
  })

  test('too many bytes: props, contexts, payloads, ids, operations, events', () => {
    // The bytes of JSON count, not the letters.
    const text = (bytes: number) => ({ a: 'é'.repeat((bytes - 8) / 2) })
    expect(problem(text(flowLimits.propsBytes))).toBeUndefined()
    expect(problem(text(flowLimits.propsBytes + 2))).toContain('65538 bytes')
    const event = (payload: unknown, instanceId = 'f') =>
      eventPayloadSchema.safeParse({ instanceId, event: 'E', payload }).success
    expect(event(text(flowLimits.contextBytes))).toBe(true)
    expect(event(text(flowLimits.contextBytes + 2))).toBe(false)
    expect(event({}, 'x'.repeat(128))).toBe(true)
    expect(event({}, 'x'.repeat(129))).toBe(false)
    const operations = (count: number) =>
      propsUpdatePayloadSchema.safeParse({
        instanceId: 'f',
        operations: Array.from({ length: count }, () => ({ op: 'set', path: 'a', value: 1 })),
      }).success
    expect([operations(0), operations(1), operations(100), operations(101)]).toEqual([false, true, true, false])
    const envelope = { type: 'CUSTOM', name: 'intentflow.event', value: { instanceId: 'f', event: 'E' } }
    const said = (count: number) =>
      intentFlowSaidSchema.safeParse({ events: Array.from({ length: count }, () => envelope) }).success
    expect([said(50), said(51)]).toEqual([true, false])
  })
})

test('a props_update has exactly one of patch and operations', () => {
  const parse = (value: object) => propsUpdatePayloadSchema.safeParse({ instanceId: 'f', ...value }).success
  const operations = [{ op: 'delete', path: 'a' }]
  expect(parse({ patch: {} })).toBe(true)
  expect(parse({ operations })).toBe(true)
  expect(parse({})).toBe(false)
  expect(parse({ patch: {}, operations })).toBe(false)
})

test('an operation needs a path, and a value unless it deletes', () => {
  const parse = (value: object) => patchOperationSchema.safeParse(value)
  expect(parse({ op: 'set', path: 'items[0].quantity', value: null }).success).toBe(true)
  expect(parse({ op: 'set', path: '/items/0/quantity', value: 2 }).success).toBe(true)
  expect(parse({ op: 'delete', path: 'sizes["extra large"]' }).success).toBe(true)
  expect(parse({ op: 'append', path: 'items' }).error?.issues[0]?.message).toContain('needs a value')
  for (const path of ['', '.a', 'a..b', 'a[', 'a[x]', 'a[01]', 'a b', 'a["x]', '/a~2', 'a.']) {
    expect(parse({ op: 'delete', path }).success, path).toBe(false)
  }
  for (const path of ['__proto__.x', 'a.constructor', '/a/prototype', '["__proto__"]']) {
    expect(parse({ op: 'delete', path }).error?.issues[0]?.message, path).toContain('not allowed')
  }
})

describe('actions', () => {
  const parse = (action: string, config: unknown) =>
    actionPayloadSchema.safeParse({ action, config, responseRequired: false }).success

  test('each type has a config of its own', () => {
    const good = {
      biometric_auth: { reason: 'Pay', fallback: 'passcode' },
      camera_capture: { mode: 'photo' },
      location_request: {},
      share: { text: 'Look', url: 'https://example.com/' },
      open_url: { url: 'https://example.com/' },
      copy_to_clipboard: { text: 'x' },
      haptic_feedback: { style: 'light' },
      notification: { title: 'Ready' },
    }
    expect(Object.keys(good)).toEqual(actionTypes)
    for (const [action, config] of Object.entries(good)) expect(parse(action, config), action).toBe(true)
    expect(parse('biometric_auth', {})).toBe(false)
    expect(parse('share', {})).toBe(false)
    expect(parse('notification', { body: 'no title' })).toBe(false)
    expect(parse('self_destruct', {})).toBe(false)
    expect(parse('share', { text: 'x', more: 'y'.repeat(flowLimits.contextBytes) })).toBe(false)
  })

  test('only https is opened or shared', () => {
    for (const url of ['http://example.com', 'javascript:alert(1)', 'https://me:secret@example.com', 'data:,x', 'x']) {
      expect(parse('open_url', { url }), url).toBe(false)
      expect(parse('share', { url }), url).toBe(false)
    }
  })

  test('the type of an action says what its config is', () => {
    expectTypeOf<Extract<ActionPayload, { action: 'open_url' }>['config']['url']>().toEqualTypeOf<string>()
  })
})

test('envelopes are told apart by their names', () => {
  const event = { type: 'CUSTOM', name: 'intentflow.dismiss', value: { instanceId: 'f', reason: 'timeout' } } as const
  expect(serverEventSchema.parse(event)).toEqual(event)
  expectTypeOf<Extract<ServerEvent, { name: 'intentflow.dismiss' }>['value']['reason']>().toEqualTypeOf<
    'completed' | 'cancelled' | 'replaced' | 'timeout' | 'error'
  >()
  // What a server says cannot be said by a client.
  expect(clientEventSchema.safeParse(event).success).toBe(false)
  expect(clientEventSchema.safeParse({ ...event, type: 'RAW' }).success).toBe(false)
  const invoke = { type: 'CUSTOM', name: 'intentflow.invoke', value: { eventId: 'e', intentId: 'order.place' } }
  expect(clientEventSchema.parse(invoke)).toEqual(invoke)
})

test('all that a client can say at once', () => {
  const said = {
    v: 1,
    invoke: { eventId: 'e', intentId: 'order.place', entities: { item: 'tea' } },
    client: { v: 1, flows: { 'order.place': '1.0.0' } },
    ack: { flow_1: 3 },
    known: [{ instanceId: 'flow_1', seq: 3 }],
    subscribe: true,
    look: { instanceId: 'flow_1' },
    resume: [{ interruptId: 'a', status: 'resolved', payload: { success: true } }],
  }
  expect(intentFlowSaidSchema.parse(said)).toEqual(said)
  expect(intentFlowSaidSchema.parse({})).toEqual({})
  expect(intentFlowSaidSchema.safeParse({ known: { flow_1: 3 } }).success).toBe(false)
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
  expect(intentFlowSaidSchema.safeParse({ ack: many(200) }).success).toBe(true)
  expect(intentFlowSaidSchema.safeParse({ ack: many(201) }).success).toBe(false)
})

test('codes that are not in the table are refused', () => {
  const error = { code: 'TIMEOUT', message: 'x', recoverable: true }
  expect(errorPayloadSchema.parse(error)).toEqual(error)
  expect(errorPayloadSchema.safeParse({ ...error, code: 'NO_ACTIVE_ORDER' }).success).toBe(false)
})

test('every payload has a JSON Schema under its name, in which objects are objects', () => {
  expect(Object.keys(intentFlowJsonSchemas)).toHaveLength(14)
  expect(intentFlowJsonSchemas.RenderPayload).toMatchObject({
    title: 'RenderPayload',
    type: 'object',
    properties: { props: { type: 'object' }, displayMode: { enum: ['inline', 'modal', 'fullscreen', 'sheet'] } },
    required: ['instanceId', 'intentId', 'props', 'displayMode'],
  })
  expect(JSON.stringify(intentFlowJsonSchemas.ActionPayload)).toContain('"biometric_auth"')
})
