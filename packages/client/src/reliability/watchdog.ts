import type { Clock } from '@cool-ai/beach-core'

/** Notices that nothing has come for too long. */
export interface Watchdog {
  /** When something came last. */
  readonly heardAt: number
  /** Whether it is too long ago. Timers stand still while the machine sleeps, so this may be true before they know. */
  readonly isSilent: boolean
  /** Something has come. */
  readonly activity: () => void
  readonly stop: () => void
}

/** Calls `onSilence` once, when nothing has come for `ms`; never when that is infinite. */
export function watchdog(clock: Clock, ms: number, onSilence: () => void): Watchdog {
  let heardAt = clock.now()
  let cancel = () => {}
  const isSilent = () => {
    const silentMs = clock.now() - heardAt
    // A clock that was set back would make this wait for as long again.
    return silentMs >= ms || silentMs < 0
  }
  const look = () => {
    if (isSilent()) onSilence()
    else if (ms < Infinity) cancel = clock.timer(heardAt + ms - clock.now(), look)
  }
  look()
  return {
    get heardAt() {
      return heardAt
    },
    get isSilent() {
      return isSilent()
    },
    activity() {
      heardAt = clock.now()
    },
    stop: () => cancel(),
  }
}
