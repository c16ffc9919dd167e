import { describe, expect, test } from 'vitest'
import { AuthTypeRegistry, authTypes } from './auth-types.ts'
import { TransportRegistry, transports, type TransportRegistration } from './transports.ts'
import { TurnStateRegistry, turnStates, type TurnStateRegistration } from './turn-states.ts'

describe('turn states', () => {
  test('the seven canonical ones mean what the specification says', () => {
    const table = turnStates
      .entries()
      .map((entry) => [entry.id, entry.isTerminal, entry.emitsEnvelope, entry.holdsActor])
    expect(table).toEqual([
      ['awaiting', false, false, true],
      ['complete', true, true, false],
      ['clarifying', true, false, false],
      ['error', true, false, false],
      ['suspended', false, false, true],
      ['delegated', false, false, true],
      ['passed', true, false, false],
    ])
  })

  test("a consumer's state declares its meaning, at the top or under meta", () => {
    const registry = TurnStateRegistry.canonical()
    const meaning = { isTerminal: false, emitsEnvelope: false, holdsActor: true }
    const entry = registry.register({ id: 'ta.parked', ...meaning })
    expect(entry).toEqual({ id: 'ta.parked', isCanonical: false, ...meaning })
    expect(registry.register({ id: 'ta.parked', meta: meaning })).toBe(entry)
  })

  test.each([
    [{ id: 'ta.parked', isTerminal: true, emitsEnvelope: false }, 'does not say whether it is holdsActor'],
    [{ id: 'ta.parked', isTerminal: true, emitsEnvelope: false, holdsActor: true }, 'cannot both end the turn'],
    [{ id: 'complete', isTerminal: true, emitsEnvelope: false, holdsActor: false }, "another 'emitsEnvelope'"],
    [{ id: 'ta parked', isTerminal: true, emitsEnvelope: false, holdsActor: false }, 'malformed id'],
  ])('%j is refused', (registration, reason) => {
    expect(() => TurnStateRegistry.canonical().register(registration as TurnStateRegistration)).toThrow(reason)
  })
})

describe('transports', () => {
  test('the canonical ones know their delivery classes', () => {
    const table = Object.fromEntries(transports.entries().map(({ id, deliveryClasses }) => [id, deliveryClasses]))
    expect(table).toEqual({
      a2a: ['streaming', 'buffered'],
      mcp: ['buffered'],
      sse: ['streaming'],
      websocket: ['streaming'],
      smtp: ['buffered'],
      whatsapp: ['buffered'],
      sms: ['buffered'],
      webhook: ['buffered'],
      cron: [],
      agui: ['streaming'],
      'ai-sdk': ['streaming'],
      openai: ['streaming'],
      chat: ['buffered'],
    })
  })

  test('a known one may be named again without saying more, but not differently', () => {
    const registry = TransportRegistry.canonical()
    expect(registry.register({ id: 'websocket' })).toBe(registry.get('websocket'))
    expect(registry.register({ id: 'grpc' })).toEqual({ id: 'grpc', isCanonical: false })
    expect(() => registry.register({ id: 'mcp', deliveryClasses: ['streaming'] })).toThrow("another 'deliveryClasses'")
    const wrong = { id: 'grpc2', deliveryClasses: ['slow'] } as unknown as TransportRegistration
    expect(() => registry.register(wrong)).toThrow("not a list of 'streaming' and 'buffered'")
  })
})

describe('auth types', () => {
  test('are open like the others', () => {
    expect(authTypes.ids()).toEqual(['none', 'api-key', 'oauth2', 'mtls'])
    const registry = AuthTypeRegistry.canonical()
    registry.register({ id: 'aws-sigv4' })
    expect(registry.has('aws-sigv4')).toBe(true)
    expect(authTypes.has('aws-sigv4')).toBe(false)
    expect(() => registry.register({ id: 'aws sigv4' })).toThrow("The auth type 'aws sigv4' has a malformed id")
  })
})

test('an entry cannot be changed by its holder', () => {
  const entry = turnStates.get('complete')
  expect(() => Object.assign(entry ?? {}, { isTerminal: false })).toThrow(TypeError)
})
