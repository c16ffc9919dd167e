import { leaseMs } from './script.ts'

/** Tells how long this process had to wait for the machine, whenever that comes near to the lease. */
export function onStall(tell: (ms: number) => void): () => void {
  let looked = performance.now()
  const timer = setInterval(() => {
    const ms = performance.now() - looked
    looked += ms
    if (ms > leaseMs / 2) tell(ms)
  }, leaseMs / 10)
  return () => clearInterval(timer)
}
