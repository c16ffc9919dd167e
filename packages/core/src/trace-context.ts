import { contentHash } from './json.ts'

const zeros = /^0+$/
// A later version may have more fields at its end, which are dropped.
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const maxLength = 256

/** The fields of a W3C trace context. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly flags: string
}

/** A `traceparent` header that can be used; anything else is as if there were none. */
export function parseTraceparent(text: string | null | undefined): TraceContext | undefined {
  if (text === null || text === undefined || text.length > maxLength) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return zeros.test(traceId) || zeros.test(spanId) ? undefined : { traceId, spanId, flags }
}

/** The header of W3C trace context for a span. */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`
}

/** The trace that a turn belongs to: the one that its message came with or, without one, an id that follows from its own. */
export function traceIdOf(turnId: string, trace: string | undefined): string {
  const given = parseTraceparent(trace)
  if (given !== undefined) return given.traceId
  const digits = [0, 1, 2].map((place) =>
    Number.parseInt(contentHash([turnId, place]), 36)
      .toString(16)
      .slice(-11),
  )
  return digits
    .map((one) => one.padStart(11, '0'))
    .join('')
    .slice(0, 32)
}
