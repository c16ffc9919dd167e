import { retryAfterMs } from '@cool-ai/beach-channel/http'
import { BeachError, isBeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { z } from 'zod'
import type { Transmitted } from '../people/deliver.ts'
import type { PhoneFetch } from '../people/phone-options.ts'
import { outcomeOf, problemOf } from './graph-errors.ts'
import type { WhatsAppChannelOptions } from './options.ts'

const sentSchema = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) })
const uploadedSchema = z.object({ id: z.string() })
const mediaSchema = z.object({
  url: z.string(),
  mime_type: z.string().optional(),
  file_size: z.coerce.number().optional(),
})
const maxWaitMs = 15_000
const mediaHost = /(?:^|\.)(?:fbsbx\.com|facebook\.com|fbcdn\.net|whatsapp\.net)$/

type GraphOptions = Pick<WhatsAppChannelOptions, 'accessToken' | 'phoneNumberId'> & {
  readonly graphUrl: string
  readonly fetch: PhoneFetch
  readonly runtime: Runtime
}

/** The Cloud API, as far as the channel uses it. */
export class GraphApi {
  readonly #options: GraphOptions
  /** Before this it wants no messages. */
  #notBefore = 0

  constructor(options: GraphOptions) {
    this.#options = options
  }

  /** Sends a message; `message` is its content with the recipient. */
  async send(message: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Transmitted> {
    const { runtime, phoneNumberId } = this.#options
    const waitMs = this.#notBefore - elapsed(runtime.clock)
    if (waitMs > maxWaitMs) return { status: 'failed', reason: 'WhatsApp has asked us to wait.' }
    if (waitMs > 0) await sleep(runtime.clock, waitMs, signal)
    try {
      const response = await this.#request(`${phoneNumberId}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messaging_product: 'whatsapp', ...message }),
        signal,
      })
      const body = await response.json().catch(() => undefined)
      const sent = response.ok ? sentSchema.safeParse(body).data : undefined
      if (sent?.messages[0] !== undefined) return { status: 'sent', messageId: sent.messages[0].id }
      this.#heed(response, body)
      return outcomeOf(response.status, body)
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** Uploads a file; resolves to the id by which messages can name it, or to why there is none. */
  async upload(
    file: Blob,
    name: string,
    signal: AbortSignal,
  ): Promise<string | Exclude<Transmitted, { status: 'sent' }>> {
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('type', file.type)
    form.set('file', file, name)
    try {
      const response = await this.#request(`${this.#options.phoneNumberId}/media`, {
        method: 'POST',
        body: form,
        signal,
      })
      const body = await response.json().catch(() => undefined)
      const id = response.ok ? uploadedSchema.safeParse(body).data?.id : undefined
      if (id !== undefined) return id
      this.#heed(response, body)
      return outcomeOf(response.status, body)
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** The bytes of a received file. */
  async download(mediaId: string, signal: AbortSignal): Promise<Response> {
    const about = await this.#request(encodeURIComponent(mediaId), { signal })
    const body = await about.json().catch(() => undefined)
    const media = about.ok ? mediaSchema.safeParse(body).data : undefined
    if (media === undefined) throw unavailable(about.status)
    this.#checkMediaUrl(media.url)
    const response = await this.#fetch(media.url, { signal })
    if (!response.ok) throw unavailable(response.status)
    return response
  }

  /** The token goes to those only whom it is for. */
  #checkMediaUrl(address: string): void {
    const url = URL.canParse(address) ? new URL(address) : undefined
    const isOurs = url?.origin === new URL(this.#options.graphUrl).origin
    if (isOurs || (url?.protocol === 'https:' && mediaHost.test(url.hostname))) return
    throw new BeachError('ADDRESS_REFUSED', 'WhatsApp named an address for a file that is not one of its own.')
  }

  #request(path: string, init: RequestInit): Promise<Response> {
    return this.#fetch(`${this.#options.graphUrl}/${path}`, init)
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const { accessToken, fetch } = this.#options
    const token = typeof accessToken === 'string' ? accessToken : await accessToken()
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetch(url, { ...init, headers, redirect: 'error' })
  }

  #heed(response: Response, body: unknown): void {
    const { clock } = this.#options.runtime
    const asked = retryAfterMs(response.headers.get('retry-after'), clock.now())
    if (asked !== undefined && problemOf(response.status, body).isRate) this.#notBefore = elapsed(clock) + asked
  }

  #failure(error: unknown): Exclude<Transmitted, { status: 'sent' }> {
    this.#options.runtime.logger.log('warn', 'WhatsApp was not reached', { error })
    if (isBeachError(error) && !error.retryable) return { status: 'refused', reason: error.message }
    return { status: 'failed', reason: 'WhatsApp was not reached.', isUncertain: true }
  }
}

function unavailable(status: number): BeachError {
  const gone = status === 404 || status === 400 || status === 410
  return new BeachError(gone ? 'EXPIRED' : 'UNREACHABLE', `The file could not be fetched: WhatsApp answered ${status}.`)
}
