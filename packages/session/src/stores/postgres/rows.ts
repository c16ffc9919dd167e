import type { StoredEvent } from '@cool-ai/beach-core/ports'

/** A row of `event`: the events from `seq` to `last`, one in each line of `data`. */
export interface AppendRow {
  readonly seq: number
  readonly last: number
  readonly data: string
}

/** The events of rows after a seq, as many as may be read, but one at least. `isCut` when there are more in the rows. */
export function eventsIn(
  rows: readonly AppendRow[],
  after: number,
  limit: number,
  maxCharacters: number,
): { readonly events: StoredEvent[]; readonly characters: number; readonly isCut: boolean } {
  const events: StoredEvent[] = []
  let characters = 0
  for (const row of rows) {
    // A dropped session's row has none.
    if (row.last < row.seq) continue
    for (const [index, text] of row.data.split('\n').entries()) {
      const seq = row.seq + index
      if (seq <= after) continue
      if (events.length === limit || (events.length > 0 && characters + text.length > maxCharacters)) {
        return { events, characters, isCut: true }
      }
      characters += text.length
      events.push({ seq, data: JSON.parse(text) as unknown })
    }
  }
  return { events, characters, isCut: false }
}
