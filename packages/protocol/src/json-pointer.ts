export type Resolved = { readonly found: true; readonly value: unknown } | { readonly found: false }

/** The syntax of RFC 6901: empty, or `/`-led tokens in which `~` is escaped. */
export const jsonPointerPattern: RegExp = /^(\/([^~/]|~[01])*)*$/

/** True for a string with the syntax of a JSON Pointer. */
export function isJsonPointer(pointer: string): boolean {
  return jsonPointerPattern.test(pointer)
}

/** The value at a pointer, looking only at the value's own members. */
export function resolvePointer(root: unknown, pointer: string): Resolved {
  if (!isJsonPointer(pointer)) return { found: false }
  let value = root
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(key)) return { found: false }
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return { found: false }
    value = (value as Record<string, unknown>)[key]
  }
  return { found: true, value }
}

/** The pointer to a member of what `pointer` leads to. */
export function pointerTo(pointer: string, key: string): string {
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
