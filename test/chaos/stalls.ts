import { machineTime } from './machine-time.ts'
import { leaseMs } from './script.ts'

/** A time in which a process was kept waiting, by the machine or by its database. */
export interface Stall {
  /** The process that waited; all of them when left out. */
  readonly process?: number | undefined
  readonly from: number
  readonly until: number
}

const lookMs = leaseMs / 10

/**
 * Tells when this process had to wait for the machine for more than half of the time that a lease lasts, at once or in
 * pieces: its renewals may have come too late then.
 */
export function onStall(tell: (stall: Stall) => void): () => void {
  let looked = machineTime()
  let late: (Stall & { readonly ms: number })[] = []
  const timer = setInterval(() => {
    const now = machineTime()
    late = late.filter(({ until }) => until > now - leaseMs)
    late.push({ from: looked, until: now, ms: Math.max(0, now - looked - lookMs) })
    looked = now
    if (late.reduce((sum, { ms }) => sum + ms, 0) < leaseMs / 2) return
    tell({ from: late[0]?.from ?? now, until: now })
    late = []
  }, lookMs)
  return () => clearInterval(timer)
}
