import {
  BeachError,
  partTypeRegistry,
  systemRuntime,
  type Channel,
  type PartTypeRegistry,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
import type { CronJobs } from './cron-job.ts'
import { JobRunner, type JobStatus } from './job-runner.ts'

export type { CronJob, CronJobs, CronTick } from './cron-job.ts'
export { cronTicks, type CronTicks } from './cron-ticks.ts'
export type { JobStatus } from './job-runner.ts'

export interface CronChannelOptions {
  /** They are declared here, and by nothing that happens later: no actor can make one. */
  readonly jobs: CronJobs
  /** The agent's store: which ticks were run. */
  readonly store: Store
  readonly runtime?: Runtime | undefined
  readonly partTypes?: PartTypeRegistry | undefined
  readonly tenant?: string | undefined
}

export interface CronChannel extends Channel {
  /** How each job stands. */
  jobs(): Promise<readonly JobStatus[]>
}

const maxJobs = 1_000

/** Jobs that begin by themselves, at the times of cron patterns; what they say is said in sessions like any other. */
export function cronChannel(options: CronChannelOptions): CronChannel {
  const { store, runtime = systemRuntime(), partTypes = partTypeRegistry, tenant = 'default' } = options
  const entries = Object.entries(options.jobs)
  if (entries.length > maxJobs) {
    throw new BeachError('INVALID_CONFIGURATION', `${maxJobs} jobs are the most that an agent may have.`)
  }
  const runners = entries.map(([name, job]) => {
    checkJob(name, job)
    return new JobRunner({ name, job: { ...job }, store, runtime, partTypes, tenant })
  })
  const draining = new AbortController()
  return {
    transport: 'cron',
    deliveryClass: 'buffered',
    async start(sessions, signal) {
      const end = AbortSignal.any([signal, draining.signal])
      for (const runner of runners) void runner.run(sessions, end)
    },
    async drain() {
      draining.abort()
    },
    jobs: () => Promise.all(runners.map((runner) => runner.status())),
  }
}

function checkJob(name: string, job: CronJobs[string]): void {
  const wrong = (message: string) => new BeachError('INVALID_CONFIGURATION', `The job '${name}' ${message}`)
  if (!/^[\w.-]{1,100}$/.test(name)) throw wrong('needs a name of letters, digits, dots, dashes and underscores.')
  if (job.session !== 'new' && job.session !== 'same') throw wrong("needs a session: 'new' or 'same'.")
  if (job.missed !== undefined && !['skip', 'last', 'all'].includes(job.missed)) {
    throw wrong("treats missed ticks in a way that does not exist: 'skip', 'last' or 'all'.")
  }
  if (typeof job.parts !== 'function' && job.parts.length === 0) throw wrong('has nothing to say: give it parts.')
}
