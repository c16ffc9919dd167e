import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const name = 'beach-tests-'
const neededBytes = 4 * 1024 ** 3

/**
 * Where there is room in memory, this process and those that it starts have their temporary files there, until it ends:
 * databases are made and thrown away by the hundred.
 */
export function useMemoryFolder(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return
  for (const left of readdirSync(memory))
    if (isOfEnded(left)) rmSync(join(memory, left), { recursive: true, force: true })
  const folder = mkdtempSync(join(memory, `${name}${process.pid}-`))
  // PostgreSQL runs as another user there.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

/** For what the next run finds again. */
export function lastingFolder(): string {
  return process.env.TMPDIR?.startsWith(join(memory, name)) === true ? '/tmp' : tmpdir()
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}

/** A run that was killed has left its folder. */
function isOfEnded(left: string): boolean {
  const pid = Number(new RegExp(`^${name}(\\d+)-`).exec(left)?.[1])
  if (Number.isNaN(pid)) return false
  try {
    return !process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
