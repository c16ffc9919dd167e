import type { Store } from '@cool-ai/beach-core'
import type { Lease } from '@cool-ai/beach-core/ports'
import { machineTime } from './machine-time.ts'
import { leaseMs } from './script.ts'
import type { Stall } from './stalls.ts'

/** Tells when a renewal of a lease had to wait for the database for more than half of the time that the lease lasts. */
export function onSlowRenewal(store: Store, tell: (stall: Stall) => void): void {
  const watched = (lease: Lease): Lease => ({
    ...lease,
    async renew() {
      const from = machineTime()
      try {
        return await lease.renew()
      } finally {
        const until = machineTime()
        if (until - from > leaseMs / 2) tell({ from, until })
      }
    },
  })
  const [claim, appendAndClaim] = [store.claim.bind(store), store.appendAndClaim.bind(store)]
  store.claim = async (...asked) => {
    const lease = await claim(...asked)
    return lease && watched(lease)
  }
  store.appendAndClaim = async (...asked) => {
    const { head, lease } = await appendAndClaim(...asked)
    return { head, ...(lease && { lease: watched(lease) }) }
  }
}
