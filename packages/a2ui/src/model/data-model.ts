import { isPlainObject, own } from '../plain.ts'
import { isAllowedName, segmentsOf } from '../pointer.ts'

const index = /^(?:0|[1-9]\d{0,5})$/

/** The value at a path of the data; undefined when there is none. */
export function valueAt(data: unknown, path: string): unknown {
  let value = data
  for (const name of segmentsOf(path)) {
    if (Array.isArray(value)) value = index.test(name) ? (value[Number(name)] as unknown) : undefined
    else if (isPlainObject(value)) value = own(value, name)
    else return undefined
  }
  return value
}

/** The data with another value at a path, or without it; what leads nowhere changes nothing. */
export function withValueAt(data: unknown, path: string, value: unknown): unknown {
  return replaced(data, segmentsOf(path), value)
}

function replaced(data: unknown, names: readonly string[], value: unknown): unknown {
  const [name, ...rest] = names
  if (name === undefined) return value
  if (!isAllowedName(name)) return data
  if (Array.isArray(data)) return index.test(name) ? inArray(data, Number(name), rest, value) : data
  if (data !== undefined && data !== null && !isPlainObject(data)) return data
  const object = data ?? {}
  const member = replaced(own(object, name) ?? containerFor(rest), rest, value)
  if (member !== undefined) return { ...object, [name]: member }
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
}

function inArray(items: readonly unknown[], at: number, rest: readonly string[], value: unknown): unknown[] {
  // A hole of any size would cost more memory than the message has characters.
  if (at > items.length) return [...items]
  const copy = [...items]
  copy[at] = replaced(items[at] ?? containerFor(rest), rest, value)
  return copy
}

/** What a path makes where nothing stands: a list when an index comes next. */
function containerFor([next]: readonly string[]): unknown {
  if (next === undefined) return undefined
  return index.test(next) ? [] : {}
}
