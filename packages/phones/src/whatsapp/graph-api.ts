import type { Transmitted } from '@cool-ai/beach-channel/people'
import { BeachError, type Runtime } from '@cool-ai/beach-core'
import { z } from 'zod'
import type { PhoneFetch } from '../people/phone-options.ts'
import { ServiceApi, type NotSent } from '../people/service-api.ts'
import type { WhatsAppChannelOptions } from './options.ts'

const sentSchema = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) })
const uploadedSchema = z.object({ id: z.string() })
const mediaSchema = z.object({
  url: z.string(),
  mime_type: z.string().optional(),
  file_size: z.coerce.number().optional(),
})
const errorSchema = z.object({ error: z.object({ code: z.number(), message: z.string().optional() }) })

/** Codes of rate limits: of the app, the account, the number, or to one person. */
const rateCodes: ReadonlySet<number> = new Set([4, 80_007, 130_429, 131_048, 131_056, 133_016])
/** Codes of temporary failures: on their side, or a token that is being renewed. */
const passingCodes: ReadonlySet<number> = new Set([0, 1, 2, 190, 131_000, 131_016, 131_057, 133_004, 133_005])
/** More than 24 hours since the person last wrote. */
const closedCode = 131_047
const mediaHost = /(?:^|\.)(?:fbsbx\.com|facebook\.com|fbcdn\.net|whatsapp\.net)$/

type GraphOptions = Pick<WhatsAppChannelOptions, 'accessToken' | 'phoneNumberId'> & {
  readonly graphUrl: string
  readonly fetch: PhoneFetch
  readonly runtime: Runtime
}

/** The Cloud API, as far as the channel uses it. */
export class GraphApi extends ServiceApi {
  readonly #options: GraphOptions

  constructor(options: GraphOptions) {
    super('WhatsApp', options.runtime)
    this.#options = options
  }

  async send(message: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Transmitted> {
    const { phoneNumberId } = this.#options
    const full = await this.wait(signal)
    if (full !== undefined) return full
    return this.reach(async () => {
      const response = await this.#request(`${phoneNumberId}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messaging_product: 'whatsapp', ...message }),
        signal,
      })
      const body = await response.json().catch(() => undefined)
      const sent = response.ok ? sentSchema.safeParse(body).data : undefined
      if (sent?.messages[0] !== undefined) return { status: 'sent', messageId: sent.messages[0].id }
      return this.#problem(response, body)
    })
  }

  /** Uploads a file; resolves to its id for messages, or to why there is none. */
  async upload(file: Blob, name: string, signal: AbortSignal): Promise<string | NotSent> {
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('type', file.type)
    form.set('file', file, name)
    const path = `${this.#options.phoneNumberId}/media`
    return this.reach(async () => {
      const response = await this.#request(path, { method: 'POST', body: form, signal })
      const body = await response.json().catch(() => undefined)
      const id = response.ok ? uploadedSchema.safeParse(body).data?.id : undefined
      return id ?? this.#problem(response, body)
    })
  }

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

  /** The token is sent to the API's own host only. */
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

  #problem(response: Response, body: unknown): NotSent {
    const { code, message } = errorSchema.safeParse(body).data?.error ?? {}
    const isRate = response.status === 429 || (code !== undefined && rateCodes.has(code))
    const isPassing = code !== undefined && passingCodes.has(code)
    const outcome = this.notSent(response, { code, message, isRate, isPassing })
    return code === closedCode ? { ...outcome, status: 'closed' } : outcome
  }
}

function unavailable(status: number): BeachError {
  const gone = status === 404 || status === 400 || status === 410
  return new BeachError(gone ? 'EXPIRED' : 'UNREACHABLE', `The file could not be fetched: WhatsApp answered ${status}.`)
}
