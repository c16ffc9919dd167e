import { expect, test } from 'vitest'
import { actionPart } from './action.ts'

const action = {
  name: 'book',
  surfaceId: 's1',
  sourceComponentId: 'button',
  timestamp: '2026-01-01T00:00:00.000Z',
  context: { flight: 'BA 2043' },
}

test('an action becomes a part, with or without the message around it', () => {
  const { part, key } = actionPart(action)
  expect(part).toEqual({ data: { version: 'v0.9', action }, metadata: { partType: 'a2ui-action' } })
  expect(actionPart({ version: 'v0.9', action })).toEqual({ part, key })
  expect(key).toMatch(/^[\x21-\x7e]{1,200}$/)
})

test('the data model goes with it', () => {
  const dataModel = { version: 'v0.9', surfaces: { s1: { count: 2 } } }
  expect(actionPart(action, dataModel).part.metadata).toMatchObject({ a2uiClientDataModel: dataModel })
})

test('the same action has the same key, and another one another', () => {
  const keys = [
    action,
    { ...action, timestamp: '2026-01-01T00:00:00.001Z' },
    { ...action, sourceComponentId: 'other' },
    { ...action, context: { flight: 'BA 2044' } },
  ].map((given) => actionPart(given).key)
  expect(new Set(keys).size).toBe(4)
  expect(actionPart(structuredClone(action)).key).toBe(keys[0])
})
