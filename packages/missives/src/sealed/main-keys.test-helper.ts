import { givenKeys, MainKeys } from '@cool-ai/beach-core/encryption'
import type { BoundKey } from '@cool-ai/beach-core/ports'

/** Main keys that are kept nowhere. */
export function newMainKeys(): Promise<MainKeys> {
  const keys = new Map<string, string>()
  const store = {
    bind: async (key: string, value: string) => keys.get(key) ?? (keys.set(key, value), value),
    list: async (): Promise<BoundKey[]> => [...keys].map(([key, value]) => ({ key, value, at: 0 })),
  }
  return MainKeys.open(store, givenKeys(Buffer.alloc(32, 7).toString('base64')))
}
