import type { Principal } from '@cool-ai/beach-core'
import { createMachine } from 'xstate'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { defineFlow } from '../definition/define-flow.ts'
import { defineIntent, type IntentOptions } from '../definition/intent.ts'
import type { FlowPermissions } from '../definition/permissions.ts'
import { FlowRegistry } from '../registry/flow-registry.ts'
import { localMatcher } from './matcher.ts'

const machine = createMachine({
  initial: 'open',
  states: { open: { on: { DONE: { target: 'done' } } }, done: { type: 'final' } },
})

function flow(intentId: string, title: string, permissions: FlowPermissions = {}) {
  return defineFlow({
    intentId,
    meta: { title, description: `${title}.` },
    schema: z.object({}),
    machine,
    events: { DONE: { source: 'client' } },
    permissions,
  })
}

type Given = Omit<IntentOptions<z.ZodObject>, 'flow' | 'intentId'> & { readonly permissions?: FlowPermissions }

function registryOf(intents: Readonly<Record<string, Given>>): FlowRegistry {
  const registry = new FlowRegistry()
  for (const [intentId, { permissions, ...options }] of Object.entries(intents)) {
    const made = flow(intentId, intentId.replace('.', ' '), permissions)
    registry.register(made, { intent: defineIntent({ flow: made, ...options }) })
  }
  return registry
}

const somebody: Principal = { kind: 'anonymous', id: 'anon_1', tenant: 'default' }
const staff: Principal = { kind: 'user', id: 'kim', tenant: 'default', scopes: ['stock:write'] }

const stock = {
  'stock.count': { keywords: ['count'], examples: ['count the beans'], permissions: { scopes: ['stock:write'] } },
  'shift.plan': { keywords: ['rota'], examples: ['plan my shift'] },
}

describe('which flow is meant', () => {
  test('an example is sure, a keyword is possible, anything else is none', () => {
    const { match } = localMatcher(registryOf({ 'shift.plan': stock['shift.plan'] }))
    expect(match('Plan my shift')).toEqual({ kind: 'match', intentId: 'shift.plan', confidence: 1, entities: {} })
    const possible = match('the rota')
    expect(possible).toMatchObject({ kind: 'match', intentId: 'shift.plan' })
    expect(possible.kind === 'match' && possible.confidence).toBeLessThan(0.9)
    expect(match('sing a song')).toEqual({ kind: 'none' })
  })

  test('thresholds can be others, and must make sense', () => {
    const registry = registryOf({ 'shift.plan': stock['shift.plan'] })
    expect(localMatcher(registry, { possible: 0.85 }).match('the rota')).toEqual({ kind: 'none' })
    expect(() => localMatcher(registry, { possible: 0.95 })).toThrow(/possible ≤ confident/)
  })

  test('a flow that the user may not use is not matched', () => {
    const { match } = localMatcher(registryOf(stock))
    expect(match('count the beans', { principal: somebody })).toEqual({ kind: 'none' })
    expect(match('count the beans', { principal: staff })).toMatchObject({ kind: 'match', intentId: 'stock.count' })
  })

  test('an intent that belongs into a flow is meant only there', () => {
    const inside = {
      keywords: ['undo'],
      examples: ['undo the last step'],
      contextRequires: { activeFlow: 'shift.plan' },
    }
    const { match } = localMatcher(registryOf({ ...stock, 'shift.undo': inside }))
    expect(match('undo the last step')).toEqual({ kind: 'none' })
    expect(match('undo the last step', { activeFlow: 'shift.plan' })).toMatchObject({ intentId: 'shift.undo' })
    expect(match('undo the last step', { activeFlows: ['shift.plan'] })).toMatchObject({ intentId: 'shift.undo' })
  })

  test('a flow that is registered later is known too, and one that is gone is not', () => {
    const registry = registryOf({ 'shift.plan': stock['shift.plan'] })
    const { match } = localMatcher(registry)
    expect(match('sing a song')).toEqual({ kind: 'none' })
    const song = flow('song.sing', 'Sing')
    registry.register(song, { intent: defineIntent({ flow: song, examples: ['sing a song'] }) })
    expect(match('sing a song')).toMatchObject({ intentId: 'song.sing' })
    registry.unregister('song.sing')
    expect(match('sing a song')).toEqual({ kind: 'none' })
  })
})

describe('what cannot be told apart', () => {
  const two = {
    'bill.split': {
      keywords: ['bill'],
      examples: ['split the bill'],
      disambiguateFrom: { 'bill.pay': 'Pay all of it' },
    },
    'bill.pay': { keywords: ['bill'], examples: ['pay the bill'] },
  }

  test('is asked, with how the flows differ', () => {
    const { match } = localMatcher(registryOf(two), { possible: 0.3 })
    expect(match('the bill')).toMatchObject({
      kind: 'ambiguous',
      question: expect.stringMatching(/^Do you mean “bill (?:split|pay)” or “bill (?:split|pay)”\?$/) as unknown,
      options: expect.arrayContaining([
        expect.objectContaining({ intentId: 'bill.pay', description: 'Pay all of it' }),
        expect.objectContaining({ intentId: 'bill.split', description: 'bill split.' }),
      ]) as unknown,
    })
  })

  test('is not asked when one of them was said', () => {
    const { match } = localMatcher(registryOf(two), { possible: 0.3 })
    expect(match('split the bill')).toMatchObject({ kind: 'match', intentId: 'bill.split' })
  })
})

test('the actor asks for a missing entity and keeps what was said', () => {
  const extractionSchema = z.object({
    size: z.enum(['small', 'large']).meta({ question: 'Which size?' }),
    count: z.int().optional(),
  })
  const { match } = localMatcher(registryOf({ 'cup.buy': { extractionSchema, examples: ['buy {count} cups'] } }))
  expect(match('buy two cups')).toMatchObject({
    kind: 'missing',
    intentId: 'cup.buy',
    field: 'size',
    question: 'Which size?',
    options: ['small', 'large'],
    entities: { count: 2 },
  })
  expect(match('buy two large cups')).toMatchObject({ kind: 'match', entities: { count: 2, size: 'large' } })
})
