import { SimulatedClock, silentLogger, TurnStateRegistry, type AuthoredPart, type Logger } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { buildEnvelope, type EnvelopeInput } from './build-envelope.ts'
import { resolveCitations } from './citations.ts'
import { collectDomainData } from './domain-data.ts'
import { envelopeSchema } from './envelope-schema.ts'
import { SurfaceTemplateRegistry } from './surface-templates.ts'

const base = { sessionId: 'sess_1', turnId: 'turn_1' }
const response: AuthoredPart = { partType: 'response', text: 'Two flights.' }
const flights: AuthoredPart = {
  partType: 'domain-data',
  data: { flights: [{ price: 94 }] },
  metadata: { kind: 'flight-results' },
}
const surface = (surfaceId: string) => ({ version: 'v0.9', createSurface: { surfaceId, catalogId: 'c' } })
const request = {
  approvalId: 'ap1',
  toolName: 'book',
  toolCallId: 'call1',
  args: {},
  handler: 'sally',
  turn: 'turn_1',
  session: 'sess_1',
}

function typesOf(input: Partial<EnvelopeInput>, templates = new SurfaceTemplateRegistry()): string[] {
  const envelope = buildEnvelope({ ...base, parts: [], ...input }, { templates, logger: silentLogger })
  envelopeSchema.parse(envelope)
  return envelope.parts.map((part) => part.metadata.partType)
}

function flightTemplates(): SurfaceTemplateRegistry {
  const templates = new SurfaceTemplateRegistry()
  templates.register('flight-results', () => surface('flights'))
  return templates
}

describe('the meta block', () => {
  test('carries all correlation, the state and the end of the turn', () => {
    const clock = new SimulatedClock(Date.parse('2026-04-20T09:50:00Z'))
    const input = { ...base, eventId: 'evt_1', originatorId: 'orig_1', parts: [response] }
    expect(buildEnvelope({ ...input, turnState: 'complete' }, { clock }).meta).toEqual({
      sessionId: 'sess_1',
      turnId: 'turn_1',
      eventId: 'evt_1',
      originatorId: 'orig_1',
      producedAt: '2026-04-20T09:50:00.000Z',
      turnState: 'complete',
      finalizedBy: 'complete',
    })
  })

  test('takes the event as the turn where only that is known', () => {
    const { meta } = buildEnvelope({ sessionId: 'sess_1', eventId: 'evt_1', parts: [response] })
    expect(meta).toMatchObject({ turnId: 'evt_1', eventId: 'evt_1', turnState: 'complete' })
    expect(() => buildEnvelope({ sessionId: 'sess_1', parts: [response] })).toThrow('needs a turnId or an eventId')
  })

  test('has no end while the turn goes on, and the end it is told otherwise', () => {
    const metaOf = (input: Partial<EnvelopeInput>) => buildEnvelope({ ...base, parts: [], ...input }).meta
    expect(metaOf({ turnState: 'suspended' })).not.toHaveProperty('finalizedBy')
    expect(metaOf({ turnState: 'error' }).finalizedBy).toBe('error')
    expect(metaOf({ finalizedBy: 'cancelled' })).toMatchObject({ turnState: 'complete', finalizedBy: 'cancelled' })
  })

  test('refuses states that contradict each other or that are not registered', () => {
    const build = (input: Partial<EnvelopeInput>) => () => buildEnvelope({ ...base, parts: [], ...input })
    expect(build({ turnState: 'complete', conversationState: 'error' })).toThrow('the same by another name')
    expect(build({ turnState: 'done' })).toThrow("The turn state 'done' is not registered. Registered are: awaiting,")
    expect(build({ turnState: 'error', conversationState: 'error' })().meta.turnState).toBe('error')
  })

  test("knows a consumer's states", () => {
    const turnStates = TurnStateRegistry.canonical()
    turnStates.register({ id: 'ta.sold', isTerminal: true, emitsEnvelope: true, holdsActor: false })
    const envelope = buildEnvelope(
      { ...base, turnState: 'ta.sold', mailbox: [flights], parts: [response] },
      { turnStates, templates: flightTemplates() },
    )
    expect(envelope.parts).toHaveLength(3)
    expect(envelope.meta.finalizedBy).toBe('ta.sold')
  })
})

