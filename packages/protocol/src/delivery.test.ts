import { PartTypeRegistry, transports, type DeliveryClass, type DeliveryDecision } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { decideDelivery, explainDelivery, isPeer, wantsLlmContext, type Listener } from './delivery.ts'
import { planDelivery } from './delivery-plan.ts'

const registry = PartTypeRegistry.canonical()
registry.register({
  partType: 'ta.itinerary-slot-state',
  deliveryRules: { streaming: 'flush', buffered: 'drop' },
  allowedTransports: ['sse', 'a2a'],
  requiresPeerConsumes: true,
})

type Column = readonly [name: string, listener: Listener]

const streaming = (transport: string): Column => [transport, { transport, deliveryClass: 'streaming' }]
const buffered = (transport: string): Column => [transport, { transport, deliveryClass: 'buffered' }]

// A peer that lists everything, one that lists something else, and one that is no Beach agent.
const all = ['llm-context', 'ta.itinerary-slot-state', 'domain-data']
const peer = (deliveryClass: DeliveryClass, consumes?: readonly string[]): Listener =>
  consumes === undefined ? { transport: 'a2a', deliveryClass } : { transport: 'a2a', deliveryClass, consumes }

const columns: readonly Column[] = [
  streaming('sse'),
  streaming('websocket'),
  streaming('agui'),
  streaming('ai-sdk'),
  streaming('openai'),
  ['a2a streaming, all', peer('streaming', all)],
  ['a2a streaming, some', peer('streaming', ['domain-data'])],
  ['a2a streaming, foreign', peer('streaming')],
  ['a2a buffered, all', peer('buffered', all)],
  ['a2a buffered, some', peer('buffered', ['domain-data'])],
  ['a2a buffered, foreign', peer('buffered')],
  buffered('mcp'),
  ['mcp, all', { transport: 'mcp', deliveryClass: 'buffered', consumes: all }],
  buffered('smtp'),
  buffered('whatsapp'),
  buffered('sms'),
  buffered('webhook'),
  buffered('chat'),
]

type Row = readonly [
  partType: string,
  // sse, websocket, agui, ai-sdk, openai
  viewers: DeliveryDecision,
  a2aStreaming: readonly [all: DeliveryDecision, some: DeliveryDecision, foreign: DeliveryDecision],
  a2aBuffered: readonly [all: DeliveryDecision, some: DeliveryDecision, foreign: DeliveryDecision],
  mcp: readonly [plain: DeliveryDecision, all: DeliveryDecision],
  // smtp, whatsapp, sms, webhook, chat
  others: readonly [DeliveryDecision, DeliveryDecision, DeliveryDecision, DeliveryDecision, DeliveryDecision],
]

const same = <Decision extends DeliveryDecision>(decision: Decision) => [decision, decision, decision] as const
const four = <Decision extends DeliveryDecision>(decision: Decision) => [decision, ...same(decision)] as const
const five = <Decision extends DeliveryDecision>(decision: Decision) => [decision, ...four(decision)] as const

