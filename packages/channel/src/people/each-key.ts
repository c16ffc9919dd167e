import type { Store } from '@cool-ai/beach-core'

const keyPage = 1_000

/** All keys of a store that begin alike, in their order, with what they hold. */
export async function* eachKey(
  store: Pick<Store, 'list'>,
  prefix: string,
  from?: string,
): AsyncGenerator<{ readonly key: string; readonly value: string }> {
  for (let after = from; ;) {
    const page = await store.list(prefix, after, keyPage)
    yield* page
    after = page.at(-1)?.key
    if (page.length < keyPage) return
  }
}
