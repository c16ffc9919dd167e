import type { Store } from '@cool-ai/beach-core'
import type { StoredEvent, TailItem } from '@cool-ai/beach-core/ports'
import { onTestFinished } from 'vitest'

/** What a tail has given so far, and a wait until it is enough. A test that runs beside others gives its own `onTestFinished`. */
export function following(store: Store, session: string, after = 0, onFinished = onTestFinished) {
  const end = new AbortController()
  const items: TailItem[] = []
  let notify = () => {}
  void (async () => {
    for await (const list of store.tail(session, after, end.signal)) {
      items.push(...list)
      notify()
    }
  })()
  onFinished(() => end.abort())
  const until = async (isEnough: () => boolean) => {
    while (!isEnough()) await new Promise<void>((resolve) => (notify = resolve))
  }
  return {
    items,
    get events() {
      return items.filter((item): item is StoredEvent => 'seq' in item)
    },
    get live() {
      return items.flatMap((item) => ('live' in item ? [item.live] : []))
    },
    until,
    end: () => end.abort(),
  }
}
