import type { Transmitted } from '@cool-ai/beach-channel/people'
import { BeachError, type Runtime } from '@cool-ai/beach-core'
import { z } from 'zod'
import type { PhoneFetch } from '../people/phone-options.ts'
import { ServiceApi } from '../people/service-api.ts'
import { smsStatusPath, type SmsSettings } from './options.ts'

const sentSchema = z.object({ sid: z.string() })
const errorSchema = z.object({ code: z.number(), message: z.string().optional() })
const listSchema = z.object({
  messages: z.array(z.object({ sid: z.string(), body: z.string(), to: z.string(), date_created: z.string() })),
})

/** They have sent STOP, and Twilio remembers it. */
const stoppedCode = 21_610
const rateCodes: ReadonlySet<number> = new Set([20_429, 14_107, 30_022, 63_018])

type TwilioOptions = Pick<SmsSettings, 'accountSid' | 'authTokens' | 'apiKey' | 'from' | 'publicUrl'> & {
  readonly apiUrl: string
  readonly fetch: PhoneFetch
  readonly runtime: Runtime
}

/** Twilio's REST interface, as far as the channel uses it. */
export class TwilioApi extends ServiceApi {
  readonly #options: TwilioOptions

  constructor(options: TwilioOptions) {
    super('Twilio', options.runtime)
    this.#options = options
  }

  /** Sends a text; the mark comes back with Twilio's reports about it. */
  async send(
    to: string,
    body: string,
    mark: string,
    signal: AbortSignal,
  ): Promise<Transmitted | { readonly status: 'stopped' }> {
    const { from, publicUrl } = this.#options
    const full = await this.wait(signal)
    if (full !== undefined) return full
    const callback = `${publicUrl}${smsStatusPath}?mark=${encodeURIComponent(mark)}`
    const form = new URLSearchParams({ To: to, Body: body, StatusCallback: callback })
    form.set(isService(from) ? 'MessagingServiceSid' : 'From', from)
    return this.reach(async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await this.#request('Messages.json', { method: 'POST', headers, body: form.toString(), signal })
      const answer = await response.json().catch(() => undefined)
      const sent = response.ok ? sentSchema.safeParse(answer).data : undefined
      if (sent !== undefined) return { status: 'sent', messageId: sent.sid }
      const { code, message } = errorSchema.safeParse(answer).data ?? {}
      if (code === stoppedCode) return { status: 'stopped' }
      const isRate = response.status === 429 || (code !== undefined && rateCodes.has(code))
      return this.notSent(response, { code, message, isRate })
    })
  }

  /** A message like this that Twilio has accepted since then, if there is one that is not among the known ones. */
  async find(
    { to, body, since, known }: { to: string; body: string; since: number; known: ReadonlySet<string> },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const day = new Date(since).toISOString().slice(0, 10)
    const query = new URLSearchParams({ To: to, 'DateSent>': day, PageSize: '50' })
    const response = await this.#request(`Messages.json?${query.toString()}`, { signal })
    if (!response.ok) throw new BeachError('UNREACHABLE', `Twilio answered ${response.status}.`)
    const { messages = [] } = listSchema.safeParse(await response.json()).data ?? {}
    // Twilio's times are whole seconds.
    const from = Math.floor(since / 1_000) * 1_000
    return messages.find((message) => {
      return (
        message.body === body &&
        message.to === to &&
        Date.parse(message.date_created) >= from &&
        !known.has(message.sid)
      )
    })?.sid
  }

  /** A file of a message that came in. Credentials go to Twilio's own address only. */
  async download(url: string, signal: AbortSignal): Promise<Response> {
    const isOurs = new URL(url).origin === new URL(this.#options.apiUrl).origin
    const headers = isOurs ? { authorization: this.#authorization() } : {}
    const response = await this.#options.fetch(url, { headers, signal })
    if (response.ok) return response
    const gone = response.status === 404 || response.status === 410
    throw new BeachError(
      gone ? 'EXPIRED' : 'UNREACHABLE',
      `The file could not be fetched: Twilio answered ${response.status}.`,
    )
  }

  #request(path: string, init: RequestInit): Promise<Response> {
    const { apiUrl, accountSid, fetch } = this.#options
    const headers = new Headers(init.headers)
    headers.set('authorization', this.#authorization())
    return fetch(`${apiUrl}/2010-04-01/Accounts/${accountSid}/${path}`, { ...init, headers, redirect: 'error' })
  }

  #authorization(): string {
    const { apiKey, accountSid, authTokens } = this.#options
    const { sid, secret } = apiKey ?? { sid: accountSid, secret: authTokens[0] ?? '' }
    return `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
  }
}

export function isService(from: string): boolean {
  return /^MG[0-9a-fA-F]{32}$/.test(from)
}
