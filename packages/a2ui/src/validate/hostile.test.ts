import { readdirSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPlainObject } from '../plain.ts'
import { surfaceToHtml, surfaceToText } from '../readable/surface-to-text.ts'
import { validateA2ui } from './validate-a2ui.ts'
import { validateClientMessage } from './validate-client-message.ts'

const examples = new URL('../../conformance/examples/', import.meta.url)
const surfaces = readdirSync(examples).map((name) => {
  return (JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as { messages: unknown[] }).messages
})

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  maxDepth: 6,
})

/** What is likely to be taken for something else; made anew each time, since it is changed. */
const tricky = fc.oneof(
  anything,
  fc
    .constantFrom<() => unknown>(
      () => null,
      () => '',
      () => '__proto__',
      () => 'root',
      () => -1,
      () => 1e308,
      () => [[]],
      () => ({ path: '/x' }),
      () => ({ path: 5 }),
      () => ({ call: 'not' }),
      () => ({ call: 'formatString', args: { value: '${${${' } }),
      () => ({ componentId: 'root', path: '/' }),
    )
    .map((make) => make()),
)

/** A true surface in which some values have been replaced by others. */
const mutated = fc
  .tuple(
    fc.constantFrom(...surfaces),
    fc.array(fc.tuple(fc.nat(), tricky, fc.boolean()), { minLength: 1, maxLength: 5 }),
  )
  .map(([surface, changes]) => {
    const copy = structuredClone(surface)
    for (const [place, value, remove] of changes) {
      const places = placesIn(copy)
      const [parent, key] = places[place % places.length] ?? [copy, '0']
      if (remove) Reflect.deleteProperty(parent, key)
      else Reflect.set(parent, key, value)
    }
    return copy
  })

function placesIn(value: unknown): [object, string][] {
  if (!Array.isArray(value) && !isPlainObject(value)) return []
  return Object.entries(value).flatMap(([key, member]): [object, string][] => [[value, key], ...placesIn(member)])
}

/** Nothing throws, and what is said is said in words. */
function endure(given: unknown): void {
  const { valid, problems } = validateA2ui(given)
  expect(valid).toBe(problems.length === 0)
  for (const { path, problem, remedy } of problems) {
    expect(path === '' || path.startsWith('/')).toBe(true)
    expect(problem).toMatch(/\.$/)
    expect(remedy).toMatch(/\.$/)
  }
  validateClientMessage(given)
  expect(typeof surfaceToText(given)).toBe('string')
  expect(surfaceToHtml(given)).not.toMatch(/<script|javascript:|<img/i)
}

test('any value at all is endured', () => {
  fc.assert(fc.property(tricky, endure), { numRuns: 500 })
})

test('surfaces with anything anywhere are endured', () => {
  fc.assert(fc.property(mutated, endure), { numRuns: 500 })
})

test('objects that do not let themselves be looked at are endured', () => {
  const angry = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
      ownKeys() {
        throw new Error('no')
      },
      getPrototypeOf() {
        throw new Error('no')
      },
    },
  )
  const getter = {
    version: 'v0.9',
    get createSurface() {
      throw new Error('no')
    },
  }
  for (const given of [angry, [angry], getter]) {
    expect(validateA2ui(given).valid).toBe(false)
    expect(validateClientMessage(given).length).toBeGreaterThan(0)
  }
})
