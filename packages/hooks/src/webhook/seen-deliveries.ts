import { createHash } from 'node:crypto'
import { seenGenerationMs, webhookPrefix } from '@cool-ai/beach-channel/retention'
import type { Runtime, Store } from '@cool-ai/beach-core'
import * as z from 'zod'

/** The outcome of a delivery: a message in a session, a decision, or input of a slice. */
export type Seen = z.infer<typeof seenSchema>

const seenSchema = z.union([
  z.object({ session: z.string(), messageId: z.string(), seq: z.number() }),
  z.object({ approvalId: z.string(), decision: z.enum(['granted', 'denied']) }),
  z.object({ seq: z.number() }),
])

const pageSize = 200

/**
 * What each hook has accepted, so that a repetition is recognised for at least eight days: longer than senders retry,
 * and longer than a session's log remembers keys. It is in the store in generations; the last two count.
 */
export class SeenDeliveries {
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #prefix: string

  constructor(store: Store, runtime: Runtime, tenant: string) {
    this.#store = store
    this.#runtime = runtime
    this.#prefix = `${webhookPrefix}${encodeURIComponent(tenant)}:`
  }

  async find(hook: string, marks: readonly string[]): Promise<Seen | undefined> {
    for (const mark of marks) {
      const found = seenSchema.safeParse(parsed(await this.#get(hook, `delivery:${mark}`)))
      if (found.success) return found.data
    }
    return undefined
  }

  async remember(hook: string, marks: readonly string[], seen: Seen): Promise<void> {
    await Promise.all(marks.map((mark) => this.#put(hook, `delivery:${mark}`, JSON.stringify(seen))))
  }

  /** Whether a receiver has said that it wants nothing more. */
  async isGone(hook: string, url: string): Promise<boolean> {
    return (await this.#get(hook, `gone:${url}`)) !== undefined
  }

  async markGone(hook: string, url: string): Promise<void> {
    await this.#put(hook, `gone:${url}`, 'gone')
  }

  async forget(hook: string): Promise<void> {
    const prefix = this.#hookPrefix(hook)
    const oldest = `${prefix}${this.#generation(-1)}`
    for (;;) {
      const rows = await this.#store.list(prefix, undefined, pageSize)
      const old = rows.filter(({ key }) => key < oldest)
      for (const { key } of old) await this.#store.unbind(key)
      if (old.length < pageSize) return
    }
  }

  async #get(hook: string, mark: string): Promise<string | undefined> {
    // The next one too: the clock may have been set back since.
    for (const age of [0, -1, 1]) {
      const key = this.#key(hook, mark, age)
      const [row] = await this.#store.list(key, undefined, 1)
      if (row?.key === key) return row.value
    }
    return undefined
  }

  async #put(hook: string, mark: string, value: string): Promise<void> {
    await this.#store.bind(this.#key(hook, mark, 0), value)
  }

  #key(hook: string, mark: string, age: number): string {
    const digest = createHash('sha256').update(mark).digest('base64url')
    return `${this.#hookPrefix(hook)}${this.#generation(age)}:${digest}`
  }

  #hookPrefix(hook: string): string {
    return `${this.#prefix}${encodeURIComponent(hook)}:`
  }

  /** As text that sorts by age. */
  #generation(age: number): string {
    return String(Math.floor(this.#runtime.clock.now() / seenGenerationMs) + age).padStart(8, '0')
  }
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}
