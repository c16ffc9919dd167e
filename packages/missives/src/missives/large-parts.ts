import type { Part, Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { partAt, type PartPosition } from './missive-parts.ts'
import { isPlace, type StoredMissive } from './missive-row.ts'
import type { Missive } from './missive.ts'

/** The sessions' logs, where large parts are read from. */
export type PartLog = Pick<Store, 'read'>

/** A missive with the parts that stand in the log; those that were taken out of it are gone here too. */
export async function withLargeParts({ words: _, ...kept }: StoredMissive, log: PartLog | undefined): Promise<Missive> {
  const parts: Part[] = []
  for (const part of kept.parts) {
    const whole = isPlace(part) ? await readPart(kept.sessionId, part.in, log) : part
    if (whole !== undefined) parts.push(whole)
  }
  return { ...kept, parts }
}

async function readPart(
  session: string,
  [seq, index]: PartPosition,
  log: PartLog | undefined,
): Promise<Part | undefined> {
  const [found] = (await log?.read(session, seq - 1, 1)) ?? []
  return found?.seq === seq ? partAt(found.data as SessionEvent, index) : undefined
}
