import type { ArtifactStore, Runtime, Store } from '@cool-ai/beach-core'
import type { SessionActivity } from '@cool-ai/beach-core/ports'
import type { MissiveFollower } from '../missives/follower.ts'
import type { MissiveStore } from '../missives/missive-store.ts'
import type { KeepArtifact } from './collect-artifacts.ts'

/** Sessions that can be closed and dropped once they are no longer needed. */
export interface DroppableSessions {
  activity(session: string): Promise<SessionActivity | undefined>
  closeIdle(session: string, before: number): Promise<boolean>
  dropClosed(session: string): Promise<void>
}

export interface DropOptions {
  readonly store: Store
  readonly sessions: DroppableSessions
  readonly artifacts?: ArtifactStore | undefined
  readonly keepArtifact?: KeepArtifact | undefined
  readonly missives?: { readonly store: MissiveStore; readonly follower: MissiveFollower } | undefined
}

/** A session that is to be dropped if nothing has happened in it since a time, with its artifacts. */
interface Drop {
  readonly tenant: string
  readonly session: string
  readonly before: number
  readonly artifactIds: readonly string[]
  /** The key that lists it. */
  readonly listed: string
}

const drops = 'drop:'
const keyPage = 200

/**
 * Drops a session with its missives and artifacts, unless something has happened in it since `before`. It is on record
 * before it begins, and finished by the process that finds that record after a crash.
 */
export async function dropSession(
  options: DropOptions,
  idle: { readonly tenant: string; readonly session: string; readonly before: number; readonly listed: string },
  isEmpty: boolean,
): Promise<boolean> {
  const { store, missives } = options
  const { session, tenant } = idle
  await missives?.follower.catchUp(session)
  const artifactIds = isEmpty ? [] : await artifactsOf(options, session, tenant)
  const key = `${drops}${encodeURIComponent(tenant)}:${session}`
  await store.bind(key, JSON.stringify({ ...idle, artifactIds } satisfies Drop))
  const isDropped = await carryOut(options, { ...idle, artifactIds })
  await store.unbind(key)
  return isDropped
}

/** Finishes what processes that have ended have begun. */
export async function resumeDrops(options: DropOptions & { readonly runtime: Runtime }): Promise<void> {
  for (const { key, value } of await options.store.list(drops, undefined, keyPage)) {
    try {
      await carryOut(options, JSON.parse(value) as Drop)
      await options.store.unbind(key)
    } catch (error) {
      options.runtime.logger.log('warn', 'a session could not be dropped; it is tried again', { key, error })
    }
  }
}

/** Each step may be done twice; after the first the session is no longer usable. */
async function carryOut(options: DropOptions, drop: Drop): Promise<boolean> {
  const { store, sessions, artifacts, missives } = options
  const { session, tenant, before, artifactIds, listed } = drop
  if (!(await sessions.closeIdle(session, before))) return false
  for (const id of artifactIds) await artifacts?.delete(id, tenant)
  await missives?.store.drop(session)
  await sessions.dropClosed(session)
  await store.unbind(listed)
  return true
}

/** Those that are of the session, or of none and named in it alone. */
async function artifactsOf(
  { artifacts, missives, keepArtifact }: DropOptions,
  session: string,
  tenant: string,
): Promise<string[]> {
  const found = new Set<string>()
  if (artifacts === undefined) return []
  for (const id of (await missives?.store.artifactsOf(session)) ?? []) {
    const artifact = (await artifacts.get(id, tenant))?.artifact
    const isOurs = artifact !== undefined && (artifact.session ?? session) === session
    if (isOurs && keepArtifact?.(artifact) !== true) found.add(id)
  }
  for (let after: string | undefined; ;) {
    const page = await artifacts.list({ tenant, session, after })
    for (const artifact of page.items) if (keepArtifact?.(artifact) !== true) found.add(artifact.artifactId)
    after = page.next
    if (after === undefined) return [...found]
  }
}
