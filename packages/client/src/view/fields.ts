/** Data as it comes: it may be anything, so nothing is taken for granted. */
export type Fields = Readonly<Record<string, unknown>>

/** The members of an object; none when the value is something else. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects of a list; undefined when it is no list, or one of something else. */
export function listOfFields(value: unknown): readonly Fields[] | undefined {
  return Array.isArray(value) && value.every(isFields) ? value : undefined
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
