import type { Store } from '@cool-ai/beach-core'

/** The store, with a callback for sessions whose log may have changed; the writer does not wait for it. */
export function watchedStore(store: Store, changed: (session: string) => void): Store {
  const telling = async <Value>(session: string, written: Promise<Value>): Promise<Value> => {
    try {
      return await written
    } finally {
      // Also when it failed: it may have been written nevertheless.
      changed(session)
    }
  }
  return {
    append: (session, ...rest) => telling(session, store.append(session, ...rest)),
    appendAndClaim: (session, ...rest) => telling(session, store.appendAndClaim(session, ...rest)),
    drop: (session) => telling(session, store.drop(session)),
    erase: (...args) => store.erase(...args),
    read: (...args) => store.read(...args),
    tail: (...args) => store.tail(...args),
    publish: (...args) => store.publish(...args),
    wake: (...args) => store.wake(...args),
    claim: (...args) => store.claim(...args),
    bind: (...args) => store.bind(...args),
    list: (...args) => store.list(...args),
    unbind: (...args) => store.unbind(...args),
    saveSnapshot: (...args) => store.saveSnapshot(...args),
    loadSnapshot: (...args) => store.loadSnapshot(...args),
    close: () => store.close(),
  }
}
