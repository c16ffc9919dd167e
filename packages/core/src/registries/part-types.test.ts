import { describe, expect, test } from 'vitest'
import { clarifyOptions } from './clarify-options.ts'
import { isBeachError } from '../errors.ts'
import type { LogFields, Logger, LogLevel } from '../logger.ts'
import { PartTypeRegistry, partTypeRegistry, partTypes, type PartTypeRegistration } from './part-types.ts'

const rules = { streaming: 'flush', buffered: 'drop' } as const

function recordingLogger(): Logger & { readonly lines: { level: LogLevel; message: string; fields?: LogFields }[] } {
  const lines: { level: LogLevel; message: string; fields?: LogFields }[] = []
  return { lines, log: (level, message) => lines.push({ level, message }) }
}

function refusalOf(registration: unknown): string {
  const registry = PartTypeRegistry.canonical({ logger: recordingLogger() })
  try {
    registry.register(registration as PartTypeRegistration)
  } catch (error) {
    if (isBeachError(error, 'INVALID_REGISTRATION')) return error.message
    throw error
  }
  throw new Error('The registration was accepted.')
}

describe('the canonical part types of core', () => {
  const signals = new Set(['ack', 'thinking', 'response', 'clarify', 'error'])

  test('are the five conversational signals with the rules of the specification', () => {
    const entries = PartTypeRegistry.canonical()
      .entries()
      .filter(({ id }) => signals.has(id))
    expect(Object.fromEntries(entries.map(({ partType, deliveryRules }) => [partType, deliveryRules]))).toEqual({
      ack: { streaming: 'flush', buffered: 'drop' },
      thinking: { streaming: 'flush', buffered: 'drop' },
      response: { streaming: 'delta', buffered: 'final-state' },
      clarify: { streaming: 'flush', buffered: 'flush' },
      error: { streaming: 'flush', buffered: 'flush' },
    })
    expect(entries.every((entry) => entry.isCanonical && entry.id === entry.partType)).toBe(true)
  })

  test('want a text and give it as their text form', () => {
    const ack = PartTypeRegistry.canonical().get('ack')
    expect(ack?.validate?.({ data: {}, metadata: { partType: 'ack' } })).toEqual(["A part of type 'ack' needs a text."])
    expect(ack?.validate?.({ text: 'Hello.', metadata: { partType: 'ack' } })).toEqual([])
    expect(ack?.toText?.({ text: 'Hello.', metadata: { partType: 'ack' } })).toBe('Hello.')
  })

  describe('a question may offer answers', () => {
    const clarify = PartTypeRegistry.canonical().get('clarify')
    const asks = (options: unknown) => ({ text: 'Which?', metadata: { partType: 'clarify', options } })
    const offered = asks(['Gatwick', 'Heathrow'])

    test('which are part of its text', () => {
      expect(clarify?.validate?.(offered)).toEqual([])
      expect(clarify?.toText?.(offered)).toBe('Which?\n(Gatwick / Heathrow)')
      expect(clarifyOptions(offered)).toEqual(['Gatwick', 'Heathrow'])
    })

    test.each([
      ['none', []],
      ['no list', 'Gatwick'],
      ['an empty one', ['Gatwick', ' ']],
      ['no text', [{ label: 'Gatwick' }]],
      ['one twice', ['Gatwick', 'Gatwick']],
      ['a long one', ['x'.repeat(81)]],
      ['too many', Array.from({ length: 11 }, (_, index) => `${index}`)],
    ])('but not %s', (_, options) => {
      expect(clarify?.validate?.(asks(options))).toEqual([
        'metadata.options of a question are 1 to 10 different texts of at most 80 characters.',
      ])
    })
  })

  test('stand in the default registry, which has two names', () => {
    expect(partTypes).toBe(partTypeRegistry)
    expect(partTypes.has('response')).toBe(true)
  })

  test('are not shared between instances', () => {
    PartTypeRegistry.canonical().register({ partType: 'ta.map', deliveryRules: rules })
    expect(PartTypeRegistry.canonical().has('ta.map')).toBe(false)
  })
})

