import { TurnStateRegistry } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { respondToolSnippet } from './snippet.ts'

test('the snippet names only turn states that there are', () => {
  const named = [...respondToolSnippet.matchAll(/turnState: "(\w+)"/g)].map(([, name]) => name ?? '')
  expect(named).toEqual(['awaiting', 'complete', 'clarifying'])
  for (const name of named) expect(TurnStateRegistry.canonical().has(name)).toBe(true)
})
