import type { Store } from '@cool-ai/beach-core'
import { atOnce } from '@cool-ai/beach-core/ports'

/**
 * A store for a process that reads and decides but runs nothing: it takes no lease, so turns are left to the agent, and it
 * keeps no snapshots, because it may know less of the sessions than the agent does. What it appends wakes the agent.
 */
export function visitingStore(store: Store): Store {
  const visiting: Partial<Store> = {
    async appendAndClaim(session, expected, events) {
      return { head: await store.append(session, expected, events, atOnce) }
    },
    async claim(_, signal) {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return undefined
    },
    saveSnapshot: async () => {},
    loadSnapshot: async () => undefined,
  }
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Object.hasOwn(visiting, name) ? Reflect.get(visiting, name) : undefined
      if (own !== undefined) return own
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
