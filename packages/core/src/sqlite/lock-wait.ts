import { readFileSync, statSync } from 'node:fs'
import { elapsed, sleep } from '../clock.ts'
import { BeachError } from '../errors.ts'
import { keepAlive } from '../keep-alive.ts'
import type { Runtime } from '../runtime.ts'
import { isBusy } from './sqlite-errors.ts'

const saidAfterMs = 1_000
const maxWaitMs = 30_000

/** Waiting for a lock of another process: how long already, whether it was said, and when it is enough. */
export class LockWait {
  readonly #runtime: Runtime
  readonly #path: string
  #since: number | undefined
  #isSaid = false

  constructor(runtime: Runtime, path: string) {
    this.#runtime = runtime
    this.#path = path
  }

  /** The lock is still held. Says so once when that lasts; an error when it has lasted too long. */
  goesOn(): BeachError | undefined {
    const now = elapsed(this.#runtime.clock)
    this.#since ??= now
    const waited = now - this.#since
    if (waited >= maxWaitMs) return this.#tooLong()
    if (waited >= saidAfterMs && !this.#isSaid) {
      this.#isSaid = true
      const heldBy = lockHolders(this.#path)
      const message = `waiting for a lock that another process holds on the database; end that process if it hangs`
      this.#runtime.logger.log('warn', message, { path: this.#path, heldBy, forAtMostMs: maxWaitMs })
    }
    return undefined
  }

  #tooLong(): BeachError {
    const message = 'Another process has held a lock on the database for 30 seconds. Try again later.'
    return new BeachError('STORE_BUSY', message, { details: { path: this.#path, heldBy: lockHolders(this.#path) } })
  }
}

/** Runs a synchronous database call. While another process holds the lock that it needs, it waits without blocking. */
export async function whenFree<Value>(runtime: Runtime, path: string, run: () => Value): Promise<Value> {
  try {
    return run()
  } catch (error) {
    if (!isBusy(error)) throw error
    return keepAlive(onceFree(runtime, path, run))
  }
}

async function onceFree<Value>(runtime: Runtime, path: string, run: () => Value): Promise<Value> {
  const wait = new LockWait(runtime, path)
  for (;;) {
    await sleep(runtime.clock, 1 + runtime.random() * 9)
    try {
      return run()
    } catch (error) {
      if (!isBusy(error)) throw error
      const tooLong = wait.goesOn()
      if (tooLong !== undefined) throw tooLong
    }
  }
}

/** Processes that hold an exclusive lock on a database, as far as the system tells: Linux does. */
export function lockHolders(path: string): string[] {
  try {
    const inodes = new Set([path, `${path}-shm`].flatMap((name) => inodeOf(name) ?? []))
    const holders = new Set<string>()
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      const { kind, pid, inode } = /(?<kind>READ|WRITE)\s+(?<pid>\d+)\s+\w+:\w+:(?<inode>\d+)/.exec(line)?.groups ?? {}
      if (kind === 'WRITE' && inodes.has(inode ?? '') && pid !== String(process.pid)) holders.add(pid ?? '')
    }
    return [...holders].map((pid) => `process ${pid}${nameOf(pid)}`)
  } catch {
    return []
  }
}

function inodeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && String(found.ino)
}

function nameOf(pid: string): string {
  try {
    return ` (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})`
  } catch {
    return ''
  }
}
