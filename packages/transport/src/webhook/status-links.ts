import { createHmac } from 'node:crypto'
import { BeachError, type Clock } from '@cool-ai/beach-core'
import { isOver } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { isSame } from '../standard-webhooks/webhook-signature.ts'

/** Which message's answer a link is about. */
export interface StatusPlace {
  readonly session: string
  readonly seq: number
  readonly messageId: string
}

const placeSchema = z.tuple([z.string(), z.number(), z.string(), z.number()])
const validMs = 24 * 60 * 60 * 1_000

/** Links by which the sender of a payload can ask for its answer, for a day. */
export class StatusLinks {
  readonly #secret: Uint8Array
  readonly #clock: Clock
  readonly #base: string

  constructor(options: {
    readonly secret: Uint8Array
    readonly clock: Clock
    readonly publicUrl?: string | undefined
  }) {
    if (options.secret.byteLength < 32) {
      throw new BeachError('INVALID_CONFIGURATION', 'The secret that signs status URLs needs at least 32 bytes.')
    }
    this.#secret = options.secret
    this.#clock = options.clock
    this.#base = (options.publicUrl ?? '').replace(/\/+$/, '')
  }

  make(hook: string, { session, seq, messageId }: StatusPlace): { readonly url: string; readonly expiresAt: number } {
    const expiresAt = this.#clock.now() + validMs
    const text = Buffer.from(JSON.stringify([session, seq, messageId, expiresAt])).toString('base64url')
    const id = `${text}.${this.#signature(hook, text).toString('base64url')}`
    return { url: `${this.#base}/webhooks/${encodeURIComponent(hook)}/status/${id}`, expiresAt }
  }

  /** What a link is about; one that was not made here does not exist. */
  read(hook: string, id: string): StatusPlace {
    const [text = '', signature = '', ...more] = id.split('.', 3)
    const isOurs = isSame(Buffer.from(signature, 'base64url'), this.#signature(hook, text))
    if (!isOurs || more.length > 0) throw new BeachError('NOT_FOUND', 'There is no such status.')
    const [session, seq, messageId, expiresAt] = placeSchema.parse(
      JSON.parse(Buffer.from(text, 'base64url').toString()),
    )
    const wait = { since: expiresAt - validMs, until: expiresAt }
    if (isOver(wait, this.#clock.now())) throw new BeachError('EXPIRED', 'This status URL has expired.')
    return { session, seq, messageId }
  }

  /** The words before it keep it apart from all else that is signed with the secret. */
  #signature(hook: string, text: string): Buffer {
    return createHmac('sha256', this.#secret)
      .update(`beach-webhook-status:${JSON.stringify([hook, text])}`)
      .digest()
  }
}
