import { inContext, started, type ContextOptions } from '@cool-ai/beach-channel'
import { BeachError, type Channel } from '@cool-ai/beach-core'
import type { CronJobs } from './cron-job.ts'
import { cronTicks } from './cron-ticks.ts'
import { JobRunner, type JobStatus } from './job-runner.ts'

export type { CronJob, CronJobs, CronTick } from './cron-job.ts'
export { cronTicks, type CronTicks } from './cron-ticks.ts'
export type { JobStatus } from './job-runner.ts'

/** Which jobs there are. */
export interface CronChannelOptions extends ContextOptions {
  /** Jobs are declared here, and by nothing that happens later: no actor can make one. */
  readonly jobs: CronJobs
}

/** A channel that says something at set times. */
export interface CronChannel extends Channel {
  /** The status of each job. */
  jobs(): Promise<readonly JobStatus[]>
}

const maxJobs = 1_000

/**
 * Jobs that start by themselves, at the times of cron patterns; their messages are messages of sessions like any other.
 */
export function cron(options: CronChannelOptions): CronChannel {
  const jobs = Object.entries(options.jobs).map(([name, job]) => ({ name, job: { ...job } }))
  if (jobs.length > maxJobs) {
    throw new BeachError('INVALID_CONFIGURATION', `${maxJobs} is the largest number of jobs of an agent.`)
  }
  for (const { name, job } of jobs) checkJob(name, job)
  const draining = new AbortController()
  let runners: readonly JobRunner[] | undefined
  return {
    transport: 'cron',
    deliveryClass: 'buffered',
    async start(context) {
      const { sessions, signal, store, runtime, partTypes, tenant } = inContext(options, context)
      const end = AbortSignal.any([signal, draining.signal])
      runners = jobs.map((job) => new JobRunner({ ...job, store, runtime, partTypes, tenant }))
      for (const runner of runners) void runner.run(sessions, end)
    },
    async drain() {
      draining.abort()
    },
    jobs: async () => Promise.all(started(runners).map((runner) => runner.status())),
  }
}

/** @deprecated Use `cron`. */
export const cronChannel = cron

function checkJob(name: string, job: CronJobs[string]): void {
  const wrong = (message: string) => new BeachError('INVALID_CONFIGURATION', `The job '${name}' ${message}`)
  if (!/^[\w.-]{1,100}$/.test(name)) throw wrong('needs a name of letters, digits, dots, dashes and underscores.')
  if (job.session !== 'new' && job.session !== 'same') throw wrong("needs a session: 'new' or 'same'.")
  if (job.missed !== undefined && !['skip', 'last', 'all'].includes(job.missed)) {
    throw wrong("has an unknown `missed`: use 'skip', 'last' or 'all'.")
  }
  if (typeof job.parts !== 'function' && job.parts.length === 0) throw wrong('has no message: give it parts.')
  cronTicks(job.cron, job.timezone)
}
