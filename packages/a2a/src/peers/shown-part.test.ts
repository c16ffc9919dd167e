import { PartTypeRegistry, type Part } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import type { CallResult } from '../../../channel/src/peers/call-result.ts'
import { peerAnswer } from './peer-answer.ts'
import type { CallablePeer } from '../../../channel/src/peers/peers.ts'
import { shownPart } from './shown-part.ts'

const peer = { id: 'travel', card: { name: 'Travel\n<b>Agent</b>' } } as CallablePeer
const origin = { peer: 'travel' }
const named = { peer: 'travel', name: 'Travel bAgent/b' }
const part = (partType: string, content: Partial<Part>, more: object = {}): Part => ({
  ...content,
  metadata: { partType, origin, ...more },
})

describe('what people are shown of a peer', () => {
  test.each(['ack', 'thinking', 'response', 'error'])(
    '%s: its words, as they are, with the peer in metadata',
    (type) => {
      expect(shownPart(part(type, { text: 'Hello. ' }, { actor: 'x' }), peer)).toEqual({
        partType: type,
        text: 'Hello. ',
        metadata: { origin: named },
      })
    },
  )

  test('its progress, with its name', () => {
    const shown = shownPart(part('progress', { data: { label: 'Half\nway', done: 1, total: 2 } }), peer)
    expect(shown).toMatchObject({
      partType: 'progress',
      data: { label: 'Travel bAgent/b: Half way', done: 1, total: 2 },
    })
  })

  test('its data, in a slot that is not ours', () => {
    const data = { flights: 2 }
    expect(shownPart(part('domain-data', { data }, { kind: 'flights', level: 'admin' }), peer)).toEqual({
      partType: 'domain-data',
      data,
      metadata: { origin: named, slotKey: 'peers.travel', kind: 'flights' },
    })
    const slotted = part('domain-data', { data }, { slotKey: 'ours', mergeStrategy: 'append' })
    expect(shownPart(slotted, peer)).toMatchObject({
      metadata: { slotKey: 'peers.travel.ours', mergeStrategy: 'append' },
    })
  })

  test('its files, by what leads to them, under its name and with ids that are none of ours', () => {
    const data = { artifactId: 'art_1', mimeType: 'application/pdf', sizeBytes: 3, name: 'trip\n.pdf', bytes: 'AAAA' }
    const url = 'https://travel.example/a1'
    expect(shownPart(part('artifact', { data: { ...data, url } }, { slotKey: 'x' }), peer)).toEqual({
      partType: 'artifact',
      data: {
        artifactId: expect.stringMatching(/^peers\.travel\.(?!.*art_1)/) as string,
        mimeType: 'application/pdf',
        sizeBytes: 3,
        name: 'Travel bAgent/b: trip .pdf',
        url,
      },
      metadata: { origin: named },
    })
    // A path would lead to this server.
    for (const other of ['/artifacts/art_1', 'javascript:alert(1)', `https://x.example/${'x'.repeat(3_000)}`, 5]) {
      const shown = shownPart(part('artifact', { data: { ...data, url: other } }), peer)
      expect(shown?.data).toMatchObject({ sizeBytes: 3 })
      expect(shown?.data).not.toHaveProperty('url')
    }
  })

  test.each([
    ['/flights/0', '/peers.travel/flights/0'],
    ['/found/0', '/peers.travel.found/0'],
    ['', '/peers.travel'],
  ])('its sources, for its data as it lies here: %s', (path, here) => {
    const data = { path, title: 'Fares', url: 'https://fares.example', quote: 'from\n<94>', artifactId: 'art_1' }
    const shown = shownPart(part('citation', { data }), peer, new Set(['found']))
    const file = shownPart(part('artifact', { data: { artifactId: 'art_1', mimeType: 'a/b', sizeBytes: 1 } }), peer)
    expect(shown).toEqual({
      partType: 'citation',
      data: {
        path: here,
        title: 'Travel bAgent/b: Fares',
        url: 'https://fares.example',
        quote: 'from 94',
        artifactId: (file as { data: { artifactId: string } }).data.artifactId,
      },
      metadata: { origin: named },
    })
  })

  test('what has a type of an application, as it is, whether it is known here or not', () => {
    const partTypes = PartTypeRegistry.canonical()
    partTypes.register({ partType: 'ta.itinerary', deliveryRules: { streaming: 'flush', buffered: 'drop' } })
    for (const partType of ['ta.itinerary', 'ta.unknown', 'audio']) {
      const shown = shownPart(
        part(partType, { data: { day: 1 } }, { slotKey: 'ours', x: 1 }),
        peer,
        new Set(),
        partTypes,
      )
      const metadata = { origin: named, slotKey: 'peers.travel.ours' }
      expect(shown).toEqual({ partType, data: { day: 1 }, metadata })
    }
  })

  test('what only tools may say here, as data of that kind', () => {
    const partTypes = PartTypeRegistry.canonical()
    const deliveryRules = { streaming: 'once', buffered: 'drop' } as const
    partTypes.register({ partType: 'ta.render', deliveryRules, saidBy: 'tools' })
    const shown = shownPart(part('ta.render', { data: { day: 1 } }), peer, new Set(), partTypes)
    const metadata = { origin: named, slotKey: 'peers.travel.ta.render', kind: 'ta.render' }
    expect(shown).toEqual({ partType: 'domain-data', data: { day: 1 }, metadata })
  })

  test('what it proposes for the state, with its name: whether it may is for the router to say', () => {
    const shown = shownPart(
      part('setState', { data: { 'a.b': 'c' } }, { origin: { peer: 'travel' }, level: 'x' }),
      peer,
    )
    expect(shown).toEqual({ partType: 'setState', data: { 'a.b': 'c' }, metadata: { origin: named } })
  })

  test('its surfaces, in a slot that is not ours', () => {
    const data = [{ version: 'v0.9', deleteSurface: { surfaceId: 'old' } }]
    const given = part('a2ui-surface', { data }, { slotKey: 'found', mimeType: 'application/json+a2ui' })
    const metadata = { origin: named, slotKey: 'peers.travel.found' }
    expect(shownPart(given, peer)).toEqual({ partType: 'a2ui-surface', data, metadata })
  })

  test('a surface that it gives in words, as its words', () => {
    const given = part('a2ui-surface', { text: 'Two berths' }, { slotKey: 'found' })
    expect(shownPart(given, peer)).toEqual({ partType: 'response', text: 'Two berths', metadata: { origin: named } })
  })

  test.each([
    ['setState', { text: 'no patch' }],
    ['approval-request', { data: { approvalId: 'x' } }],
    ['approval-response', { data: { approvalId: 'x', decision: 'granted' } }],
    ['a2ui-surface', { text: ' ' }],
    ['a2ui-surface', { data: { large: 'x'.repeat(70_000) } }],
    ['llm-context', { text: 'for models' }],
    ['ta.unknown', { data: { large: 'x'.repeat(70_000) } }],
    ['ta.unknown', { text: 'x'.repeat(70_000) }],
    ['artifact', { data: { artifactId: 'a' } }],
    ['citation', { data: { path: '/a', url: '/logout' } }],
    ['citation', { data: { path: 'no pointer', title: 'x' } }],
    ['message', { text: 'words' }],
    ['response', { text: '  ' }],
    ['progress', { data: { done: 1 } }],
    ['domain-data', { data: { large: 'x'.repeat(70_000) } }],
  ])('nothing of %s %#', (type, content) => {
    expect(shownPart(part(type, content), peer)).toBeUndefined()
  })
})

