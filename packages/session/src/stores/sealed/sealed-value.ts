import type { MainKeys } from '@cool-ai/beach-core/encryption'

const mark = 'sealed:'

/** The value of a key as it is stored. It is bound to its key. */
export function sealValue(main: MainKeys, key: string, value: string): string {
  return mark + main.seal('key', value, ['key', key])
}

/** The value of a key; one that was stored before the data was encrypted as it is. */
export function openValue(main: MainKeys, key: string, stored: string): string {
  if (!isValueSealed(stored)) return stored
  return main.open('key', stored.slice(mark.length), ['key', key]).toString()
}

export function isValueSealed(stored: string): boolean {
  return stored.startsWith(mark)
}
