import type { Clock } from '@cool-ai/beach-core'

/** What the client needs of the browser or of Node. */
export interface Platform {
  readonly clock: Clock
  /** A number in [0, 1). */
  readonly random: () => number
  readonly key: () => string
  /** False when the platform knows that there is no network. */
  readonly online: () => boolean
  /** Calls back when the network is gone or back, and when the page is seen again; the returned function ends it. */
  readonly listen: (handlers: PlatformEvents) => () => void
}

export interface PlatformEvents {
  readonly offline: () => void
  readonly online: () => void
  readonly awake: () => void
}

/**
 * The machine's clock. Unlike the runtime's it keeps Node alive: a program that follows a session must not end while it
 * waits to reconnect.
 */
const waitingClock: Clock = {
  now: () => Date.now(),
  timer(ms, run) {
    const handle = setTimeout(run, ms)
    return () => clearTimeout(handle)
  },
}

/** The platform that this runs on, as far as the options give no other. */
export function platformOf(given: {
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
}): Platform {
  return {
    clock: given.clock ?? waitingClock,
    random: given.random ?? (() => randomNumbers(1)[0] / 2 ** 32),
    // `crypto.randomUUID` is not there on pages without TLS.
    key: () => [...randomNumbers(4)].map((number) => number.toString(16).padStart(8, '0')).join(''),
    online: () => (globalThis.navigator as Navigator | undefined)?.onLine !== false,
    listen({ offline, online, awake }) {
      const { document: page } = globalThis as { document?: Document }
      const end = new AbortController()
      const { signal } = end
      const on = (target: Partial<EventTarget> | undefined, name: string, listener: () => void) =>
        target?.addEventListener?.(name, listener, { signal })
      on(globalThis, 'offline', offline)
      on(globalThis, 'online', online)
      on(globalThis, 'pageshow', awake)
      on(page, 'visibilitychange', () => {
        if (page?.visibilityState === 'visible') awake()
      })
      return () => end.abort()
    },
  }
}

function randomNumbers(count: number): Uint32Array & { readonly 0: number } {
  return crypto.getRandomValues(new Uint32Array(count)) as Uint32Array<ArrayBuffer> & { readonly 0: number }
}
