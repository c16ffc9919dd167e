import { describe, expect, test } from 'vitest'
import { parseTraceparent, traceIdOf, traceparentOf } from './trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

describe('a traceparent header', () => {
  test('is read and written as the W3C has it', () => {
    const text = `00-${traceId}-${spanId}-01`
    const parsed = parseTraceparent(text)
    expect(parsed).toEqual({ traceId, spanId, flags: '01' })
    expect(parsed && traceparentOf(parsed)).toBe(text)
  })

  test('of a later version is read up to what this version knows', () => {
    expect(parseTraceparent(`cc-${traceId}-${spanId}-00-what-comes-later`)).toEqual({ traceId, spanId, flags: '00' })
  })

  test.each([
    undefined,
    null,
    '',
    traceId,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\r\nx: y`,
    `cc-${traceId}-${spanId}-01-${'x'.repeat(1_000)}`,
  ])('that is wrong is as if there were none: %s', (text) => {
    expect(parseTraceparent(text)).toBeUndefined()
  })
})

describe('the trace id of a turn', () => {
  test('is that of its message, or follows from the id of the turn', () => {
    expect(traceIdOf('turn_1', `00-${traceId}-${spanId}-00`)).toBe(traceId)
    const own = traceIdOf('turn_1', undefined)
    expect(own).toMatch(/^[0-9a-f]{32}$/)
    expect(traceIdOf('turn_1', undefined)).toBe(own)
    expect(traceIdOf('turn_2', undefined)).not.toBe(own)
  })
})
