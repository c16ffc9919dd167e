import type { Part } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partSchema } from './part-schema.ts'
import { toReaderPart } from './reader-part.ts'
import { toShorthand, toWirePart, type ShorthandPart } from './parse-part.ts'

describe('the two forms of a part', () => {
  test('the shorthand becomes the wire form', () => {
    expect(toWirePart({ partType: 'response', text: 'Hello.' })).toEqual({
      text: 'Hello.',
      metadata: { partType: 'response' },
    })
    expect(toWirePart({ partType: 'domain-data', data: [1], metadata: { slotKey: 'a', truncated: true } })).toEqual({
      data: [1],
      metadata: { partType: 'domain-data', slotKey: 'a', truncated: true },
    })
  })

  test('the wire form stays as it is', () => {
    const part: Part = { text: '', data: null, metadata: { partType: 'response', slotKey: 'a' } }
    expect(toWirePart(part)).toEqual(part)
  })

  test('a part as readers get it can be written again', () => {
    const part: Part = { text: 'Hello.', metadata: { partType: 'response' } }
    expect(toReaderPart(part)).toEqual({ ...part, partType: 'response' })
    expect(toWirePart(toReaderPart(part))).toEqual(part)
  })

  test.each([
    [{ text: 'Hello.' }, 'A part needs a partType'],
    [{ partType: '', text: 'Hello.' }, 'A part needs a partType'],
    [{ partType: 'ack', metadata: { partType: 'error' } }, `its partType is 'ack' and, in its metadata, "error"`],
  ])('%j is refused', (authored, message) => {
    expect(() => toWirePart(authored)).toThrow(message)
  })

  const partType = fc.constantFrom('response', 'domain-data', 'ta.map')
  const content = fc.oneof(
    fc.record({ text: fc.string() }),
    fc.record({ data: fc.jsonValue() }),
    fc.record({ text: fc.string(), data: fc.jsonValue() }),
  )
  const extra = fc.dictionary(
    fc.string().filter((key) => key !== 'partType'),
    fc.jsonValue(),
  )

  test('wire to shorthand and back gives the same part', () => {
    fc.assert(
      fc.property(partType, content, extra, (type, body, metadata) => {
        const part: Part = { ...body, metadata: { ...metadata, partType: type } }
        expect(toWirePart(toShorthand(part))).toEqual(part)
        expect(toWirePart(JSON.parse(JSON.stringify(toShorthand(part))) as ShorthandPart)).toEqual(
          JSON.parse(JSON.stringify(part)),
        )
      }),
    )
  })

  test('shorthand to wire and back gives the same shorthand', () => {
    fc.assert(
      fc.property(partType, content, extra, (type, body, metadata) => {
        const rest = Object.keys(metadata).length === 0 ? {} : { metadata }
        const shorthand: ShorthandPart = { partType: type, ...body, ...rest }
        expect(toShorthand(toWirePart(shorthand))).toEqual(shorthand)
      }),
    )
  })

  test('what toWirePart gives is what the schema accepts', () => {
    fc.assert(
      fc.property(partType, content, (type, body) => {
        expect(partSchema.parse(toWirePart({ partType: type, ...body }))).toEqual({
          ...body,
          metadata: { partType: type },
        })
      }),
    )
  })
})
