import type { KeyObject } from 'node:crypto'
import { BeachError, type Clock } from '@cool-ai/beach-core'
import { isOver } from '@cool-ai/beach-core/runtime'
import { isHmacOf, secretKeys, Tokens, type Secret, type Verified } from '@cool-ai/beach-core/tokens'
import * as z from 'zod'

/** Which message's answer a link is about. */
export interface StatusTarget {
  readonly session: string
  readonly seq: number
  readonly messageId: string
}

const placeSchema = z.object({ session: z.string(), seq: z.number(), messageId: z.string() })
const oldPlaceSchema = z.tuple([z.string(), z.number(), z.string(), z.number()])
const validMs = 24 * 60 * 60 * 1_000

/** Links by which the sender of a payload can ask for its answer, for a day. */
export class StatusLinks {
  readonly #tokens: Tokens
  readonly #keys: readonly KeyObject[]
  readonly #clock: Clock
  readonly #base: string

  constructor(options: { readonly secret: Secret; readonly clock: Clock; readonly publicUrl?: string | undefined }) {
    this.#tokens = new Tokens({ ...options, kind: 'beach-webhook-status' })
    this.#keys = secretKeys(options.secret)
    this.#clock = options.clock
    this.#base = (options.publicUrl ?? '').replace(/\/+$/, '')
  }

  async make(hook: string, place: StatusTarget): Promise<{ readonly url: string; readonly expiresAt: number }> {
    const issuedAt = this.#clock.now()
    const expiresAt = issuedAt + validMs
    const { session, seq, messageId } = place
    const id = await this.#tokens.sign({ sub: hook, session, seq, messageId }, { issuedAt, expiresAt })
    return { url: `${this.#base}/webhooks/${encodeURIComponent(hook)}/status/${id}`, expiresAt }
  }

  /** What a link is about; one that was not made here does not exist. */
  async read(hook: string, id: string): Promise<StatusTarget> {
    const verified = id.split('.').length === 2 ? this.#verifyOld(hook, id) : await this.#tokens.verify(id)
    if (verified.status === 'expired') throw new BeachError('EXPIRED', 'This status URL has expired.')
    if (verified.status === 'valid' && verified.claims.sub === hook) return placeSchema.parse(verified.claims)
    throw new BeachError('NOT_FOUND', 'There is no such status.')
  }

  /** @deprecated Links of the form before JWTs: the last of them ends a day after the update. */
  #verifyOld(hook: string, id: string): Verified {
    const [text = '', signature = ''] = id.split('.')
    const signed = `beach-webhook-status:${JSON.stringify([hook, text])}`
    if (!isHmacOf(this.#keys, signed, Buffer.from(signature, 'base64url'))) return { status: 'invalid' }
    const [session, seq, messageId, until] = oldPlaceSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    const isLate = isOver({ since: until - validMs, until }, this.#clock.now())
    return isLate ? { status: 'expired' } : { status: 'valid', claims: { sub: hook, session, seq, messageId } }
  }
}
