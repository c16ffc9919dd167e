import type { Frame } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { Surfaces } from './surfaces.ts'

type PartFrame = Extract<Frame, { kind: 'part' }>

function part(turnId: string, ...messages: readonly object[]): PartFrame {
  const data = messages.map((message) => ({ version: 'v0.9', ...message }))
  return {
    kind: 'part',
    role: 'agent',
    partId: `${turnId}.0.0`,
    turnId,
    part: { data, metadata: { partType: 'a2ui-surface' } },
    at: 1,
  }
}

const create = (surfaceId: string) => ({ createSurface: { surfaceId, catalogId: 'c' } })
const update = (path: string | undefined, value: unknown) => ({
  updateDataModel: { surfaceId: 's', ...(path !== undefined && { path }), value },
})
const components = { updateComponents: { surfaceId: 's', components: [{ id: 'root', component: 'Text', text: 'x' }] } }

/** The operations of a surface's activity, without their versions. */
function operations(surfaces: Surfaces, frame: PartFrame): unknown[] {
  const [event] = surfaces.show(frame) ?? []
  const { a2ui_operations: all } = (event?.content ?? {}) as { a2ui_operations?: { version: string }[] }
  return (all ?? []).map(({ version: _, ...message }) => message)
}

test('an activity has all that leads to what its surface shows', () => {
  const surfaces = new Surfaces()
  expect(operations(surfaces, part('turn_a', create('s'), components))).toEqual([create('s'), components])
  expect(operations(surfaces, part('turn_b', update('/a', 1)))).toEqual([create('s'), components, update('/a', 1)])
})

test('data that is no longer shown is left out', () => {
  const surfaces = new Surfaces()
  operations(surfaces, part('turn_a', create('s'), components, update('/a', 1), update('/a/b', 2), update('/ab', 3)))
  expect(operations(surfaces, part('turn_a', update('/a', 4)))).toEqual([
    create('s'),
    components,
    update('/ab', 3),
    update('/a', 4),
  ])
  expect(operations(surfaces, part('turn_a', update('/', {})))).toEqual([create('s'), components, update('/', {})])
  expect(operations(surfaces, part('turn_a', update(undefined, 1)))).toEqual([
    create('s'),
    components,
    update(undefined, 1),
  ])
  const gone = { deleteSurface: { surfaceId: 's' } }
  expect(operations(surfaces, part('turn_a', gone))).toEqual([gone])
})

test('a surface that is created again has an activity of its own', () => {
  const surfaces = new Surfaces()
  const [first] = surfaces.show(part('turn_a', create('s'))) ?? []
  const [changed] = surfaces.show(part('turn_b', components)) ?? []
  const [second] = surfaces.show(part('turn_b', create('s'))) ?? []
  expect(changed?.messageId).toBe(first?.messageId)
  expect(second?.messageId).not.toBe(first?.messageId)
  expect(second?.content).toEqual({ a2ui_operations: [{ version: 'v0.9', ...create('s') }] })
})

test('a part may speak of several surfaces, and of those of earlier turns', () => {
  const surfaces = new Surfaces()
  const frame = part('turn_b', create('one'), create('two'), components)
  expect(surfaces.missing(frame)).toEqual(['s'])
  expect(surfaces.show(frame)?.map(({ messageId }) => messageId)).toEqual([
    'a2ui-surface-one-turn_b',
    'a2ui-surface-two-turn_b',
    'a2ui-surface-s-turn_b',
  ])
})

test('what is no surface is not shown as one', () => {
  const frame = part('turn_a')
  expect(new Surfaces().show({ ...frame, part: { data: 'x', metadata: { partType: 'a2ui-surface' } } })).toBeUndefined()
})
