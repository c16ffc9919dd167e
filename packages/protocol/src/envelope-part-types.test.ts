import { PartTypeRegistry } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { registerEnvelopePartTypes } from './envelope-part-types.ts'
import { parsePart } from './parse-part.ts'

// Made before this file's tests; what the package adds is in every canonical registry, whenever it was made.
const early = PartTypeRegistry.canonical()

test('a canonical registry has the part types of envelopes, so an agent that has it can ask for an approval', () => {
  const data = {
    approvalId: 'a',
    toolName: 'pay',
    toolCallId: 'c',
    args: {},
    handler: 'clerk',
    turn: 't',
    session: 's',
  }
  for (const registry of [early, PartTypeRegistry.canonical()]) {
    expect(parsePart({ partType: 'approval-request', data }, registry).data).toEqual(data)
    expect(registry.get('approval-request')?.isCanonical).toBe(true)
  }
})

test('a type that was amended in one registry stays as it is in the others', () => {
  const toText = () => 'mine'
  early.amend('domain-data', { toText })
  expect(early.get('domain-data')?.toText).toBe(toText)
  expect(PartTypeRegistry.canonical().get('domain-data')?.toText).toBeUndefined()
})

test('an application that still registers the envelope part types itself gets the same registry', () => {
  const registry = PartTypeRegistry.canonical()
  registerEnvelopePartTypes(registry)
  expect(registry.get('approval-request')).toEqual(PartTypeRegistry.canonical().get('approval-request'))
})
