import type { DeliveryDecision } from '@cool-ai/beach-core'
import { decideDelivery } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 000, "Delivery rules per transport class": the table, for a peer that consumes what it is asked about.

const table: readonly [partTypes: string, streaming: DeliveryDecision, buffered: DeliveryDecision][] = [
  ['ack, thinking, progress', 'flush', 'drop'],
  ['response', 'delta', 'final-state'],
  ['domain-data', 'once', 'at-settlement'],
  ['a2ui-surface', 'flush', 'final-state'],
  ['artifact', 'url-reference', 'attach'],
  ['llm-context', 'at-settlement', 'at-settlement'],
  ['reasoning-trace', 'audit-only', 'audit-only'],
  ['clarify, error', 'flush', 'flush'],
  ['approval-request', 'flush', 'flush'],
  ['approval-response', 'inbound-only', 'inbound-only'],
]

const rows = table.flatMap(([partTypes, ...rules]) =>
  partTypes.split(', ').map((partType) => [partType, ...rules] as const),
)

test.each(rows)('%s: %s to streaming, %s to buffered transports', (partType, streaming, buffered) => {
  const consumes = [partType]
  expect(decideDelivery(partType, { transport: 'a2a', deliveryClass: 'streaming', consumes })).toBe(streaming)
  expect(decideDelivery(partType, { transport: 'a2a', deliveryClass: 'buffered', consumes })).toBe(buffered)
})
