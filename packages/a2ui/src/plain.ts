export type PlainObject = Readonly<Record<string, unknown>>

/** True for an object that JSON would write with braces. */
export function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** An object's own value of a key: what its prototype has is none of the data's. */
export function own(object: PlainObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return `the string ${quoted(value)}`
  if (typeof value === 'number' || typeof value === 'boolean') return `the ${typeof value} ${value}`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const maxQuoteLength = 60

/** A text in quotation marks, cut to a length that a sentence can hold. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text)
}

/** The longest text that a surface's pattern is tried on. */
export const maxCheckedLength = 1_000
