import { isBeachError, PartTypeRegistry, type AuthoredPart } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { parsePart } from './parse-part.ts'

const registry = PartTypeRegistry.canonical()
registry.register({
  partType: 'ta.even',
  deliveryRules: { streaming: 'flush', buffered: 'drop' },
  validate: (part) => (Number(part.data) % 2 === 0 ? [] : ['The number is odd.', 'Try another one.']),
})

const request = {
  approvalId: 'ap1',
  toolName: 'book',
  toolCallId: 'call1',
  args: { flight: 'BA 2043' },
  handler: 'sally',
  turn: 'turn_1',
  session: 'sess_1',
}

const right: readonly AuthoredPart[] = [
  { partType: 'response', text: '' },
  { partType: 'domain-data', data: {} },
  { partType: 'domain-data', data: [1, 2], metadata: { slotKey: 'numbers', mergeStrategy: 'append' } },
  { partType: 'llm-context', text: 'Two flights.' },
  { partType: 'a2ui-surface', data: [{ version: 'v0.9', deleteSurface: { surfaceId: 's' } }] },
  { partType: 'artifact', data: { artifactId: 'a', mimeType: 'image/png', sizeBytes: 0, url: '/artifacts/a' } },
  { partType: 'reasoning-trace', data: { any: 'thing' } },
  { partType: 'citation', data: { path: '/flights/0', url: 'https://example.com/' } },
  { partType: 'approval-request', data: request },
  { partType: 'approval-request', data: { ...request, expiresAt: '2026-04-20T09:50:00Z' } },
  {
    partType: 'approval-response',
    data: { approvalId: 'ap1', decision: 'denied', decidedAt: '2026-04-20T09:50:00+02:00' },
  },
  { partType: 'progress', data: { label: 'Research', done: 3, total: 10, unit: 'sections' } },
  { partType: 'setState', data: { 'booking.phase': 'selected' } },
  { partType: 'ta.even', data: 2 },
  { text: 'Hello.', metadata: { partType: 'ack', anything: ['goes'] } },
]

test.each(right)('$partType is accepted: %j', (authored) => {
  const { partType } = authored.metadata ?? {}
  expect(parsePart(authored, registry).metadata.partType).toBe('partType' in authored ? authored.partType : partType)
})

test.each([
  [7, ['part: Invalid input: expected object, received number']],
  [{ text: 'Hello.' }, ['A part needs a partType, on the part itself or in its metadata.']],
  [{ partType: 'response', text: 7 }, ['part.text: Invalid input: expected string, received number']],
  [{ partType: 'response', data: {} }, ["A part of type 'response' needs a text."]],
  [{ partType: 'ta.even' }, ['A part needs a text or data.']],
  [{ partType: 'ta.even', data: 3 }, ['The number is odd.', 'Try another one.']],
  [{ partType: 'domain-data', text: 'x' }, ["A part of type 'domain-data' needs data."]],
  [{ partType: 'domain-data', data: [1] }, [expect.stringContaining('without a slotKey must be an object')]],
  [
    { partType: 'domain-data', data: {}, metadata: { mergeStrategy: 'mix' } },
    [expect.stringContaining('mergeStrategy')],
  ],
  [{ partType: 'llm-context', data: {} }, ["A part of type 'llm-context' needs a text."]],
  [{ partType: 'a2ui-surface', text: '<b>' }, ["A part of type 'a2ui-surface' needs A2UI messages as its data."]],
  [{ partType: 'artifact', data: { artifactId: 'a' } }, [expect.stringContaining('missing: mimeType, sizeBytes')]],
  [
    { partType: 'artifact', data: { artifactId: 'a', mimeType: 'b/c', sizeBytes: 1, url: 'javascript:alert(1)' } },
    [expect.stringContaining('data.url: is neither an http(s) URL')],
  ],
  [
    { partType: 'citation', data: { path: '/a', url: '//elsewhere.example/' } },
    [expect.stringContaining('data.url: is neither')],
  ],
  [{ partType: 'citation', data: { path: '/a' } }, ['data: names no source: give a title, url or artifactId']],
  [
    { partType: 'citation', data: { path: 'a', title: 't' } },
    [expect.stringContaining('data.path: is not a JSON Pointer')],
  ],
  [{ partType: 'approval-request', data: { ...request, args: 'x' } }, [expect.stringContaining('data.args')]],
  [
    { partType: 'approval-request', data: { ...request, expiresAt: 'soon' } },
    [expect.stringContaining('data.expiresAt')],
  ],
  [
    { partType: 'approval-response', data: { approvalId: 'a', decision: 'maybe', decidedAt: '2026-04-20T09:50:00Z' } },
    [expect.stringContaining('data.decision')],
  ],
  [{ partType: 'progress', data: { done: -1 } }, [/label/, /done/].map((part) => expect.stringMatching(part))],
  [{ partType: 'setState', data: { phase: 'selected' } }, [expect.stringContaining('<component>.<coordinate>')]],
  [{ partType: 'setState', data: { 'booking.phase': 1 } }, [expect.stringContaining('data.booking.phase')]],
])('%j is refused with the problems by name', (authored, problems) => {
  let error: unknown
  try {
    parsePart(authored, registry)
  } catch (thrown) {
    error = thrown
  }
  expect(isBeachError(error, 'INVALID_PART')).toBe(true)
  const { message, details } = error as { message: string; details: { problems?: string[] } }
  expect(details.problems ?? [message]).toEqual(problems)
})

test('a type that is not registered is refused with the list of those that are', () => {
  expect(() => parsePart({ partType: 'ta.odd', text: 'x' }, registry)).toThrow(
    /The part type 'ta.odd' is not registered. Registered are: ack, .*, setState, ta.even\./,
  )
})

test('canonical parts have a text form for listeners that show nothing else', () => {
  const textOf = (partType: string, data: unknown) => registry.get(partType)?.toText?.({ data, metadata: { partType } })
  expect(textOf('progress', { label: 'Research' })).toBe('Research')
  expect(textOf('progress', { label: 'Research', done: 3 })).toBe('Research: 3')
  expect(textOf('progress', { label: 'Research', done: 3, total: 10, unit: 'sections' })).toBe(
    'Research: 3 of 10 sections',
  )
  expect(textOf('citation', { path: '', title: 'Timetable', url: 'https://a.example/' })).toBe(
    'Timetable: https://a.example/',
  )
  expect(textOf('artifact', { artifactId: 'a', mimeType: 'b/c', sizeBytes: 1 })).toBe('a')
  expect(textOf('approval-request', request)).toBe(
    'Approval needed: Book\nFlight: BA 2043\nReply "yes" or "no".\n[approval:ap1]',
  )
  expect(textOf('approval-request', 'not a request')).toBeUndefined()
})
