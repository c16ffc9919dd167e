import type { ArtifactStore, Runtime, Store } from '@cool-ai/beach-core'
import type { KeyRetention, RecordTimes } from '@cool-ai/beach-core/ports'
import type { AllGiven } from '@cool-ai/beach-core/runtime'
import type { Missives } from '../missives/missives.ts'
import type { Budget } from './budget.ts'
import type { DroppableSessions } from './drop-session.ts'
import { retentionTimes, type RetentionTimes } from './retention-times.ts'

/** What upkeep works on, and how much at a time. */
export interface UpkeepOptions {
  readonly store: Store
  readonly runtime: Runtime
  readonly sessions: DroppableSessions & { keyRetention(times: RecordTimes): readonly KeyRetention[] }
  /** When the keys of others than the sessions may go. */
  readonly keys?: ((times: RecordTimes) => Promise<readonly KeyRetention[]>) | undefined
  /** How long what is over is kept; false keeps all of it. */
  readonly retention?: RetentionTimes | false | undefined
  readonly artifacts?: ArtifactStore | undefined
  readonly missives?: Missives | undefined
}

const firstMs = 60 * 1_000
const everyMs = 24 * 60 * 60 * 1_000
const maxGapMs = 3 * everyMs
const runs = 'upkeep:'

/** A piece of the upkeep. */
interface Task {
  /** Goes on where it was; true when it has come to the end, and begins anew the next time. */
  run(budget: Budget): Promise<boolean>
}

/** Does, every day, what makes an agent's data smaller: a bounded piece at a time, and the next one a minute later. */
export class Upkeep {
  readonly #options: UpkeepOptions
  /** Undefined when all is kept. */
  readonly #times: AllGiven<RetentionTimes> | undefined
  #tasks: readonly Task[] | undefined
  readonly #ending = new AbortController()
  /** The task at which the next run goes on. */
  #next = 0
  #cancel = () => {}
  #working: Promise<void> = Promise.resolve()

  constructor(options: UpkeepOptions) {
    this.#options = options
    this.#times = options.retention === false ? undefined : retentionTimes(options.retention)
  }

  start(): void {
    this.#schedule(firstMs)
  }

  /** Lets what is going on come to its end. */
  async stop(): Promise<void> {
    this.#ending.abort()
    this.#cancel()
    await this.#working
  }

  #schedule(ms: number): void {
    if (this.#ending.signal.aborted) return
    this.#cancel = this.#options.runtime.clock.timer(ms, () => {
      this.#working = this.#run().then((isDone) => this.#schedule(isDone ? everyMs : firstMs))
    })
  }

  /** True when nothing is left to do. */
  async #run(): Promise<boolean> {
    const { store, runtime, missives } = this.#options
    const { Budget } = await import('./budget.ts')
    const budget = new Budget(runtime.clock, this.#ending.signal)
    try {
      this.#tasks ??= await tasksOf(this.#options, this.#times)
      await missives?.resume()
      if (!(await noteRun(store, runtime.clock.now()))) return true
    } catch (error) {
      this.#report(error)
      return true
    }
    for (; this.#next < this.#tasks.length; this.#next++) {
      if (budget.isSpent || !(await this.#runTask(this.#tasks[this.#next], budget))) return false
    }
    this.#next = 0
    return true
  }

  /** A task that fails is done for today: the others are not to blame. */
  async #runTask(task: Task | undefined, budget: Budget): Promise<boolean> {
    try {
      return (await task?.run(budget)) ?? true
    } catch (error) {
      this.#report(error)
      return true
    }
  }

  #report(error: unknown): void {
    if (this.#ending.signal.aborted) return
    this.#options.runtime.logger.log('error', 'the upkeep failed; it is tried again in a day', { error })
  }
}

/** Loaded by the first run. */
async function tasksOf(options: UpkeepOptions, times: AllGiven<RetentionTimes> | undefined): Promise<Task[]> {
  const { store, runtime, sessions, artifacts, missives, keys } = options
  const keepsLost = times === undefined
  const ofMissives = missives ? [{ run: (budget: Budget) => missives.upkeep(budget, { keepsLost }) }] : []
  if (times === undefined) return ofMissives
  const [{ SessionWalk }, { KeyWalk }, { MemoryWalk }] = await Promise.all([
    import('./session-walk.ts'),
    import('./key-walk.ts'),
    import('./memory-walk.ts'),
  ])
  const rules = [...sessions.keyRetention(times), ...((await keys?.(times)) ?? [])]
  const activity = (session: string) => sessions.activity(session)
  return [
    ...ofMissives,
    new SessionWalk({ store, runtime, sessions, times, artifacts, ...missives?.dropping() }),
    new KeyWalk({ store, runtime, rules, activity }),
    ...(times.guestSessionsMs < Infinity ? [new MemoryWalk({ store, runtime, guestsMs: times.guestSessionsMs })] : []),
  ]
}

/**
 * Puts on record that the upkeep runs now. False when it has not run in the last three days: either no process was
 * there, or the clock was set. Then nothing goes in this run, so that a clock that is wrong for less than a day costs no
 * data.
 */
async function noteRun(store: Store, now: number): Promise<boolean> {
  const key = `${runs}${now}`
  const earlier = await store.list(runs)
  await store.bind(key, String(now))
  for (const other of earlier) if (other.key !== key) await store.unbind(other.key)
  return earlier.some(({ value }) => Number(value) <= now && Number(value) >= now - maxGapMs)
}
