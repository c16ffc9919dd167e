import { readFileSync, statSync } from 'node:fs'

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
