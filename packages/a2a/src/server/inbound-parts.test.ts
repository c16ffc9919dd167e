import type { Message } from '@a2a-js/sdk'
import { PartTypeRegistry } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { inboundParts } from './inbound-parts.ts'

const partTypes = PartTypeRegistry.canonical()
partTypes.register({ partType: 'app.shown', deliveryRules: { streaming: 'once', buffered: 'drop' }, saidBy: 'tools' })
partTypes.register({ partType: 'app.said', deliveryRules: { streaming: 'inbound-only', buffered: 'inbound-only' } })
partTypes.register({ partType: 'app.note', deliveryRules: { streaming: 'once', buffered: 'drop' } })

/** The types of the parts that a message with parts of these types comes to. */
function typesOf(...given: readonly string[]): string[] {
  const parts = given.map((partType) => ({ content: { $case: 'data', value: {} }, metadata: { partType } }))
  const message = { messageId: 'm', parts, metadata: {} } as unknown as Message
  return inboundParts(message, { messageId: 'm' }, partTypes).parts.map((part) => part.metadata.partType)
}

test('what only the program says is nothing but a message when it comes from outside', () => {
  expect(typesOf('app.shown', 'response', 'app.note', 'unknown.type')).toEqual([
    'message',
    'message',
    'app.note',
    'message',
  ])
})

test('a message of which nothing is shown has a part by which it is found again', () => {
  expect(typesOf('app.said')).toEqual(['app.said', 'message'])
  expect(typesOf('app.said', 'app.note')).toEqual(['app.said', 'app.note'])
})
