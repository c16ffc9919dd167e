import type { Store } from '@cool-ai/beach-core'
import type { Lease } from '@cool-ai/beach-core/ports'
import { machineTime } from './machine-time.ts'
import { leaseMs } from './script.ts'
import type { Stall } from './stalls.ts'

/** After how much of its time the host renews a lease. */
const renewedAfter = 0.3

/**
 * Tells when the renewal of a lease came late, because its process or its database was kept waiting, by more than half
 * of the time that the lease lasts.
 */
export function onSlowRenewal(store: Store, tell: (stall: Stall) => void): void {
  const watched = (lease: Lease): Lease => {
    let renewed = machineTime()
    return {
      ...lease,
      async renew() {
        try {
          return await lease.renew()
        } finally {
          const [from, until] = [renewed, machineTime()]
          renewed = until
          if (until - from > (renewedAfter + 0.5) * leaseMs) tell({ from, until })
        }
      },
    }
  }
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
