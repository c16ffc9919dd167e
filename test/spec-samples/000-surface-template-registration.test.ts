import { approvalAction, buildEnvelope, registerSurfaceTemplate, type ApprovalRequest } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 000, "Surface template registration" and "Built-in approval surface template". The document's a2uiBuilder
// belongs to a later package; any A2UI messages will do here.

const a2uiBuilder = {
  list: (surfaceId: string, items: readonly unknown[]) => [
    { version: 'v0.9', createSurface: { surfaceId, catalogId: 'https://example.com/catalog.json' } },
    { version: 'v0.9', updateDataModel: { surfaceId, path: '/', value: { items } } },
  ],
}

const build = (kind: string, data: unknown, conversationState = 'complete') =>
  buildEnvelope({
    sessionId: 'sess_abc123',
    eventId: 'evt_1',
    conversationState,
    parts: [{ partType: 'domain-data', data, metadata: { kind } }],
  }).parts

registerSurfaceTemplate('flight-results', (data: { flights: unknown[] }) => a2uiBuilder.list('flights', data.flights))
registerSurfaceTemplate('hotel-results', (data: { hotels: unknown[] }) => a2uiBuilder.list('hotels', data.hotels))

test('the builder looks up the template of the data kind', () => {
  expect(build('flight-results', { flights: ['BA 2043'] })[1]).toEqual({
    data: a2uiBuilder.list('flights', ['BA 2043']),
    metadata: { partType: 'a2ui-surface' },
  })
  expect(build('hotel-results', { hotels: [] })[1]?.data).toEqual(a2uiBuilder.list('hotels', []))
})

test('if no template matches the kind, the surface is omitted', () => {
  expect(build('cruise-results', { cruises: [] })).toHaveLength(1)
})

const request: ApprovalRequest = {
  approvalId: 'abc123',
  toolName: 'book_package',
  toolCallId: 'toolu_01',
  args: { packageId: 'p1' },
  handler: 'sally',
  turn: 'evt_1',
  session: 'sess_abc123',
}

const suspend = () =>
  buildEnvelope({
    sessionId: 'sess_abc123',
    eventId: 'evt_1',
    conversationState: 'suspended',
    parts: [{ partType: 'approval-request', data: request }],
  }).parts

test('an approval request becomes a surface of Card, Column, Text and Button whose buttons submit its id', () => {
  const [, surface] = suspend()
  expect(surface?.metadata).toEqual({ partType: 'a2ui-surface' })
  const text = JSON.stringify(surface?.data)
  const components = new Set([...text.matchAll(/"component":"(\w+)"/g)].map((match) => match[1]))
  expect(components).toEqual(new Set(['Card', 'Column', 'Text', 'Button']))
  for (const decision of ['granted', 'denied']) {
    expect(text).toContain(
      `"event":{"name":"${approvalAction}","context":{"approvalId":"abc123","decision":"${decision}"}}`,
    )
  }
})

test('consumers override it by registering their own approval-request template', () => {
  registerSurfaceTemplate('approval-request', (data: ApprovalRequest) => a2uiBuilder.list(`my-${data.approvalId}`, []))
  expect(suspend()[1]?.data).toEqual(a2uiBuilder.list('my-abc123', []))
})
