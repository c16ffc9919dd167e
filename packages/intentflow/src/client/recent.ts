/** The ids that were seen last: so many of them, the oldest are forgotten. */
export function recentIds(max: number) {
  const ids = new Set<string>()
  return {
    has: (id: string): boolean => ids.has(id),
    /** Remembers an id; false when it was known. */
    add(id: string): boolean {
      const isNew = !ids.delete(id)
      ids.add(id)
      keepLatest(ids, max)
      return isNew
    },
  }
}

/** Forgets the oldest, so that no more than `max` are left. */
export function keepLatest<Key>(all: Set<Key> | Map<Key, unknown>, max: number): void {
  for (const oldest of all.keys()) {
    if (all.size <= max) return
    all.delete(oldest)
  }
}
