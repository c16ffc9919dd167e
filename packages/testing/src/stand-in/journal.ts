/** What a stand-in must still know after a restart: entries, in the order in which they came. */
export interface Journal<Entry> {
  /** What was there when it was opened. */
  readonly past: readonly Entry[]
  add(entry: Entry): void
}

/** A journal that is gone with its process. */
export function memoryJournal<Entry>(): Journal<Entry> {
  return { past: [], add: () => {} }
}
