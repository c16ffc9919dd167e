import { describe, expect, test } from 'vitest'
import type { A2uiAction } from './a2ui-action.ts'
import { componentIds, declaredActions, matchAction } from './surface-actions.ts'
import { surfaceProblems } from './surfaces.ts'

const version = 'v0.9'
const update = (...components: unknown[]) => ({ version, updateComponents: { surfaceId: 's', components } })
const event = (name: string, context?: object) => ({ event: { name, ...(context && { context }) } })

describe('declared actions', () => {
  test('have what is fixed, what is bound to data, and what the button says', () => {
    const context = { id: 7, tags: ['a'], seat: { path: '/seat' }, total: { call: 'formatNumber', args: {} } }
    const message = update(
      { id: 'book', component: 'Button', child: 'label', action: event('book', context) },
      { id: 'label', component: 'Text', text: 'Book' },
      { id: 'more', component: 'Button', child: 'bound', action: event('more') },
      { id: 'bound', component: 'Text', text: { path: '/label' } },
      {
        id: 'named',
        component: 'Button',
        child: 'label',
        accessibility: { label: 'Book BA 2043' },
        action: event('named'),
      },
      { id: 'local', component: 'Button', child: 'label', action: { functionCall: { call: 'openUrl' } } },
    )
    expect(declaredActions(message)).toEqual([
      { componentId: 'book', name: 'book', fixed: { id: 7, tags: ['a'] }, bound: ['seat', 'total'], label: 'Book' },
      { componentId: 'more', name: 'more', fixed: {}, bound: [] },
      { componentId: 'named', name: 'named', fixed: {}, bound: [], label: 'Book BA 2043' },
    ])
    expect(componentIds(message)).toEqual(['book', 'label', 'more', 'bound', 'named', 'local'])
  })

  test('are found wherever a catalog puts them, and not without end', () => {
    let deep: unknown = event('deep')
    for (let level = 0; level < 100; level++) deep = [deep]
    const message = update({ id: 'menu', component: 'Menu', items: [{ onTap: event('one') }, event('two')], deep })
    expect(declaredActions(message).map(({ name }) => name)).toEqual(['one', 'two'])
  })

  test.each([
    [{ version, createSurface: {} }],
    [{ version, updateComponents: 'none' }],
    [update(null, 7, { id: 8, action: event('x') }, { id: 'a', action: { event: { name: 9 } } })],
  ])('are none in %j', (message) => {
    expect(declaredActions(message)).toEqual([])
  })
})

describe('an action is matched', () => {
  const actions = declaredActions(
    update({ id: 'book', action: event('book', { id: 7, __proto__x: 'p', seat: { path: '/seat' } }) }),
  )
  const sent = (context: Record<string, unknown>, changes: Partial<A2uiAction> = {}): A2uiAction => ({
    name: 'book',
    surfaceId: 's',
    sourceComponentId: 'book',
    timestamp: '2026-11-15T09:00:00Z',
    context,
    ...changes,
  })
  const fixed = { id: 7, __proto__x: 'p' }

  test.each([
    ['with a bound value of any kind', sent({ ...fixed, seat: { any: ['thing'] } }), 'action'],
    ['without a bound value', sent(fixed), 'action'],
    ['not with a value of another type', sent({ ...fixed, id: '7' }), 'problem'],
    ['not without a fixed value', sent({ id: 7 }), 'problem'],
    ['not with an inherited value', sent({ id: 7, constructor: 'p' }), 'problem'],
    ['not with another key', sent({ ...fixed, admin: true }), 'problem'],
    ['not from another component', sent(fixed, { sourceComponentId: 'root' }), 'problem'],
    ['not by another name', sent(fixed, { name: 'pay' }), 'problem'],
  ])('%s', (_, given, outcome) => {
    expect(Object.keys(matchAction(given, actions))).toEqual([outcome])
  })
})

describe('what no surface may do', () => {
  const surface = (data: unknown) => surfaceProblems({ data, metadata: { partType: 'a2ui-surface' } })

  test.each([
    ['claim the id of an approval’s', { version, createSurface: { surfaceId: 'approval-1' } }],
    ['change one', [{ version, updateDataModel: { surfaceId: 'approval-1', value: {} } }]],
    ['decide', { messages: [update({ id: 'a', action: event('approval.decide', { approvalId: 'x' }) })] }],
  ])('%s', (_, data) => {
    expect(surface(data)).toHaveLength(1)
    expect(surface(data)[0]).toMatch(/reserved/)
  })

  test('nothing is wrong with others, nor with what cannot be read', () => {
    expect(
      surface([{ version, createSurface: { surfaceId: 'approvals' } }, update({ id: 'a', action: event('ok') })]),
    ).toEqual([])
    expect(surface('nonsense')).toEqual([])
    expect(surfaceProblems({ data: { surfaceId: 'approval-1' }, metadata: { partType: 'domain-data' } })).toEqual([])
  })
})
