import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestRequest } from './test-process.ts'

export type Outcome = 'passed' | 'failed' | 'timeout'

/** Runs tests in a process group of its own, which is kept for the next ones and ended when it takes too long. */
export class TestRunner {
  readonly #folder: string
  #child?: ChildProcess

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
        end('timeout')
      }, timeoutMs)
      child.once('error', reject)
      // A mutant may end the process that runs it: no test has passed then.
      child.once('exit', () => {
        this.#child = undefined
        end('failed')
      })
      child.once('message', ({ hasFailed, count }: { hasFailed: boolean; count: number }) => {
        if (count === 0) reject(new Error(`There are no tests at ${request.tests.join(', ')}.`))
        end(hasFailed ? 'failed' : 'passed')
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
      env: { ...process.env, NODE_OPTIONS: '--max-old-space-size=700' },
      execArgv: ['--conditions=@cool-ai/source'],
    })
  }
}
