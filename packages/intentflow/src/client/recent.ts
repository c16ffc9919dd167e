/** The ids that were seen last: so many of them, the oldest are forgotten. */
export interface Recent {
  readonly has: (id: string) => boolean
  /** Remembers an id; false when it was known. */
  readonly add: (id: string) => boolean
}

export function recentIds(most: number): Recent {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add(id) {
      const isNew = !ids.delete(id)
      ids.add(id)
      if (ids.size > most) {
        for (const oldest of ids) {
          ids.delete(oldest)
          break
        }
      }
      return isNew
    },
  }
}
