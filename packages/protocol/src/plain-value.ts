/** True for an object that JSON would write with braces; a Date or a class's instance is a value of its own. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The members that may be merged: `__proto__` is data in nobody's application and a trap in everybody's. */
export function safeEntries(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([key]) => key !== '__proto__')
}