describe('an assembled envelope', () => {
  test('holds the data of the mailbox and of now as one part, where the first of it stood', () => {
    const mailbox: AuthoredPart[] = [flights, { partType: 'ack', text: 'Searching.' }]
    const parts: AuthoredPart[] = [response, { partType: 'domain-data', data: { hotels: [] } }]
    const envelope = buildEnvelope({ ...base, mailbox, parts })
    expect(envelope.parts).toEqual([
      { data: { flights: [{ price: 94 }], hotels: [] }, metadata: { partType: 'domain-data' } },
      { text: 'Two flights.', metadata: { partType: 'response' } },
    ])
  })

  test('holds no acknowledgements and thoughts, and no approvals that were answered', () => {
    const mailbox: AuthoredPart[] = [
      { partType: 'ack', text: 'Searching.' },
      { partType: 'thinking', text: 'Hm.' },
      { partType: 'approval-request', data: request },
      { partType: 'approval-response', data: { approvalId: 'ap1', decision: 'granted', decidedAt: '' } },
      { partType: 'approval-request', data: { ...request, approvalId: 'ap2' } },
      { partType: 'progress', data: { label: 'Booking' } },
    ]
    const envelope = buildEnvelope({ ...base, mailbox, parts: [response] })
    expect(envelope.parts.map((part) => part.metadata.partType)).toEqual([
      'approval-request',
      'a2ui-surface',
      'progress',
      'response',
    ])
    expect(JSON.stringify(envelope)).not.toContain('ap1')
  })

  test('has an llm-context when one is given and the actor wrote none', () => {
    const written: AuthoredPart = { partType: 'llm-context', text: 'By the actor.' }
    const llmContext = 'By the translator.'
    const texts = (parts: readonly AuthoredPart[]) =>
      buildEnvelope({ ...base, parts, llmContext })
        .parts.filter((part) => part.metadata.partType === 'llm-context')
        .map((part) => part.text)
    expect(texts([response])).toEqual(['By the translator.'])
    expect(texts([response, written])).toEqual(['By the actor.'])
  })

  test('shows data by the template of its kind, after everything else', () => {
    const types = typesOf({ parts: [flights, response], llmContext: 'Two flights.' }, flightTemplates())
    expect(types).toEqual(['domain-data', 'response', 'llm-context', 'a2ui-surface'])
  })

  test('does not show by a template what the peer that the data is of shows itself', () => {
    const metadata = { origin: { peer: 'sally' }, slotKey: 'peers.sally.found' }
    const data = { ...flights, metadata: { ...metadata, kind: 'flight-results' } } as AuthoredPart
    const shown = { partType: 'a2ui-surface', data: surface('peer:x:found'), metadata }
    expect(typesOf({ parts: [data] }, flightTemplates())).toEqual(['domain-data', 'a2ui-surface'])
    expect(typesOf({ mailbox: [data, shown], parts: [response] }, flightTemplates())).toEqual([
      'domain-data',
      'a2ui-surface',
      'response',
    ])
  })

  test('gives a template all data of its kind, and a slot its own', () => {
    const templates = new SurfaceTemplateRegistry()
    const seen: unknown[] = []
    const remember = (data: unknown, { kind, slotKey }: { kind?: string; slotKey?: string }) =>
      void seen.push({ data, kind, slotKey })
    templates.register('trip', remember)
    templates.register('hotel', remember)
    const part = (data: unknown, metadata: object): AuthoredPart => ({
      partType: 'domain-data',
      data,
      metadata: { ...metadata },
    })
    const parts = [
      part({ a: 1 }, { kind: 'trip' }),
      part({ h: 1 }, { kind: 'hotel' }),
      part({ b: 1 }, { kind: 'trip' }),
      part({ s: 1 }, { kind: 'trip', slotKey: 'rome', mergeStrategy: 'deep-merge' }),
      part({ t: 1 }, { kind: 'trip', slotKey: 'rome', mergeStrategy: 'deep-merge' }),
    ]
    expect(typesOf({ parts }, templates)).toEqual(['domain-data', 'domain-data'])
    expect(seen).toEqual([
      { data: { a: 1, b: 1 }, kind: 'trip', slotKey: undefined },
      { data: { h: 1 }, kind: 'hotel', slotKey: undefined },
      { data: { s: 1, t: 1 }, kind: 'trip', slotKey: 'rome' },
    ])
  })

  test('does not show by template what the actor shows itself', () => {
    const own: AuthoredPart = { partType: 'a2ui-surface', data: surface('flights') }
    expect(typesOf({ parts: [flights, own] }, flightTemplates())).toEqual(['domain-data', 'a2ui-surface'])
    const other: AuthoredPart = { partType: 'a2ui-surface', data: [surface('other')] }
    expect(typesOf({ parts: [flights, other] }, flightTemplates())).toHaveLength(3)
    const unreadable: AuthoredPart = { partType: 'a2ui-surface', data: { what: 'ever' } }
    expect(typesOf({ parts: [flights, unreadable] }, flightTemplates())).toHaveLength(3)
  })

  test('loses a surface, and says so, when its template fails', () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('flight-results', () => {
      throw new Error('No such list.')
    })
    const lines: unknown[] = []
    const logger: Logger = { log: (level, message, fields) => lines.push([level, message, fields?.kind]) }
    const envelope = buildEnvelope({ ...base, parts: [flights] }, { templates, logger })
    expect(envelope.parts).toHaveLength(1)
    expect(lines).toEqual([['error', 'A surface template failed; its surface is left out.', 'flight-results']])
  })
})

