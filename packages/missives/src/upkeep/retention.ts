import type { Principal, Runtime } from '@cool-ai/beach-core'
import type { AgeQuery, MissiveStore } from '../missives/missive-store.ts'
import type { ProjectedSession } from '../missives/projection.ts'
import type { Budget } from './budget.ts'
import type { Erasure, ErasableSessions } from './erasure.ts'

/** How long messages are kept. The first rule that fits a message counts; one that no rule fits is kept. */
export interface RetentionRule {
  readonly keepMs: number
  /** Those of all tenants when left out. */
  readonly tenant?: string | undefined
  /** Those of all channels when left out. */
  readonly channel?: string | undefined
}

export interface RetentionOptions {
  readonly rules: readonly RetentionRule[]
  readonly store: MissiveStore
  readonly sessions: ErasableSessions
  readonly erasure: Pick<Erasure, 'eraseSession'>
  readonly runtime: Runtime
  /** How far to go; to the end when this is left out. */
  readonly budget?: Budget | undefined
}

/**
 * Forgets what is older than its rule: the missives, and in the session's log what was said before that time. A session
 * in which nothing has happened since then is erased as a whole. Returns how many sessions have lost something.
 */
export async function applyRetention(options: RetentionOptions): Promise<number> {
  const { rules, store, runtime, budget } = options
  const now = runtime.clock.now()
  const touched = new Set<string>()
  for (const [index, rule] of rules.entries()) {
    const { keepMs, ...which } = rule
    const aged: AgeQuery = { ...which, before: now - keepMs, except: rules.slice(0, index) }
    for await (const session of agedSessions(store, aged)) {
      if (budget?.isSpent === true) return touched.size
      await budget?.spend(100)
      try {
        await retain(session, rule, aged, now, options)
        touched.add(session)
      } catch (error) {
        if (budget === undefined) throw error
        // The others are not to blame.
        runtime.logger.log('warn', 'content that is too old could not be erased from a session', { session, error })
      }
    }
  }
  return touched.size
}

async function* agedSessions(store: MissiveStore, aged: AgeQuery): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const page = await store.agedSessions(aged, after, 200)
    yield* page
    after = page.at(-1)
    if (page.length < 200) return
  }
}

/** The log first: should we crash in between, the missives still tell that there is something to do. */
async function retain(
  session: string,
  rule: RetentionRule,
  aged: AgeQuery,
  now: number,
  { rules, store, sessions, erasure }: RetentionOptions,
): Promise<void> {
  const state = (await store.place(session))?.state as ProjectedSession | undefined
  const tenant = state?.tenant
  if (state === undefined || tenant === undefined) return
  const before = now - maxKeepLength(state, rule, rules)
  if (state.lastAt < before) return erasure.eraseSession(session, tenant)
  if (Number.isFinite(before)) {
    const by: Principal = { kind: 'operator', id: 'retention', tenant }
    await sessions.erase(session, { scope: 'before', before }, by)
    await store.forgetArtifacts(session, before)
  }
  await store.forgetAged(session, aged)
}

/** What was said in a session is kept for as long as one of its channels wants it. */
function maxKeepLength(
  { tenant, originators }: ProjectedSession,
  rule: RetentionRule,
  rules: readonly RetentionRule[],
): number {
  const keeps = originators.map(({ transport }) => {
    const found = rules.find((one) => (one.tenant ?? tenant) === tenant && (one.channel ?? transport) === transport)
    return found?.keepMs ?? Infinity
  })
  return keeps.length === 0 ? rule.keepMs : Math.max(...keeps)
}
