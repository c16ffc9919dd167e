const other = Symbol('not plain')
// Deeper values are left to JSON, which knows what to say to one that contains itself.
const deepest = 64

/** A copy of a value as it comes back from JSON: what is written is not changed by whoever still has the original. */
export function jsonCopy<Value>(value: Value): Value {
  if (value === undefined) return value
  const copy = plainCopy(value, 0)
  return (copy === other ? JSON.parse(JSON.stringify(value)) : copy) as Value
}

/** The same for what JSON has itself, without writing it down. */
function plainCopy(value: unknown, depth: number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : other
  if (typeof value !== 'object' || depth > deepest) return other
  return Array.isArray(value) ? listCopy(value, depth + 1) : objectCopy(value, depth + 1)
}

function listCopy(list: readonly unknown[], depth: number): unknown {
  if ('toJSON' in list) return other
  const copy: unknown[] = []
  for (const item of list) {
    const copied = plainCopy(item, depth)
    if (copied === other) return other
    copy.push(copied)
  }
  return copy
}

function objectCopy(object: object, depth: number): unknown {
  const prototype: unknown = Object.getPrototypeOf(object)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in object) return other
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(object)) {
    const item = (object as Record<string, unknown>)[key]
    if (item === undefined) continue
    const copied = key === '__proto__' ? other : plainCopy(item, depth)
    if (copied === other) return other
    copy[key] = copied
  }
  return copy
}
