import type { Part } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { a2uiMessages, basicCatalogId, surfaceIds } from './a2ui-messages.ts'
import { approvalSurface } from './approval-surface.ts'
import { askedApproval, type ApprovalAbout } from './approval-words.ts'
import type { ApprovalRequest } from './approval.ts'
import { SurfaceTemplateRegistry } from './surface-templates.ts'

const create = { version: 'v0.9', createSurface: { surfaceId: 's', catalogId: 'c' } }
const update = { version: 'v0.9', updateComponents: { surfaceId: 's', components: [] } }
const model = { version: 'v0.9', updateDataModel: { surfaceId: 's', path: '/', value: {} } }

const data = (kind: string | undefined, value: unknown = {}): Part => ({
  data: value,
  metadata: { partType: 'domain-data', ...(kind === undefined ? {} : { kind }) },
})

const request: ApprovalRequest = {
  approvalId: 'ap1',
  toolName: 'book_flight',
  toolCallId: 'call1',
  args: { flight: 'BA 2043', seats: 2 },
  handler: 'sally',
  turn: 'turn_1',
  session: 'sess_1',
}
const requestPart: Part = { data: request, metadata: { partType: 'approval-request' } }

describe('A2UI messages', () => {
  test.each([
    ['one message', create, [create]],
    ['a list', [create, update], [create, update]],
    ['an object of messages', { messages: [create, update] }, [create, update]],
    ['a combined object', { ...update, ...create, ...model }, [create, model, update]],
    ['a combined object in a list', [{ ...create, ...update }], [create, update]],
    ['no version', { createSurface: create.createSurface }, [create]],
    ['another version', { ...create, version: 'v0.9.1' }, [{ ...create, version: 'v0.9.1' }]],
  ])('are read from %s as a list of single ones', (_form, given, messages) => {
    expect(a2uiMessages(given)).toEqual(messages)
  })

  test.each([[undefined], ['text'], [{}], [{ version: 'v0.9' }], [[7]]])('are not found in %j', (given) => {
    expect(() => a2uiMessages(given)).toThrow('The data of an A2UI surface')
  })

  test('name their surfaces once', () => {
    expect(
      surfaceIds([create as never, update as never, { version: 'v0.9', deleteSurface: { surfaceId: 't' } }]),
    ).toEqual(['s', 't'])
  })
})

describe('surface templates', () => {
  test('are found by the kind of the data and give a list of messages', () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('flight-results', (flights: { count: number }) => ({
      ...create,
      ...model,
      count: flights.count,
    }))
    expect(templates.surfaceFor(data('flight-results', { count: 2 }))).toEqual({
      data: [create, model],
      metadata: { partType: 'a2ui-surface' },
    })
    expect(templates.surfaceFor(data('hotel-results'))).toBeUndefined()
    expect(templates.surfaceFor(data(undefined))).toBeUndefined()
  })

  test('are found by a predicate when no kind matches', () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register(
      (part) => Object.hasOwn(part.data as object, 'flights'),
      () => update,
    )
    templates.register('flight-results', () => create)
    expect(templates.surfaceFor(data('other', { flights: [] }))?.data).toEqual([update])
    expect(templates.surfaceFor(data('flight-results', { flights: [] }))?.data).toEqual([create])
  })

  test('may decline', () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('flight-results', () => undefined)
    expect(templates.surfaceFor(data('flight-results'))).toBeUndefined()
  })

  test('for the same kind are refused unless they are the same', () => {
    const templates = new SurfaceTemplateRegistry()
    const template = () => create
    templates.register('flight-results', template)
    templates.register('flight-results', template)
    expect(() => templates.register('flight-results', () => update)).toThrow("'flight-results' already has another")
  })

  test('of a slot carry its key', () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('x', () => create)
    const part: Part = { data: {}, metadata: { partType: 'domain-data', kind: 'x', slotKey: 'ta.rome' } }
    expect(templates.surfaceFor(part)?.metadata).toEqual({ partType: 'a2ui-surface', slotKey: 'ta.rome' })
  })
})

