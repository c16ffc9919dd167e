import { readFileSync, readlinkSync } from 'node:fs'

// Ids of processes are given again, and each container counts its own: only with the boot, the namespace and the start
// does one say for ever which process it was.
const place = placeOfThis()

/** Tells this process from every other one, also from later ones; undefined where the system does not say it. */
export const ownBirth = birthOf(process.pid)

/** Whether the process with this id and birth has ended for certain. Of one on another machine or in another container that is not known. */
export function hasEnded(pid: number, birth: string): boolean {
  if (place === undefined || !birth.startsWith(`${place}/`)) return false
  const now = birthOf(pid)
  if (now !== undefined) return now !== birth
  // Some systems hide the processes of other users.
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function placeOfThis(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}

function birthOf(pid: number): string | undefined {
  if (place === undefined) return undefined
  try {
    // After the name, which may have spaces and brackets: the state, and as the 20th the start.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return `${place}/${state === 'Z' ? 'ended' : fields[18]}`
  } catch {
    return undefined
  }
}