describe('slot keys', () => {
  test('are stamped on domain data only, with the strategy', () => {
    const { parts } = buildEnvelope({ ...base, parts: [response, flights], slotKey: 'ta.rome' })
    expect(parts.map((part) => part.metadata)).toEqual([
      { partType: 'response' },
      { partType: 'domain-data', kind: 'flight-results', slotKey: 'ta.rome', mergeStrategy: 'replace' },
    ])
  })

  test('put the data of several parts into the slot together', () => {
    const hotels: AuthoredPart = { partType: 'domain-data', data: { hotels: [] } }
    const { parts } = buildEnvelope({
      ...base,
      parts: [flights, hotels],
      slotKey: 'ta.rome',
      mergeStrategy: 'deep-merge',
    })
    expect(collectDomainData(parts)).toEqual({ 'ta.rome': { flights: [{ price: 94 }], hotels: [] } })
    expect(parts[0]?.metadata).toMatchObject({ slotKey: 'ta.rome', mergeStrategy: 'deep-merge' })
  })

  test('of a part itself stay, and a strategy is only given to parts that have none', () => {
    const slot = (mergeStrategy?: string): AuthoredPart => ({
      partType: 'domain-data',
      data: [1],
      metadata: { slotKey: `own-${mergeStrategy}`, ...(mergeStrategy === undefined ? {} : { mergeStrategy }) },
    })
    const { parts } = buildEnvelope({
      ...base,
      parts: [slot(), slot('replace')],
      slotKey: 'x',
      mergeStrategy: 'append',
    })
    expect(parts.map(({ metadata }) => [metadata.slotKey, metadata.mergeStrategy])).toEqual([
      ['own-undefined', 'append'],
      ['own-replace', 'replace'],
    ])
  })

  test('are stamped on the parts of a turn that goes on too', () => {
    const { parts } = buildEnvelope({ ...base, turnState: 'awaiting', parts: [flights], slotKey: 'ta.rome' })
    expect(parts[0]?.metadata).toMatchObject({ slotKey: 'ta.rome', mergeStrategy: 'replace' })
  })
})

describe('citations', () => {
  const cite = (path: string): AuthoredPart => ({ partType: 'citation', data: { path, title: 'Timetable' } })
  const slot: AuthoredPart = { partType: 'domain-data', data: { sights: ['Forum'] }, metadata: { slotKey: 'ta.rome' } }

  test('point into the one object that the data makes', () => {
    const input = { ...base, mailbox: [flights, slot], parts: [cite('/flights/0/price'), cite('/ta.rome/sights/0')] }
    const targets = resolveCitations(buildEnvelope(input).parts).map(({ target }) => target)
    expect(targets).toEqual([
      { found: true, value: 94 },
      { found: true, value: 'Forum' },
    ])
  })

  test('still point there when the builder puts the data into a slot', () => {
    const input = {
      ...base,
      parts: [cite('/flights/0/price'), flights, slot, cite('/ta.rome/sights/0'), cite('/gone')],
    }
    const resolved = resolveCitations(buildEnvelope({ ...input, slotKey: 'ta/x' }).parts)
    expect(resolved.map(({ citation, target }) => [citation.path, target.found])).toEqual([
      ['/ta~1x/flights/0/price', true],
      ['/ta.rome/sights/0', true],
      ['/gone', false],
    ])
  })
})

describe('partial envelopes', () => {
  test('a conversational turn is its response alone', () => {
    expect(typesOf({ mailbox: [{ partType: 'ack', text: 'Looking.' }], parts: [response] })).toEqual(['response'])
  })

  test('a clarification collects nothing', () => {
    const clarify: AuthoredPart = { partType: 'clarify', text: 'Gatwick or Heathrow?' }
    expect(typesOf({ turnState: 'clarifying', mailbox: [flights], parts: [clarify] }, flightTemplates())).toEqual([
      'clarify',
    ])
  })

  test('data without a template has no surface', () => {
    expect(typesOf({ mailbox: [flights], parts: [response] })).toEqual(['domain-data', 'response'])
  })

  test('a turn for the local page alone has no llm-context', () => {
    expect(typesOf({ parts: [response, flights] }, flightTemplates())).not.toContain('llm-context')
  })

  test('a suspended turn pauses at the approval request, with its surface next to it', () => {
    const parts: AuthoredPart[] = [response, { partType: 'approval-request', data: request }, flights]
    const envelope = buildEnvelope({ ...base, turnState: 'suspended', parts }, { templates: flightTemplates() })
    expect(envelope.parts.map((part) => part.metadata.partType)).toEqual([
      'response',
      'approval-request',
      'a2ui-surface',
      'domain-data',
    ])
    expect(envelope.meta).not.toHaveProperty('finalizedBy')
  })

  test('a progress-only turn holds its progress', () => {
    const mailbox: AuthoredPart[] = [1, 2].map((done) => ({ partType: 'progress', data: { label: 'Research', done } }))
    expect(typesOf({ mailbox })).toEqual(['progress', 'progress'])
    expect(typesOf({ turnState: 'awaiting', parts: mailbox })).toEqual(['progress', 'progress'])
  })
})
