import { authTypes, transports } from '@cool-ai/beach-core'
import { decideDelivery } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 003, "Transport entry" and "Envelope block". The document lets beach-transport register the canonical
// transports; core registers them here, so that a card can be checked without any channel.

test('the canonical transports and auth types are registered', () => {
  for (const protocol of ['a2a', 'mcp', 'sse', 'smtp', 'whatsapp', 'webhook', 'cron']) {
    expect(transports.has(protocol)).toBe(true)
  }
  for (const type of ['none', 'api-key', 'oauth2', 'mtls']) expect(authTypes.has(type)).toBe(true)
})

test('consumers register additional protocols and auth types', () => {
  transports.register({ id: 'grpc' })
  // Canonical here, but a consumer who follows the document may register it.
  transports.register({ id: 'websocket' })
  authTypes.register({ id: 'hmac-signed' })
  authTypes.register({ id: 'aws-sigv4' })
  expect(transports.has('grpc')).toBe(true)
  expect(authTypes.has('aws-sigv4')).toBe(true)
})

test('llm-context is skipped for a peer whose consumes does not list it', () => {
  const peer = (consumes: string[]) => ({ transport: 'a2a', deliveryClass: 'buffered', consumes }) as const
  expect(decideDelivery('llm-context', peer(['domain-data', 'a2ui-surface']))).toBe('drop')
  expect(decideDelivery('llm-context', peer(['domain-data', 'llm-context']))).toBe('at-settlement')
})
