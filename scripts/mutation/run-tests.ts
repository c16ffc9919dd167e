import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestAnswer, TestRequest } from './test-process.ts'

export interface Outcome {
  readonly outcome: 'passed' | 'failed' | 'timeout'
  /** The test that failed. */
  readonly by?: string
}

/** Runs tests in a process group of its own, which is kept for the next ones and ended when it takes too long. */
export class TestRunner {
  readonly #folder: string
  #child: ChildProcess | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  run(request: TestRequest, timeoutMs: number): Promise<Outcome> {
    const child = (this.#child ??= this.#start())
    return new Promise((resolve, reject) => {
      const end = (outcome: Outcome) => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(outcome)
      }
      const timer = setTimeout(() => {
        this.stop()
        end({ outcome: 'timeout' })
      }, timeoutMs)
      child.once('error', reject)
      // A mutant may end the process that runs it: no test has passed then.
      child.once('exit', () => {
        this.#child = undefined
        end({ outcome: 'failed', by: 'the end of the process' })
      })
      child.once('message', ({ count, failed }: TestAnswer) => {
        if (count === 0) reject(new Error(`There are no tests at ${request.tests.join(', ')}.`))
        end(failed === undefined ? { outcome: 'passed' } : { outcome: 'failed', by: failed })
      })
      child.send(request)
    })
  }

  stop(): void {
    const pid = this.#child?.pid
    this.#child = undefined
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  }

  #start(): ChildProcess {
    return fork(fileURLToPath(new URL('test-process.ts', import.meta.url)), {
      cwd: this.#folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A mutant may also grow without end.
      env: { ...process.env, NODE_OPTIONS: '--max-old-space-size=2000' },
      execArgv: ['--conditions=@cool-ai/source'],
    })
  }
}
