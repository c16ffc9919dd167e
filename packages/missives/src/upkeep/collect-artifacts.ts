import type { Artifact, ArtifactStore, Runtime } from '@cool-ai/beach-core'
import type { MissiveFollower } from '../missives/follower.ts'
import type { MissiveStore } from '../missives/missive-store.ts'
import type { Budget } from './budget.ts'

/** True for artifacts that must stay though no message names them: files of the application itself. */
export type KeepArtifact = (artifact: Artifact) => boolean

export interface CollectOptions {
  readonly artifacts: ArtifactStore
  readonly store: MissiveStore
  readonly follower: MissiveFollower
  readonly runtime: Runtime
  /** How long an artifact may be without a message that names it; a day when left out. */
  readonly graceMs?: number | undefined
  readonly keepArtifact?: KeepArtifact | undefined
  /** True when only artifacts are looked at that are of a session. */
  readonly ofSessions?: boolean | undefined
  /** Where to go on, and how far. */
  readonly after?: string | undefined
  readonly budget?: Budget | undefined
}

export interface Collected {
  readonly count: number
  /** Where to go on the next time; absent when all were looked at. */
  readonly next?: string
}

const dayMs = 24 * 60 * 60 * 1_000

/**
 * Deletes artifacts that no event names. One is only deleted when it is older than the grace period, was found without a
 * name that long ago by an earlier run, and still is when everything in the logs has been read: so a message that is on
 * its way has at least that long to arrive.
 */
export async function collectArtifacts(options: CollectOptions): Promise<Collected> {
  const { artifacts, store, runtime, graceMs = dayMs, keepArtifact, ofSessions, budget } = options
  const now = runtime.clock.now()
  const before = now - graceMs
  let count = 0
  // In the background all logs are read for the first one that may have to go, and for none when there is no such one.
  let isAllRead = budget === undefined
  if (isAllRead) await readAll(options)
  for (let { after } = options; ;) {
    const page = await artifacts.list(after === undefined ? {} : { after })
    const old = page.items.filter((artifact) => {
      if (artifact.createdAt > before || keepArtifact?.(artifact) === true) return false
      return ofSessions !== true || artifact.session !== undefined
    })
    const unnamed = await store.unnamed(
      old.map(({ artifactId }) => artifactId),
      now,
    )
    for (const { artifactId, tenant } of old) {
      if ((unnamed.get(artifactId) ?? Infinity) > before) continue
      if (!isAllRead) await readAll(options)
      isAllRead = true
      if (await isStillUnnamed(artifactId, options)) {
        if (await artifacts.delete(artifactId, tenant)) count++
        await store.collected(artifactId)
      }
    }
    after = page.next
    if (after === undefined) break
    await budget?.spend(page.items.length)
    if (budget?.isSpent === true) return { count, next: after }
  }
  await artifacts.discardLeftovers?.(before)
  return { count }
}

async function readAll({ follower }: CollectOptions): Promise<void> {
  await follower.caughtUp()
  await follower.sweep()
}

/** Looks once more, with what has arrived meanwhile. */
async function isStillUnnamed(artifactId: string, { follower, store, runtime }: CollectOptions): Promise<boolean> {
  await follower.caughtUp()
  return (await store.unnamed([artifactId], runtime.clock.now())).has(artifactId)
}
