import { TestProcess } from './run-tests.ts'
import type { Verdict } from './trial.ts'

interface Options {
  readonly folder: string
  readonly onVerdict: (mutant: number, verdict: Verdict) => void
  readonly signal: AbortSignal
}

const limitMs = 120_000

/** Tries mutants in workers of their own, in which each is there from the start, until a test fails. */
export async function tryFromStart(
  requests: readonly { readonly mutant: number; readonly tests: readonly string[] }[],
  { folder, onVerdict, signal }: Options,
): Promise<void> {
  const process = new TestProcess(folder)
  const stop = () => process.stop()
  signal.addEventListener('abort', stop)
  try {
    for (const { mutant, tests } of requests) {
      const timer = setTimeout(stop, limitMs)
      const outcome = await process.run({ mutant, tests, name: '' })
      clearTimeout(timer)
      if (signal.aborted) return
      if (outcome === 'ended') onVerdict(mutant, { verdict: 'timeout', by: 'the end of the process' })
      else if (outcome.failed !== undefined) onVerdict(mutant, { verdict: 'killed', by: outcome.failed })
    }
  } finally {
    process.stop()
  }
}