describe('what a model is told of an answer', () => {
  const result = (state: CallResult['state'], ...parts: Part[]): CallResult => ({
    peer: 'travel',
    state,
    parts,
    approvals: [],
  })

  test('words, context and data, without what acts', () => {
    const answer = peerAnswer(
      result(
        'complete',
        part('response', { text: 'Two.' }),
        part('llm-context', { text: 'Dense.' }),
        part('domain-data', { data: { n: 2 } }),
        part('ta.unknown', { data: { odd: true } }),
        part('setState', { data: { 'a.b': 'c' } }),
        part('artifact', { data: { artifactId: 'a', bytes: 'AAAA' } }),
      ),
      'id',
    )
    expect(answer).toEqual({
      from: 'travel',
      state: 'complete',
      answer: 'Two.',
      context: 'Dense.',
      data: [{ n: 2 }, { odd: true }],
      files: [{ artifactId: 'a' }],
      conversationId: 'id',
    })
  })

  test('a question as a question', () => {
    const asked = result('clarifying', part('response', { text: 'Nearly.' }), part('clarify', { text: 'Where?' }))
    expect(peerAnswer(asked, 'id')).toMatchObject({ question: 'Where?', answer: 'Nearly.' })
    expect(peerAnswer(result('clarifying'), 'id')).toMatchObject({ question: '(It does not say what.)' })
  })

  test('that an answer is not the whole of it', () => {
    expect(peerAnswer(result('unfinished', part('response', { text: 'So far.' })), 'id')).toMatchObject({
      state: 'unfinished',
      answer: 'So far.',
      note: expect.stringContaining('not its whole answer') as string,
    })
  })

  test('not more than a model can read', () => {
    const long = result(
      'complete',
      part('response', { text: 'x'.repeat(50_000) }),
      part('domain-data', { data: ['y'.repeat(50_000)] }),
    )
    expect(JSON.stringify(peerAnswer(long, undefined)).length).toBeLessThan(60_000)
  })
})