describe('registering a part type', () => {
  test('keeps what it declares', () => {
    const registry = new PartTypeRegistry()
    const declaration = {
      partType: 'ta.itinerary-slot-state',
      deliveryRules: { ...rules, transports: { sms: 'url-reference' } },
      allowedTransports: ['sse', 'a2a'],
      requiresPeerConsumes: true,
    } as const
    registry.register(declaration)
    expect(registry.get('ta.itinerary-slot-state')).toEqual({
      ...declaration,
      id: 'ta.itinerary-slot-state',
      isCanonical: false,
    })
    expect(registry.ids()).toEqual(['ta.itinerary-slot-state'])
  })

  test('keeps it whatever becomes of the objects that declared it', () => {
    const allowedTransports = ['sse']
    const own: Record<string, 'drop'> = { sms: 'drop' }
    const registry = new PartTypeRegistry()
    registry.register({ partType: 'ta.map', deliveryRules: { ...rules, transports: own }, allowedTransports })
    allowedTransports.push('smtp')
    own.smtp = 'drop'
    expect(registry.get('ta.map')).toMatchObject({ allowedTransports: ['sse'] })
    expect(registry.get('ta.map')?.deliveryRules.transports).toEqual({ sms: 'drop' })
  })

  test('the same way again changes nothing', () => {
    const registry = PartTypeRegistry.canonical()
    const first = registry.register({ partType: 'ta.map', deliveryRules: rules })
    expect(registry.register({ partType: 'ta.map', deliveryRules: { buffered: 'drop', streaming: 'flush' } })).toBe(
      first,
    )
    // The earlier form of the same registration is the same registration.
    expect(registry.register({ id: 'ta.map', meta: { streamingPreferred: true, buffered: 'dropped' } })).toBe(first)
  })

  test('differently again is refused, and says what differs', () => {
    expect(refusalOf({ partType: 'response', deliveryRules: rules })).toBe(
      "The part type 'response' is a canonical one with another 'deliveryRules'. " +
        "Choose another id, such as 'yourapp.response'.",
    )
    const registry = PartTypeRegistry.canonical()
    registry.register({ partType: 'ta.map', deliveryRules: rules })
    expect(() => registry.register({ partType: 'ta.map', deliveryRules: rules, requiresPeerConsumes: true })).toThrow(
      "already registered with another 'requiresPeerConsumes'",
    )
    expect(registry.get('ta.map')?.requiresPeerConsumes).toBeUndefined()
  })

  test('without a namespace is accepted, with one warning', () => {
    const logger = recordingLogger()
    const registry = PartTypeRegistry.canonical({ logger })
    registry.register({ partType: 'audio', deliveryRules: rules })
    registry.register({ partType: 'audio', deliveryRules: rules })
    registry.register({ partType: 'ta.audio', deliveryRules: rules })
    expect(registry.has('audio')).toBe(true)
    expect(logger.lines).toEqual([{ level: 'warn', message: expect.stringContaining("'audio' has no namespace") }])
  })

  test.each([
    ['ta map', 'malformed id'],
    ['', 'malformed id'],
    ['.map', 'malformed id'],
    ['ta..map', 'malformed id'],
    ['__proto__', 'malformed id'],
    ['ta/map', 'malformed id'],
    ['ta.map\n', 'malformed id'],
    ['x'.repeat(129), '129 characters'],
    [7, 'has no id'],
  ])('under the id %j is refused: %s', (partType, reason) => {
    expect(refusalOf({ partType, deliveryRules: rules })).toContain(reason)
  })

  test.each([
    [{}, 'has no delivery rules'],
    [{ deliveryRules: { streaming: 'flush' } }, 'has no buffered rule; choose one of flush, delta, once,'],
    [{ deliveryRules: { streaming: 'now', buffered: 'drop' } }, 'has the streaming rule "now"'],
    [{ deliveryRules: { ...rules, bufered: 'drop' } }, "unknown delivery rule 'bufered'"],
    [{ deliveryRules: { streaming: 'delta', buffered: 'delta' } }, 'a buffered listener gets no deltas'],
    [{ deliveryRules: { ...rules, transports: { sms: 'later' } } }, 'has the sms rule "later"'],
    [{ deliveryRules: rules, allowedTransports: [] }, 'leave it out to allow all'],
    [{ deliveryRules: rules, allowedTransports: 'sse' }, 'not a list of transports'],
    [{ deliveryRules: rules, requiresPeerConsumes: 'yes' }, 'not true or false'],
    [{ deliveryRules: rules, toText: 'text' }, 'toText that is not a function'],
    [{ deliveryRules: rules, allowedTransport: ['sse'] }, "unknown field 'allowedTransport'"],
  ])('with %j is refused', (rest, reason) => {
    expect(refusalOf({ partType: 'ta.map', ...rest })).toContain(reason)
  })
})

