import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestAnswer, TestRequest } from './test-process.ts'

export type Outcome = TestAnswer | 'ended'

/** Runs tests in a process group of its own, which is kept for the next ones. */
export class TestProcess {
  readonly #folder: string
  #child: ChildProcess | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Says what came of it, or that the process came to its end, by itself or by `stop`. */
  run(request: TestRequest): Promise<Outcome> {
    const child = (this.#child ??= this.#start())
    return new Promise((resolve, reject) => {
      const end = (outcome: Outcome) => {
        child.removeAllListeners()
        resolve(outcome)
      }
      child.once('error', reject)
      child.once('exit', () => {
        this.stop()
        end('ended')
      })
      child.once('message', (answer: TestAnswer) => end(answer))
      child.send(request)
    })
  }

  /** Ends the process and its worker. */
  stop(): void {
    const pid = this.#child?.pid
    this.#child = undefined
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // All of them have ended.
    }
  }

  #start(): ChildProcess {
    return fork(fileURLToPath(new URL('test-process.ts', import.meta.url)), {
      cwd: this.#folder,
      detached: true,
      stdio: ['ignore', 'ignore', process.env.BEACH_MUTATE_DEBUG ? 'inherit' : 'ignore', 'ipc'],
      execArgv: ['--conditions=@cool-ai/source'],
    })
  }
}
