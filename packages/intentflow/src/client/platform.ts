import type { Clock } from '@cool-ai/beach-core'

/** What the client needs of the browser or of Node. */
export interface Platform {
  readonly clock: Clock
  /** A number in [0, 1). */
  readonly random: () => number
  /** A new id that nobody else has. */
  readonly id: () => string
  /** Calls back when there is reason to try again: the network is back, or the page is seen again. */
  readonly listen: (awake: () => void) => () => void
}

/** The machine's clock. Other than the runtime's it keeps Node going, which must not end while the client waits. */
const waitingClock: Clock = {
  now: () => Date.now(),
  timer(ms, run) {
    const handle = setTimeout(run, ms)
    return () => clearTimeout(handle)
  },
}

/** The platform that this runs on, as far as nothing else was given. */
export function platformOf(given: {
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
}): Platform {
  return {
    clock: given.clock ?? waitingClock,
    random: given.random ?? (() => (numbers(1)[0] ?? 0) / 2 ** 32),
    // `crypto.randomUUID` is not there on pages without TLS.
    id: () => `ev_${[...numbers(4)].map((number) => number.toString(16).padStart(8, '0')).join('')}`,
    listen(awake) {
      if (typeof globalThis.addEventListener !== 'function') return () => {}
      const names = ['online', 'pageshow', 'visibilitychange'] as const
      for (const name of names) globalThis.addEventListener(name, awake, true)
      return () => {
        for (const name of names) globalThis.removeEventListener(name, awake, true)
      }
    },
  }
}

function numbers(count: number): Uint32Array {
  return crypto.getRandomValues(new Uint32Array(count))
}
