import type { Work, WorkRun } from '@cool-ai/beach-core'
import { eventually } from '../host/test-context.test-helper.ts'

/** One run of work, which the test ends by hand. */
export interface HandRun extends WorkRun {
  readonly args: unknown
  readonly finish: (value?: unknown) => void
  readonly fail: (error: unknown) => void
}

/** Work that runs until the test ends it. */
export function handWork(options: Omit<Work, 'run'> = {}) {
  const runs: HandRun[] = []
  const run: Work['run'] = (args, given) =>
    new Promise((resolve, reject) => runs.push({ ...given, args, finish: resolve, fail: reject }))
  return {
    work: { ...options, run } satisfies Work,
    runs,
    /** The latest run with these arguments, once there are that many of it. */
    async started(args?: unknown, times = 1): Promise<HandRun> {
      const found = () => runs.filter((entry) => entry.args === args)
      await eventually(() => found().length >= times)
      const last = found().at(-1)
      if (last === undefined) throw new Error('It was not started.')
      return last
    },
  }
}
