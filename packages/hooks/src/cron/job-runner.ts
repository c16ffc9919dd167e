import { hash } from 'node:crypto'
import { messageParts } from '@cool-ai/beach-channel'
import {
  BeachError,
  isBeachError,
  sleep,
  type Originator,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type Sessions,
  type Store,
} from '@cool-ai/beach-core'
import { defined, encodeId, ifFound } from '@cool-ai/beach-core/runtime'
import type { CronJob } from './cron-job.ts'
import { cronTicks, type CronTicks } from './cron-ticks.ts'
import { TickLedger, type Progress } from './tick-ledger.ts'

export interface JobRunnerOptions {
  readonly name: string
  readonly job: CronJob
  readonly store: Store
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly tenant: string
}

/** The status of a job. */
export interface JobStatus {
  readonly job: string
  /** The next time of the pattern. */
  readonly next?: number
  /** The session of the last run. */
  readonly session?: string
  /** How many ticks were left out since the last run. */
  readonly skipped: number
}

/** Clocks can be set: no wait is longer than this, so that a jump is noticed in time. */
const maxWaitMs = 30_000
/** A tick that is older was missed. */
const graceMs = 60_000
const busyWaitMs = 5_000
/** No more than so many missed ticks are run. */
const maxMissed = 100
const maxTries = 5
/** A job that has come further than this was there with a wrong clock. */
const maxAheadMs = 24 * 60 * 60 * 1_000

/** Runs one job: posts its message, once for each tick, in whichever process gets there first. */
export class JobRunner {
  readonly #options: JobRunnerOptions
  readonly #ticks: CronTicks
  readonly #ledger: TickLedger
  readonly #principal: Principal
  readonly #tries = new Map<number, number>()

  constructor(options: JobRunnerOptions) {
    const { name, job, store, tenant } = options
    const { cron, timezone = 'UTC', principal = { kind: 'user', id: `cron:${name}` } } = job
    this.#options = options
    this.#ticks = cronTicks(cron, timezone)
    this.#ledger = new TickLedger(store, { tenant, job: name, schedule: `${timezone} ${cron}` })
    this.#principal = { ...principal, tenant }
  }

  async run(sessions: Sessions, signal: AbortSignal): Promise<void> {
    const { runtime, name } = this.#options
    const { clock, logger } = runtime
    let failures = 0
    let isTidy = false
    while (!signal.aborted) {
      let wait = maxWaitMs
      try {
        if (!isTidy) await this.#ledger.dropOthers()
        isTidy = true
        wait = await this.#round(sessions, signal)
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        logger.log('warn', 'a job could not be run and is tried again', { job: name, error })
        wait = 1_000 * 2 ** Math.min(failures++, 5)
      }
      await sleep(clock, Math.min(wait, maxWaitMs), signal)
    }
  }

  async status(): Promise<JobStatus> {
    const now = this.#options.runtime.clock.now()
    const { tick, session, skipped } = await this.#ledger.progress(now)
    const next = this.#ticks.next(Math.max(tick, now))
    return defined({ job: this.#options.name, skipped, next, session })
  }

  /** Does what is due; returns how long there is nothing to do. */
  async #round(sessions: Sessions, signal: AbortSignal): Promise<number> {
    const { runtime } = this.#options
    const now = runtime.clock.now()
    let progress = await this.#progress(now)
    const begun = (await this.#ledger.begun()).filter((tick) => tick > progress.tick)
    for (const errand of this.#errands(begun, progress, now)) {
      if (signal.aborted) return 0
      const next = await this.#settle(errand, progress, sessions)
      if (next === 'busy') return busyWaitMs
      progress = next
    }
    const later = runtime.clock.now()
    const next = this.#ticks.next(Math.max(progress.tick, later))
    return next === undefined ? maxWaitMs : Math.max(next - later, 0)
  }

  /** How far the job has come; from now on, when it came that far by a clock that was ahead. */
  async #progress(now: number): Promise<Progress> {
    const progress = await this.#ledger.progress(now)
    if (progress.tick <= now + maxAheadMs) return progress
    const { runtime, name } = this.#options
    runtime.logger.log('warn', 'the clock was ahead; the job goes on from now', { job: name, tick: progress.tick })
    const again = { ...progress, tick: now }
    await this.#ledger.restart(again)
    return again
  }

  /** What is to be done, in order: what was begun, what is due, and as many missed ticks as the policy says. */
  #errands(begun: readonly number[], progress: Progress, now: number): TickJob[] {
    const due = this.#ticks.between(progress.tick, now, maxMissed).filter((tick) => !begun.includes(tick))
    const isLate = (tick: number) => tick < now - graceMs
    const [late, punctual] = [due.filter(isLate), due.filter((tick) => !isLate(tick))]
    const kept = this.#worthRunning(late, punctual)
    const left = late.filter((tick) => !kept.includes(tick))
    const [last] = left.slice(-1)
    return [
      ...begun.map((tick): TickJob => ({ tick, wish: 'begun' })),
      // One entry for all of them: everything before a finished tick is finished too.
      ...(last === undefined ? [] : [{ tick: last, wish: 'miss', count: left.length } satisfies TickJob]),
      ...[...kept, ...punctual].map((tick): TickJob => ({ tick, wish: 'run' })),
    ].toSorted((one, other) => one.tick - other.tick)
  }

