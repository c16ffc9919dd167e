/** The ids that were seen last: so many of them, the oldest are forgotten. */
export interface Recent {
  readonly has: (id: string) => boolean
  /** Remembers an id; false when it was known. */
  readonly add: (id: string) => boolean
}

export function recentIds(max: number): Recent {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add(id) {
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
