import type { MergeStrategy, Part } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collectDomainData, DomainData } from './domain-data.ts'

const data = (value: unknown, metadata: Record<string, unknown> = {}): Part => ({
  data: value,
  metadata: { partType: 'domain-data', ...metadata },
})

describe('domain data becomes one object', () => {
  test('parts without a slot key merge by top-level key, later values replace', () => {
    const parts = [data({ flights: [1], route: { from: 'LGW' } }), data({ flights: [2], hotels: [] })]
    expect(collectDomainData(parts)).toEqual({ flights: [2], route: { from: 'LGW' }, hotels: [] })
  })

  test('a slot key addresses its own place, in which its strategy decides', () => {
    const parts = [
      data({ flights: [1] }),
      data({ sights: 1 }, { slotKey: 'ta.rome' }),
      data({ food: 1 }, { slotKey: 'ta.rome', mergeStrategy: 'deep-merge' }),
      data('first', { slotKey: 'ta.log', mergeStrategy: 'append' }),
      data('second', { slotKey: 'ta.log', mergeStrategy: 'append' }),
    ]
    expect(collectDomainData(parts)).toEqual({
      flights: [1],
      'ta.rome': { sights: 1, food: 1 },
      'ta.log': ['first', 'second'],
    })
  })

  test('parts of other types are left out', () => {
    expect(collectDomainData([{ text: 'Hello.', metadata: { partType: 'response' } }])).toEqual({})
  })

  test('what is no object and has no slot stands under its kind', () => {
    expect(collectDomainData([data([1], { kind: 'numbers' }), data('x')])).toEqual({ numbers: [1], data: 'x' })
  })

  test('a key or slot called __proto__ is left out', () => {
    const object = collectDomainData([
      data(JSON.parse('{"__proto__":{"a":1},"b":2}')),
      data({}, { slotKey: '__proto__' }),
    ])
    expect(Object.getOwnPropertyNames(object)).toEqual(['b'])
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
  })

  test('many small slots cannot exceed what one may not', () => {
    const parts = Array.from({ length: 50 }, (_, index) => data('xxxx', { slotKey: `slot-${index}` }))
    expect(() => collectDomainData(parts, { depth: 8, size: 200 })).toThrow('larger than 200 characters')
  })

  test('a slot that is replaced for ever never grows too large', () => {
    const parts = Array.from({ length: 1_000 }, (_, index) => data({ done: index }, { slotKey: 'progress' }))
    expect(collectDomainData(parts, { depth: 8, size: 200 })).toEqual({ progress: { done: 999 } })
    const merged = parts.map((part) => ({
      ...part,
      metadata: { ...part.metadata, mergeStrategy: 'deep-merge' as const },
    }))
    expect(collectDomainData(merged, { depth: 8, size: 200 })).toEqual({ progress: { done: 999 } })
  })

  test('is never written back into the parts', () => {
    const parts = [
      data({ a: { b: 1 } }, { slotKey: 's' }),
      data({ a: { c: 1 } }, { slotKey: 's', mergeStrategy: 'deep-merge' }),
      data([1], { slotKey: 'l', mergeStrategy: 'append' }),
      data([2], { slotKey: 'l', mergeStrategy: 'append' }),
      data([3], { slotKey: 'l', mergeStrategy: 'replace' }),
      data([4], { slotKey: 'l', mergeStrategy: 'append' }),
    ]
    const before = structuredClone(parts)
    collectDomainData(parts)
    expect(parts).toEqual(before)
  })
})

describe('the collected parts', () => {
  const partsOf = (parts: readonly Part[]) => {
    const collected = new DomainData()
    for (const part of parts) collected.add(part)
    return collected.parts()
  }

  test('are one for what has no slot and one per slot', () => {
    const parts = [data({ a: 1 }), data(1, { slotKey: 's' }), data({ b: 1 }), data(2, { slotKey: 's' })]
    expect(partsOf(parts)).toEqual([data({ a: 1, b: 1 }), data(2, { slotKey: 's' })])
  })

  test('belong to the last writer of the slot', () => {
    const slot = data(1, { slotKey: 'a', kind: 'old' })
    expect(partsOf([slot, data({ a: 2 })])).toEqual([data({ a: 2 })])
    expect(partsOf([slot, data(2, { slotKey: 'a', kind: 'new' })])).toEqual([data(2, { slotKey: 'a', kind: 'new' })])
  })

  test('keep a kind that all of them have', () => {
    const [same] = partsOf([data({ a: 1 }, { kind: 'trip' }), data({ b: 1 }, { kind: 'trip' })])
    expect(same?.metadata.kind).toBe('trip')
    const [mixed] = partsOf([data({ a: 1 }, { kind: 'trip' }), data({ b: 1 }, { kind: 'hotel' })])
    expect(mixed?.metadata).not.toHaveProperty('kind')
    const [partly] = partsOf([data({ a: 1 }), data({ b: 1 }, { kind: 'hotel' })])
    expect(partly?.metadata).not.toHaveProperty('kind')
  })

  test('say how the slot joins what a reader already has', () => {
    const strategies = (...all: MergeStrategy[]) =>
      partsOf(all.map((mergeStrategy) => data({ a: 1 }, { slotKey: 's', mergeStrategy }))).map(
        (part) => part.metadata.mergeStrategy,
      )
    expect(strategies('append', 'append')).toEqual(['append'])
    expect(strategies('deep-merge', 'deep-merge')).toEqual(['deep-merge'])
    expect(strategies('append', 'replace')).toEqual(['replace'])
    expect(strategies('replace', 'append')).toEqual(['replace'])
  })

  const slotKey = fc.constantFrom('a', 'b', 's')
  const strategy = fc.constantFrom<MergeStrategy>('replace', 'append', 'deep-merge')
  const value = fc.oneof(fc.dictionary(fc.constantFrom('a', 'b', 's'), fc.jsonValue()), fc.jsonValue())
  const anyPart = fc.oneof(
    value.map((content) => data(content)),
    fc
      .record({ value, slotKey, strategy })
      .map((slot) => data(slot.value, { slotKey: slot.slotKey, mergeStrategy: slot.strategy })),
  )

  test('collected again give the same object', () => {
    fc.assert(
      fc.property(fc.array(anyPart), (parts) => {
        expect(collectDomainData(partsOf(parts))).toEqual(collectDomainData(parts))
      }),
    )
  })

  test('do not depend on how the parts of different slots are interleaved', () => {
    const slotted = fc.record({ slotKey, strategy, value })
    fc.assert(
      fc.property(fc.array(slotted), fc.infiniteStream(fc.nat()), (slots, chance) => {
        const parts = slots.map((slot) => data(slot.value, { slotKey: slot.slotKey, mergeStrategy: slot.strategy }))
        expect(collectDomainData(interleaved(parts, chance))).toEqual(collectDomainData(parts))
      }),
    )
  })
})

/** The parts in another order, in which those of each slot keep theirs. */
function interleaved(parts: readonly Part[], chance: Iterator<number>): Part[] {
  const queues = Map.groupBy(parts, (part) => part.metadata.slotKey)
  const result: Part[] = []
  while (result.length < parts.length) {
    const waiting = [...queues.values()].filter((queue) => queue.length > 0)
    const next = waiting[(chance.next().value as number) % waiting.length]?.shift()
    if (next !== undefined) result.push(next)
  }
  return result
}
