/** True for an object that JSON would write with braces; a Date or a class's instance is a value of its own. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The members that may be merged: no application needs `__proto__` as data, and it is a trap in all. */
export function safeEntries(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([key]) => key !== '__proto__')
}