const table: readonly Row[] = [
  ['ack', 'flush', same('flush'), same('drop'), ['drop', 'drop'], five('drop')],
  ['thinking', 'flush', same('flush'), same('drop'), ['drop', 'drop'], five('drop')],
  ['progress', 'flush', same('flush'), same('drop'), ['flush', 'flush'], five('drop')],
  ['response', 'delta', same('delta'), same('final-state'), ['final-state', 'final-state'], five('final-state')],
  ['clarify', 'flush', same('flush'), same('flush'), ['flush', 'flush'], five('flush')],
  ['error', 'flush', same('flush'), same('flush'), ['flush', 'flush'], five('flush')],
  [
    'domain-data',
    'once',
    same('once'),
    same('at-settlement'),
    ['at-settlement', 'at-settlement'],
    ['attach', 'at-settlement', 'at-settlement', 'at-settlement', 'at-settlement'],
  ],
  [
    'citation',
    'once',
    same('once'),
    same('at-settlement'),
    ['at-settlement', 'at-settlement'],
    ['attach', 'drop', 'drop', 'at-settlement', 'at-settlement'],
  ],
  ['a2ui-surface', 'flush', same('flush'), same('final-state'), ['final-state', 'final-state'], five('final-state')],
  [
    'artifact',
    'url-reference',
    same('url-reference'),
    same('attach'),
    ['url-reference', 'url-reference'],
    ['attach', 'attach', 'url-reference', 'attach', 'attach'],
  ],
  [
    'llm-context',
    'drop',
    ['at-settlement', 'drop', 'drop'],
    ['at-settlement', 'drop', 'drop'],
    ['drop', 'at-settlement'],
    five('drop'),
  ],
  [
    'reasoning-trace',
    'audit-only',
    same('audit-only'),
    same('audit-only'),
    ['audit-only', 'audit-only'],
    five('audit-only'),
  ],
  ['approval-request', 'flush', same('flush'), same('flush'), ['flush', 'flush'], five('flush')],
  [
    'a2ui-action',
    'inbound-only',
    same('inbound-only'),
    same('inbound-only'),
    ['inbound-only', 'inbound-only'],
    five('inbound-only'),
  ],
  [
    'choice',
    'inbound-only',
    same('inbound-only'),
    same('inbound-only'),
    ['inbound-only', 'inbound-only'],
    five('inbound-only'),
  ],
  [
    'approval-response',
    'inbound-only',
    same('inbound-only'),
    same('inbound-only'),
    ['inbound-only', 'inbound-only'],
    five('inbound-only'),
  ],
  ['setState', 'drop', same('once'), same('at-settlement'), ['drop', 'drop'], five('drop')],
  ['ta.not-registered', 'drop', same('drop'), same('drop'), ['drop', 'drop'], five('drop')],
]

const cells = table.flatMap(([partType, viewers, a2aStreaming, a2aBuffered, mcp, others]) => {
  const decisions = [viewers, ...four(viewers), ...a2aStreaming, ...a2aBuffered, ...mcp, ...others]
  return columns.map(([name, listener], index) => [partType, name, decisions[index] ?? 'missing', listener] as const)
})

describe('the delivery table', () => {
  test('has a row for every canonical part type and a column for every transport that delivers', () => {
    const canonical = registry.entries().filter((entry) => entry.isCanonical)
    const rows = table.map(([partType]) => partType)
    expect(rows.toSorted()).toEqual([...canonical.map((entry) => entry.id), 'ta.not-registered'].toSorted())
    const delivering = transports.entries().filter((entry) => entry.deliveryClasses?.length !== 0)
    expect(new Set(columns.map(([, { transport }]) => transport))).toEqual(new Set(delivering.map(({ id }) => id)))
  })

  test.each(cells)('%s to %s: %s', (partType, _name, expected, listener) => {
    expect(decideDelivery(partType, listener, registry)).toBe(expected)
    expect(decideDelivery({ text: '', metadata: { partType } }, listener, registry)).toBe(expected)
  })
})

describe("a consumer's part type", () => {
  const decide = (listener: Listener) => decideDelivery('ta.itinerary-slot-state', listener, registry)

  test('reaches the browser, which declares nothing', () => {
    expect(decide({ transport: 'sse', deliveryClass: 'streaming' })).toBe('flush')
  })

  test('reaches a peer that lists it, and no other peer', () => {
    expect(decide(peer('streaming', all))).toBe('flush')
    expect(decide(peer('streaming', []))).toBe('drop')
    expect(decide(peer('streaming'))).toBe('drop')
  })

  test('is suppressed for a peer that follows by SSE without listing it', () => {
    expect(decide({ transport: 'sse', deliveryClass: 'streaming', consumes: ['domain-data'] })).toBe('drop')
  })

  test('reaches a page by a WebSocket too where server-sent events are allowed', () => {
    expect(decide({ transport: 'websocket', deliveryClass: 'streaming' })).toBe('flush')
  })

  test('stays away from transports that are not allowed', () => {
    expect(decide({ transport: 'agui', deliveryClass: 'streaming' })).toBe('drop')
    expect(decide({ transport: 'smtp', deliveryClass: 'buffered', consumes: all })).toBe('drop')
  })
})