  #worthRunning(late: readonly number[], punctual: readonly number[]): readonly number[] {
    switch (this.#options.job.missed ?? 'last') {
      case 'all':
        return late
      case 'last':
        return punctual.length > 0 ? [] : late.slice(-1)
      case 'skip':
        return []
    }
  }

  /** Finishes one tick; returns how far the job has come by that. */
  async #settle(errand: TickJob, progress: Progress, sessions: Sessions): Promise<Progress | 'busy'> {
    const { runtime, name, job } = this.#options
    const { tick } = errand
    const isBusy = errand.wish === 'run' && (await this.#isBusy(progress, sessions))
    // Where every tick counts, it waits for its turn.
    if (isBusy && job.missed === 'all') return 'busy'
    const skip = errand.wish === 'miss' ? 'missed' : isBusy ? 'overlap' : undefined
    const decided = await this.#ledger.decide(tick, skip === undefined ? { run: this.#sessionOf(tick) } : { skip })
    // Another process may have finished it, and cleaned up, before it was decided here.
    const latest = await this.#ledger.progress(runtime.clock.now())
    if (latest.tick >= tick) {
      await this.#ledger.tidy(latest.tick)
      return latest
    }
    const isRun = 'run' in decided && (await this.#say(decided.run, { tick, skipped: latest.skipped }, sessions))
    const reached: Progress =
      'run' in decided && isRun
        ? { tick, session: decided.run, skipped: 0 }
        : { ...latest, tick, skipped: latest.skipped + ('count' in errand ? errand.count : 1) }
    if (!isRun)
      runtime.logger.log('warn', 'a job was not run', {
        job: name,
        tick,
        reason: 'skip' in decided ? decided.skip : 'failed',
      })
    await this.#ledger.finish(reached)
    return reached
  }

  async #isBusy({ session }: Progress, sessions: Sessions): Promise<boolean> {
    const view = session === undefined ? undefined : await ifFound(sessions.view(session, this.#principal))
    return view !== undefined && (view.turn !== undefined || view.waiting > 0)
  }

  /** Posts the job's message, once however often this is called; false when that cannot be done. */
  async #say(
    session: string,
    tick: { readonly tick: number; readonly skipped: number },
    sessions: Sessions,
  ): Promise<boolean> {
    const { name } = this.#options
    try {
      await this.#post(session, tick, sessions)
      this.#tries.delete(tick.tick)
      return true
    } catch (error) {
      // It was posted before, with other words: the words of a job may depend on when it is asked.
      if (isBeachError(error, 'IDEMPOTENCY_MISMATCH')) return true
      const tries = (this.#tries.get(tick.tick) ?? 0) + 1
      this.#tries.set(tick.tick, tries)
      const isHopeless = isBeachError(error) && !error.retryable && error.code !== 'STORE_CLOSED'
      if (!isHopeless && tries < maxTries) throw error
      this.#tries.delete(tick.tick)
      this.#options.runtime.logger.log('error', 'a job failed and is given up for this time', {
        job: name,
        ...tick,
        error,
      })
      return false
    }
  }

  async #post(
    session: string,
    { tick, skipped }: { readonly tick: number; readonly skipped: number },
    sessions: Sessions,
  ): Promise<void> {
    const { name, job, partTypes } = this.#options
    const principal = this.#principal
    const opening = defined({ approvers: job.approvers })
    const given = typeof job.parts === 'function' ? await job.parts({ job: name, at: tick, skipped }) : job.parts
    const parts = messageParts(given, partTypes)
    if (parts.length === 0) throw new BeachError('INVALID_PART', `The job '${name}' has no message.`)
    const { to = [] } = job
    // They join before the message is posted, so that not even the fastest answer is missed.
    if (to.length > 0) await sessions.open({ principal, id: session, ...opening })
    for (const originator of to) await sessions.join(session, originator, principal)
    const from: Originator = { id: `cron:${name}`, transport: 'cron', deliveryClass: 'buffered', principal }
    await sessions.post(session, { parts, from, dedupeKey: `cron:${name}:${tick}` }, principal, opening)
  }

  /** Derived from job and tick, so that every process uses the same session. */
  #sessionOf(tick: number): string {
    const { name, job, tenant } = this.#options
    const text = JSON.stringify(['cron', tenant, name, ...(job.session === 'new' ? [tick] : [])])
    return `sess_${encodeId(hash('sha256', text, 'buffer').subarray(0, 16))}`
  }
}

/** A tick, and what is to be done with it as far as this process can tell. */
type TickJob =
  | { readonly tick: number; readonly wish: 'run' | 'begun' }
  | { readonly tick: number; readonly wish: 'miss'; readonly count: number }
