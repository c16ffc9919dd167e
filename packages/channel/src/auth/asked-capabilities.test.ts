import type { Principal } from '@cool-ai/beach-core'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { askedCapabilities, requireCapabilities, type AskingMessage } from './asked-capabilities.ts'
import { requireScopes } from './scopes.ts'

const peer: Principal = { kind: 'peer', id: 'baxter', tenant: 'acme', scopes: ['booking:read'] }
const capabilities = [
  { id: 'flight-search', requiredScopes: [] },
  { id: 'booking', requiredScopes: ['booking:read', 'booking:write', 'payment'] },
]

describe('scopes', () => {
  test('that are missing are named, and those that are there are not', () => {
    expect(() => requireScopes(peer, ['booking:write', 'booking:read', 'payment'])).toThrow(
      expect.objectContaining({
        code: 'FORBIDDEN',
        message: expect.stringContaining('booking:write, payment') as string,
        details: { missing: ['booking:write', 'payment'] },
      }),
    )
  })

  test('that are all there are enough, and none are needed when none is required', () => {
    expect(() => requireScopes(peer, ['booking:read'])).not.toThrow()
    const { scopes: _, ...unscoped } = peer
    expect(() => requireScopes(unscoped, [])).not.toThrow()
    expect(() => requireScopes(unscoped, ['booking:read'])).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
  })

  test('are compared as they are, not by what they begin with', () => {
    expect(() => requireScopes(peer, ['booking'])).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
  })
})

describe('the capability that a message asks for', () => {
  const key = `${BEACH_EXTENSION_URI}/capability`

  test.each<[string, AskingMessage, string[]]>([
    ['our key', { metadata: { [key]: 'booking' } }, ['booking']],
    ['a short key', { metadata: { capability: 'booking' } }, ['booking']],
    ['a skill', { metadata: { skillId: 'booking' } }, ['booking']],
    ['a list', { metadata: { capability: ['booking', 'flight-search'] } }, ['booking', 'flight-search']],
    ['a part', { parts: [{}, { metadata: { partType: 'message', capability: 'booking' } }] }, ['booking']],
    ['several places', { metadata: { skillId: 'booking' }, parts: [{ metadata: { [key]: 'x' } }] }, ['booking', 'x']],
    ['nothing', { metadata: { other: 1 }, parts: [{ metadata: { partType: 'message' } }] }, []],
    ['null', { metadata: { capability: null } }, []],
  ])('may stand in %s', (_name, message, ids) => {
    expect(askedCapabilities(message)).toEqual(ids)
  })

  test.each([{ id: 'booking' }, 7, ['booking', 7]])('must be an id: %j', (capability) => {
    expect(() => askedCapabilities({ metadata: { capability } })).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST' }),
    )
  })

  test('is refused to callers that lack its scopes, wherever it was said', () => {
    const forbidden = expect.objectContaining({
      code: 'FORBIDDEN',
      details: { missing: ['booking:write', 'payment'] },
    })
    const inPart = { parts: [{ metadata: { capability: 'booking' } }] }
    expect(() => requireCapabilities(capabilities, inPart, peer)).toThrow(forbidden)
    const both = { metadata: { capability: ['flight-search', 'booking'] } }
    expect(() => requireCapabilities(capabilities, both, peer)).toThrow(forbidden)
  })

  test('is open to callers that have them, or need none', () => {
    const rich = { ...peer, scopes: ['booking:read', 'booking:write', 'payment'] }
    expect(() => requireCapabilities(capabilities, { metadata: { capability: 'booking' } }, rich)).not.toThrow()
    expect(() => requireCapabilities(capabilities, { metadata: { skillId: 'flight-search' } }, peer)).not.toThrow()
    expect(() => requireCapabilities(capabilities, {}, peer)).not.toThrow()
  })

  test('must be one that the agent has', () => {
    expect(() => requireCapabilities(capabilities, { metadata: { capability: 'constructor' } }, peer)).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: "This agent has no capability 'constructor'. It has: flight-search, booking.",
      }),
    )
  })
})
