import type { Store } from '@cool-ai/beach-core'
import { valueOf, type Address } from '../identities/address.ts'

const keyPage = 1_000
const minLength = 5

/** Finds the names of a person in texts: in keys, in values, and in ids that were made of addresses. */
export class Mentions {
  readonly #values: readonly string[]
  readonly #texts: readonly string[]

  constructor(addresses: readonly Address[]) {
    this.#values = addresses.map(valueOf).filter((value) => value.length >= minLength)
    // Numbers stand in some keys as WhatsApp writes them.
    const all = this.#values.flatMap((value) => (/^\+\d+$/.test(value) ? [value, value.slice(1)] : [value]))
    this.#texts = [...new Set(all.flatMap((value) => [value, encodeURIComponent(value)]))]
  }

  /** Whether an id has one of their names in it. */
  inId(id: string): boolean {
    return this.#values.some((value) => mentions(id, value))
  }

  /** Whether a key or its value has one of their names in it. */
  inKey({ key, value }: { readonly key: string; readonly value: string }): boolean {
    return this.#texts.some((text) => mentions(key, text) || mentions(value, text))
  }
}

/** All keys of a store under a prefix. */
export async function* keysUnder(
  log: Pick<Store, 'list'>,
  prefix: string,
): AsyncGenerator<{ key: string; value: string }> {
  for (let after: string | undefined; ;) {
    const page = await log.list(prefix, after, keyPage)
    yield* page
    after = page.at(-1)?.key
    if (page.length < keyPage) return
  }
}

/** True when a text has another in it that is not just a piece of a longer name. */
function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + name.length]]
    if (!/[\w.+@-]/.test(before) && !/[\w@-]/.test(after)) return true
  }
  return false
}
