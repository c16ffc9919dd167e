import { createHash } from 'node:crypto'
import { askedPrefix } from '@cool-ai/beach-channel/retention'
import { BeachError, type Principal, type Runtime, type Store } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import type { Visit } from '../desk.ts'

/** A request, by what it is known when it comes again. */
export interface Asked {
  /** The same for all attempts at one request. */
  readonly name: string
  /** The thread that an earlier attempt was of. */
  readonly thread: string | undefined
  /** Puts on record which thread it is of; gives the one of an earlier attempt where there was one. */
  readonly isOf: (thread: string) => Promise<string>
}

const idempotencyKey = /^[\x21-\x7e]{1,255}$/
/** Requests whose connection broke before their answer was over; enough for those of a few minutes. */
const maxLeft = 1_000

/**
 * Tells a request that comes again from another one of the same words. Clients say so by `Idempotency-Key`, or by the count of
 * attempts that OpenAI's packages send; one that was cut off from its answer and asks the same again means the same, too.
 */
export class AskedRequests {
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #left = new Map<string, Asked>()

  constructor({ store, runtime }: { readonly store: Store; readonly runtime: Runtime }) {
    this.#store = store
    this.#runtime = runtime
  }

  /** `body` is what was asked, word for word. */
  async find({ request, principal }: Visit, body: unknown): Promise<Asked> {
    const key = request.headers.get('idempotency-key')
    if (key !== null) return this.#byKey(digest(principal, 'key', checkedKey(key)))
    const hash = hashOf(request, principal, body)
    const prefix = `${askedPrefix}${hash}:`
    const left = this.#left.get(hash)
    if (left !== undefined) return left
    if (Number(request.headers.get('x-stainless-retry-count') ?? 0) > 0) {
      const last = (await this.#store.list(prefix)).at(-1)
      if (last !== undefined) return { name: last.key, thread: last.value, isOf: async () => last.value }
    }
    const name = `${prefix}${this.#runtime.id('ask')}`
    return { name, thread: undefined, isOf: (thread) => this.#store.bind(name, thread) }
  }

  /** The connection of a request broke: the same one again is this one. */
  left({ request, principal }: Visit, body: unknown, asked: Asked, thread: string): void {
    const hash = hashOf(request, principal, body)
    this.#left.set(hash, { name: asked.name, thread, isOf: async () => thread })
    const [oldest] = this.#left.keys()
    if (this.#left.size > maxLeft && oldest !== undefined) this.#left.delete(oldest)
  }

  /** The answer to a request has reached its client: the same one again is another one. */
  answered({ request, principal }: Visit, body: unknown): void {
    this.#left.delete(hashOf(request, principal, body))
  }

  async #byKey(hash: string): Promise<Asked> {
    const name = `${askedPrefix}${hash}`
    const [found] = await this.#store.list(name, undefined, 1)
    const thread = found?.key === name ? found.value : undefined
    return { name, thread, isOf: (one) => this.#store.bind(name, one) }
  }
}

function checkedKey(key: string): string {
  if (idempotencyKey.test(key)) return key
  throw new BeachError('BAD_REQUEST', 'An `Idempotency-Key` has 1 to 255 visible ASCII characters.')
}

function hashOf(request: Request, principal: Principal, body: unknown): string {
  return digest(principal, new URL(request.url).pathname, JSON.stringify(body))
}

function digest(principal: Principal, ...parts: readonly string[]): string {
  const text = JSON.stringify([principal.tenant, principalKey(principal), ...parts])
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}
