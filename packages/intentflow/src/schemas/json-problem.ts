/** What one payload may hold. Bodies as a whole are bounded where they come in. */
export const flowLimits = {
  /** Bytes of JSON of a flow's props, and of one update of them. */
  propsBytes: 64 * 1024,
  /** Bytes of JSON of a machine's context, of an event's payload, of entities and of results. */
  contextBytes: 16 * 1024,
  idLength: 128,
  textLength: 4_096,
  operations: 100,
  /** Client events in one request. */
  events: 50,
  /** Flows and instances that a client can say it knows. */
  known: 200,
  /** How deep JSON may be nested. */
  depth: 32,
} as const

/** Keys that no application needs as data and that are a trap in all. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** An object of JSON, as far as nothing more is known of it. */
export type Values = Readonly<Record<string, unknown>>

const encoder = new TextEncoder()

/** What keeps a value from being stored and sent as JSON of at most `maxBytes`, in a sentence; undefined if nothing does. */
export function jsonProblem(value: unknown, maxBytes: number): string | undefined {
  const problem = valueProblem(value, '', 0)
  if (problem !== undefined) return problem
  const text = JSON.stringify(value)
  // A character is at most three bytes: short texts need no counting.
  if (text.length * 3 <= maxBytes) return undefined
  const bytes = encoder.encode(text).length
  return bytes > maxBytes ? `is ${bytes} bytes of JSON; at most ${maxBytes} are allowed` : undefined
}

/** As jsonProblem, and the value must be an object. */
export function recordProblem(value: unknown, maxBytes: number): string | undefined {
  return isRecord(value) ? jsonProblem(value, maxBytes) : 'must be an object'
}

/** True for an object that JSON would write with braces. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A value without the members that JSON leaves out because they are undefined. */
export function plainJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : plainJson(item)))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries.map(([key, member]) => [key, plainJson(member)]))
}

/** True when two values of JSON are written the same, whatever the order of their members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  }
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
}

function valueProblem(value: unknown, path: string, depth: number): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : `has ${String(value)}${at(path)}, which JSON cannot hold`
  }
  if (depth >= flowLimits.depth) return `is nested deeper than ${flowLimits.depth} levels`
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = valueProblem(item, `${path}[${index}]`, depth + 1)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  if (!isRecord(value)) return `has a value${at(path)} that JSON cannot hold (${typeof value})`
  for (const key of Object.keys(value)) {
    if (forbiddenKeys.has(key)) return `has the key "${key}"${at(path)}, which is not allowed`
    const problem = valueProblem(value[key], path === '' ? key : `${path}.${key}`, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

function at(path: string): string {
  return path === '' ? '' : ` at ${path}`
}