describe('the built-in approval surface', () => {
  const surfaceOf = (asks: ApprovalRequest, about?: ApprovalAbout) => {
    const asked = askedApproval({ data: asks, metadata: { partType: 'approval-request', ...(about && { about }) } })
    return asked === undefined ? [] : approvalSurface(asked)
  }
  const componentsOf = (asks: ApprovalRequest, about?: ApprovalAbout) => {
    const bodies = surfaceOf(asks, about).flatMap(({ updateComponents }) => updateComponents ?? [])
    return bodies.flatMap((body) => (body as { components: Record<string, unknown>[] }).components)
  }
  const textsOf = (asks: ApprovalRequest, about?: ApprovalAbout) =>
    componentsOf(asks, about).flatMap(({ text }) => (text === undefined ? [] : [text]))

  test('is one surface, created before it is filled', () => {
    const messages = surfaceOf(request)
    expect(messages.map((message) => Object.keys(message)[1])).toEqual([
      'createSurface',
      'updateDataModel',
      'updateComponents',
    ])
    expect(surfaceIds(messages)).toEqual(['approval-ap1'])
    expect(messages[0]?.createSurface).toMatchObject({
      catalogId: 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json',
    })
  })

  test('is made of Card, Column, Text and Button, without dangling or repeated ids', () => {
    const components = componentsOf({ ...request, expiresAt: '2026-04-20T09:50:00Z' })
    expect(new Set(components.map(({ component }) => component))).toEqual(new Set(['Card', 'Column', 'Text', 'Button']))
    const ids = components.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids[0]).toBe('root')
    const references = components.flatMap(({ child, children }) => [
      ...(child === undefined ? [] : [child]),
      ...(Array.isArray(children) ? (children as unknown[]) : []),
      ...(typeof children === 'object' && children !== null && 'componentId' in children ? [children.componentId] : []),
    ])
    expect(new Set(references)).toEqual(new Set(ids.slice(1)))
  })

  test('binds both buttons to the approval id', () => {
    const actions = componentsOf(request).flatMap(({ action }) => (action === undefined ? [] : [action]))
    expect(actions).toEqual([
      { event: { name: 'approval.decide', context: { approvalId: 'ap1', decision: 'granted' } } },
      { event: { name: 'approval.decide', context: { approvalId: 'ap1', decision: 'denied' } } },
    ])
  })

  test('shows what would be done, who asks, and with which arguments', () => {
    const buttons = ['Approve', 'Deny']
    expect(textsOf(request)).toEqual(['Book flight?', 'Requested by sally', 'Flight: BA 2043', 'Seats: 2', ...buttons])
    const about = {
      title: 'Book BA 2043 to Corfu',
      summary: 'The cheapest one.',
      details: { Departs: 'Sat 15 Aug, 06:15' },
      labels: { seats: 'Passengers' },
    }
    expect(textsOf({ ...request, expiresAt: '2026-04-20T09:50:00Z' }, about)).toEqual([
      'Book BA 2043 to Corfu?',
      'Requested by sally',
      'The cheapest one.',
      'Departs: Sat 15 Aug, 06:15',
      'Flight: BA 2043',
      'Passengers: 2',
      'Without an answer it is denied on 20 Apr 2026, 09:50 UTC.',
      ...buttons,
    ])
  })

  test('has the author’s own surface inside, whose ids cannot be those of the buttons', () => {
    const surface = [
      { createSurface: { surfaceId: 'x', catalogId: basicCatalogId } },
      { updateDataModel: { surfaceId: 'x', path: '/', value: { price: '£188' } } },
      {
        updateComponents: {
          surfaceId: 'x',
          components: [
            { id: 'approve', component: 'Text', text: { path: '/price' } },
            { id: 'root', component: 'Column', children: ['approve'] },
          ],
        },
      },
    ]
    const components = componentsOf(request, { title: 'Book', surface })
    expect(components.slice(0, 2)).toEqual([
      { id: 'root', component: 'Card', child: 'content' },
      {
        id: 'content',
        component: 'Column',
        children: ['title', 'about-root', 'requested-by', 'line-0', 'line-1', 'approve', 'deny'],
      },
    ])
    expect(components).toContainEqual({ id: 'about-root', component: 'Column', children: ['about-approve'] })
    expect(components).toContainEqual({ id: 'about-approve', component: 'Text', text: { path: '/price' } })
    expect(surfaceOf(request, { title: 'Book', surface })[1]).toMatchObject({
      updateDataModel: { surfaceId: 'approval-ap1', value: { price: '£188' } },
    })
  })

  test('hides nothing of an argument: invisible characters are written out, what is cut off is counted', () => {
    const args = { 'to\u202e': 'a\u202eb\u200bc\nd', long: 'x'.repeat(3_000), ...manyArguments(60) }
    const lines = textsOf({ ...request, args }).slice(2, -2)
    expect(lines[0]).toBe(String.raw`To\u{202e}: a\u{202e}b\u{200b}c\u{a}d`)
    expect(lines[1]).toMatch(/^Long: x{2000}… \(1000 characters more\)$/)
    expect(lines).toHaveLength(51)
    expect(lines[50]).toBe('…: and 12 more')
  })

  test('is used for approval requests until a consumer registers another', () => {
    const templates = new SurfaceTemplateRegistry()
    expect(templates.surfaceFor(requestPart)?.data).toEqual(surfaceOf(request))
    templates.register('approval-request', ({ approvalId }: ApprovalRequest) => ({
      createSurface: { surfaceId: `mine-${approvalId}` },
    }))
    expect(templates.surfaceFor(requestPart)?.data).toEqual([
      { version: 'v0.9', createSurface: { surfaceId: 'mine-ap1' } },
    ])
  })

  test('is not made of something that is no request', () => {
    const part: Part = { data: { approvalId: 7 }, metadata: { partType: 'approval-request' } }
    expect(new SurfaceTemplateRegistry().surfaceFor(part)).toBeUndefined()
  })
})

function manyArguments(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`argument${index}`, index]))
}