test('a transport that is called like a method of Object has no rule of its own', () => {
  const listener: Listener = { transport: 'constructor', deliveryClass: 'buffered' }
  expect(decideDelivery('domain-data', listener, registry)).toBe('at-settlement')
})

test('a peer is a caller that came by an agent protocol or says what it consumes', () => {
  expect(isPeer({ transport: 'a2a', deliveryClass: 'buffered' })).toBe(true)
  expect(isPeer({ transport: 'mcp', deliveryClass: 'buffered' })).toBe(true)
  expect(isPeer({ transport: 'webhook', deliveryClass: 'buffered', consumes: [] })).toBe(true)
  expect(isPeer({ transport: 'sse', deliveryClass: 'streaming' })).toBe(false)
})

test('llm-context is wanted as soon as one listener consumes it', () => {
  const viewer: Listener = { transport: 'sse', deliveryClass: 'streaming' }
  expect(wantsLlmContext([viewer, peer('buffered'), peer('buffered', ['domain-data'])])).toBe(false)
  expect(wantsLlmContext([viewer, peer('buffered', all)])).toBe(true)
})

test('a plan holds the parts that may go to a listener, with their decisions', () => {
  const parts = ['ack', 'response', 'reasoning-trace', 'approval-response', 'artifact'].map((partType) => ({
    text: partType,
    metadata: { partType },
  }))
  const plan = planDelivery(parts, { transport: 'smtp', deliveryClass: 'buffered' }, registry)
  expect(plan.map(({ part, decision }) => [part.text, decision])).toEqual([
    ['response', 'final-state'],
    ['artifact', 'attach'],
  ])
})

describe('the row of the table that decided', () => {
  const listener = (more: Partial<Listener> = {}): Listener => ({
    transport: 'smtp',
    deliveryClass: 'buffered',
    ...more,
  })
  const rule = { streaming: 'flush', buffered: 'at-settlement' } as const
  const types = new PartTypeRegistry()
  for (const [partType, more] of Object.entries({
    'acme.plain': {},
    'acme.web': { allowedTransports: ['sse'] },
    'acme.peers': { peersOnly: true },
    'acme.wanted': { requiresPeerConsumes: true },
    'acme.mail': { deliveryRules: { ...rule, transports: { smtp: 'attach' } } },
  })) {
    types.register({ partType, deliveryRules: rule, ...more } as never)
  }

  test.each([
    ['acme.nowhere', {}, {}, 'unknown-part-type', 'drop'],
    ['acme.web', {}, {}, 'transport-not-allowed', 'drop'],
    ['acme.peers', {}, {}, 'peers-only', 'drop'],
    ['acme.wanted', { consumes: ['response'] }, {}, 'not-consumed', 'drop'],
    ['acme.wanted', { consumes: ['acme.wanted'] }, {}, 'class-rule', 'at-settlement'],
    ['acme.mail', {}, {}, 'transport-rule', 'attach'],
    ['acme.plain', {}, {}, 'class-rule', 'at-settlement'],
    ['acme.plain', { deliveryClass: 'streaming' }, {}, 'class-rule', 'flush'],
  ] as const)('%s to %j is found by %s: %s', (partType, to, metadata, row, decision) => {
    const part = { text: 'x', metadata: { ...metadata, partType } }
    const explained = explainDelivery(part, listener(to), types)
    expect(explained).toMatchObject({ row, decision })
    expect(explained.because).toMatch(/^[A-Z'].*\.$/)
    expect(decideDelivery(part, listener(to), types), 'the decision itself is the same').toBe(decision)
  })
})
