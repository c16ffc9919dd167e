import { spawn } from 'node:child_process'
import { join } from 'node:path'

export type Outcome = 'passed' | 'failed' | 'timeout'

/** Runs test files in a process group of their own, which is ended when it takes too long. */
export function runTests(
  folder: string,
  files: readonly string[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Outcome> {
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs')
  const options = ['run', '--configLoader=native', '--root', folder, '--bail=1', '--maxWorkers=1', '--reporter=dot']
  const child = spawn(process.execPath, ['--conditions=@cool-ai/source', vitest, ...options, ...files], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
  })
  return new Promise((resolve, reject) => {
    let isLate = false
    const kill = () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }
    const timer = setTimeout(() => {
      isLate = true
      kill()
    }, timeoutMs)
    signal.addEventListener('abort', kill, { once: true })
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
      resolve(isLate ? 'timeout' : code === 0 ? 'passed' : 'failed')
    })
  })
}
