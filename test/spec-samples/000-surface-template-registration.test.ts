import { a2uiBuilder, surfaceToText, validateA2ui } from '@cool-ai/beach-a2ui'
import {
  approvalAction,
  buildEnvelope,
  registerSurfaceTemplate,
  surfaceTemplates,
  type ApprovalRequest,
} from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 000, "Surface template registration" and "Built-in approval surface template".

const build = (kind: string, data: unknown, conversationState = 'complete') =>
  buildEnvelope({
    sessionId: 'sess_abc123',
    eventId: 'evt_1',
    conversationState,
    parts: [{ partType: 'domain-data', data, metadata: { kind } }],
  }).parts

interface Hotels {
  readonly hotels: readonly { readonly name: string; readonly price: number }[]
}

const { each } = a2uiBuilder.pathsOf<Hotels>()

registerSurfaceTemplate('flight-results', (data: { flights: string[] }) =>
  a2uiBuilder.list(...data.flights.map((flight) => a2uiBuilder.text(flight))),
)
registerSurfaceTemplate('hotel-results', () =>
  a2uiBuilder.list(each('/hotels', ({ path }) => a2uiBuilder.row(a2uiBuilder.text(path('name'))))),
)

test('the builder looks up the template of the data kind', () => {
  const [, flights] = build('flight-results', { flights: ['BA 2043', 'OS 87'] })
  expect(flights?.metadata).toEqual({ partType: 'a2ui-surface' })
  expect(flights?.data).toMatchObject([
    { version: 'v0.9', createSurface: { surfaceId: 'flight-results' } },
    { version: 'v0.9', updateComponents: { surfaceId: 'flight-results', components: [{ id: 'root' }, {}, {}] } },
  ])
  expect(surfaceToText(flights?.data)).toBe('- BA 2043\n- OS 87')
})

test('what a template binds by path is the data itself', () => {
  const data = { hotels: [{ name: 'Ritz', price: 300 }] }
  const [, hotels] = build('hotel-results', data)
  expect(hotels?.data).toMatchObject([{}, { updateDataModel: { surfaceId: 'hotel-results', value: data } }, {}])
  expect(surfaceToText(hotels?.data)).toBe('- Ritz')
  expect(validateA2ui(hotels?.data).valid).toBe(true)
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

test('the surface is valid A2UI, and readable where it cannot be shown', () => {
  const surface = surfaceTemplates.surfaceFor({ data: request, metadata: { partType: 'approval-request' } })?.data
  expect(validateA2ui(surface).problems).toEqual([])
  expect(surfaceToText(surface)).toBe('Book package?\nRequested by sally\nPackage id: p1\n[Approve] [Deny]')
})

test('consumers override it by registering their own approval-request template', () => {
  registerSurfaceTemplate('approval-request', ({ toolName }: ApprovalRequest) =>
    a2uiBuilder.text(`Shall I ${toolName}?`),
  )
  const [, surface] = suspend()
  expect(surface?.data).toMatchObject([{ createSurface: { surfaceId: 'approval-abc123' } }, {}])
  expect(surfaceToText(surface?.data)).toBe('Shall I book_package?')
})
