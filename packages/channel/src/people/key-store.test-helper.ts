import type { Store } from '@cool-ai/beach-core'

/** The keys of a store, in memory. */
export function keyStore() {
  const entries = new Map<string, string>()
  const store = {
    bind: async (key: string, value: string) => {
      const bound = entries.get(key) ?? value
      entries.set(key, bound)
      return bound
    },
    unbind: async (key: string) => void entries.delete(key),
    list: async (prefix: string, after = '', limit = 1_000) =>
      [...entries]
        .map(([key, value]) => ({ key, value }))
        .filter(({ key }) => key.startsWith(prefix) && key > after)
        .toSorted((one, other) => (one.key < other.key ? -1 : 1))
        .slice(0, limit),
  }
  return { entries, store: store as unknown as Store }
}
