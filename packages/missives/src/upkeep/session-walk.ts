import type { Runtime } from '@cool-ai/beach-core'
import type { BoundKey } from '@cool-ai/beach-core/ports'
import type { AllGiven } from '@cool-ai/beach-core/runtime'
import type { Budget } from './budget.ts'
import { dropSession, resumeDrops, type DropOptions } from './drop-session.ts'
import type { RetentionTimes } from './retention-times.ts'

export interface SessionWalkOptions extends DropOptions {
  readonly runtime: Runtime
  readonly times: AllGiven<RetentionTimes>
}

const pageSize = 200
const dayMs = 24 * 60 * 60 * 1_000

/** Goes through the keys that list sessions, and drops the sessions that have been unused for the retention time. */
export class SessionWalk {
  readonly #options: SessionWalkOptions
  #after: string | undefined

  constructor(options: SessionWalkOptions) {
    this.#options = options
  }

  /** Goes on where it was; true when it has come to the end, and begins anew the next time. */
  async run(budget: Budget): Promise<boolean> {
    const { store, runtime } = this.#options
    await resumeDrops(this.#options)
    let count = 0
    for (;;) {
      const page = await store.list('session:', this.#after, pageSize)
      for (const key of page) {
        if (budget.isSpent) break
        await budget.spend(1)
        if (await this.#take(key, budget)) count++
        this.#after = key.key
      }
      if (budget.isSpent || page.length < pageSize) break
    }
    if (count > 0) {
      runtime.logger.log('info', 'unused sessions were dropped', { count })
      await this.#emptyJournal()
    }
    if (budget.isSpent) return false
    this.#after = undefined
    return true
  }

  /** What was deleted is still in the journal until that is emptied, now or with the next erasure. */
  async #emptyJournal(): Promise<void> {
    const { store, runtime } = this.#options
    try {
      await store.erase('', [])
    } catch (error) {
      runtime.logger.log('warn', 'the journal could not be emptied after sessions were dropped', { error })
    }
  }

  async #take(listed: BoundKey, budget: Budget): Promise<boolean> {
    const { store, sessions, runtime, times } = this.#options
    const { key, value: session, at } = listed
    const now = runtime.clock.now()
    const { sessionsMs, emptySessionsMs, guestSessionsMs } = times
    const usedMs = isGuests(key) ? Math.min(guestSessionsMs, sessionsMs) : sessionsMs
    const emptyMs = isGuests(key) ? Math.min(emptySessionsMs, usedMs) : sessionsMs
    // The process that has bound the key opens the session right afterwards.
    if (at <= 0 || at > now - dayMs) return false
    await budget.spend(5)
    const [first] = await store.read(session, 0, 1)
    if (first === undefined) {
      await store.unbind(key)
      return false
    }
    if (at > now - Math.min(emptyMs, usedMs)) return false
    await budget.spend(20)
    const activity = await sessions.activity(session)
    if (activity === undefined || activity.isBusy) return false
    const before = now - (activity.isEmpty ? emptyMs : usedMs)
    if (activity.lastAt >= before) return false
    try {
      return await dropSession(
        this.#options,
        { tenant: activity.tenant, session, before, listed: key },
        activity.isEmpty,
      )
    } catch (error) {
      // The others are not to blame.
      runtime.logger.log('warn', 'a session could not be dropped; it is tried again', { session, error })
      return false
    }
  }
}

/** A key that lists a session names its tenant and its owner. */
function isGuests(key: string): boolean {
  return key.split(':')[2]?.startsWith('anonymous~') === true
}