describe('the earlier form of a registration', () => {
  const rulesOf = (meta: object) =>
    new PartTypeRegistry().register({ id: 'ta.audio', isCanonical: false, meta }).deliveryRules

  test.each([
    [{}, { streaming: 'once', buffered: 'at-settlement' }],
    [{ streamingPreferred: true }, { streaming: 'flush', buffered: 'at-settlement' }],
    [{ streamingPreferred: false }, { streaming: 'at-settlement', buffered: 'at-settlement' }],
    [{ buffered: 'dropped' }, { streaming: 'once', buffered: 'drop' }],
    [{ buffered: 'attached' }, { streaming: 'once', buffered: 'attach' }],
    [{ buffered: 'final-state' }, { streaming: 'once', buffered: 'final-state' }],
    [{ serialisation: 'base64' }, { streaming: 'once', buffered: 'attach', serialisation: 'base64' }],
    [{ serialisation: 'json' }, { streaming: 'once', buffered: 'at-settlement', serialisation: 'json' }],
    [
      { streamingPreferred: true, buffered: 'dropped', serialisation: 'base64' },
      { streaming: 'flush', buffered: 'drop', serialisation: 'base64' },
    ],
  ])('maps %j to delivery rules', (meta, expected) => {
    expect(rulesOf(meta)).toEqual(expected)
  })

  test('is refused when it names a decision that there is not', () => {
    expect(() => rulesOf({ buffered: 'shredded' })).toThrow('has the buffered rule "shredded"')
    expect(() => rulesOf({ buffered: 'constructor' })).toThrow('has the buffered rule "constructor"')
  })
})

describe('amending a part type', () => {
  test('changes what is named and keeps the rest', () => {
    const registry = PartTypeRegistry.canonical()
    const toText = () => 'text'
    registry.amend('ack', { toText, deliveryRules: { streaming: 'drop', buffered: 'drop' } })
    expect(registry.get('ack')).toMatchObject({ toText, deliveryRules: { streaming: 'drop' }, isCanonical: true })
    expect(registry.get('ack')?.validate).toBeDefined()
  })

  test('is refused for what is not registered or not right', () => {
    const registry = PartTypeRegistry.canonical()
    expect(() => registry.amend('ta.map', {})).toThrow('is not registered, so it cannot be amended')
    expect(() => registry.amend('ack', { partType: 'other' } as object)).toThrow("unknown field 'partType'")
    expect(() => registry.amend('ack', { whenInvalid: 'ignore' } as object)).toThrow("a whenInvalid that is not 'drop'")
    expect(registry.amend('ack', { whenInvalid: 'drop' }).whenInvalid).toBe('drop')
    expect(() => registry.amend('ack', { deliveryRules: { ...rules, buffered: 'delta' } })).toThrow('no deltas')
  })
})
