import { z } from 'zod'
import type { Journal } from '@cool-ai/beach-testing/mail'

export const readEntrySchema = z.object({ ids: z.array(z.string()) })

export type ReadEntry = z.infer<typeof readEntrySchema>

/** What has been looked at. */
export class ReadMarks {
  readonly #journal: Journal<ReadEntry>
  readonly #ids: Set<string>

  constructor(journal: Journal<ReadEntry>) {
    this.#journal = journal
    this.#ids = new Set(journal.past.flatMap(({ ids }) => ids))
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(given: readonly string[]): void {
    const ids = given.filter((id) => !this.#ids.has(id))
    if (ids.length === 0) return
    this.#journal.add({ ids })
    for (const id of ids) this.#ids.add(id)
  }
}
