import { retryAfterMs } from '@cool-ai/beach-channel/http'
import { BeachError, isBeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { z } from 'zod'
import type { Transmitted } from '../people/deliver.ts'
import type { PhoneFetch } from '../people/phone-options.ts'
import { smsStatusPath, type SmsSettings } from './options.ts'

const sentSchema = z.object({ sid: z.string() })
const errorSchema = z.object({ code: z.number(), message: z.string().optional() })
const listSchema = z.object({
  messages: z.array(z.object({ sid: z.string(), body: z.string(), to: z.string(), date_created: z.string() })),
})

/** They have said STOP, and Twilio keeps it. */
const stoppedCode = 21_610
const rateCodes: ReadonlySet<number> = new Set([20_429, 14_107, 30_022, 63_018])
const maxWaitMs = 15_000

type TwilioOptions = Pick<SmsSettings, 'accountSid' | 'authTokens' | 'apiKey' | 'from' | 'publicUrl'> & {
  readonly apiUrl: string
  readonly fetch: PhoneFetch
  readonly runtime: Runtime
}

type NotSent = Exclude<Transmitted, { status: 'sent' }>

/** Twilio's REST interface, as far as the channel uses it. */
export class TwilioApi {
  readonly #options: TwilioOptions
  /** Before this it wants no messages. */
  #notBefore = 0

  constructor(options: TwilioOptions) {
    this.#options = options
  }

  /** Sends a text; the mark comes back with what Twilio says of it. */
  async send(
    to: string,
    body: string,
    mark: string,
    signal: AbortSignal,
  ): Promise<Transmitted | { readonly status: 'stopped' }> {
    const { runtime, from, publicUrl } = this.#options
    const waitMs = this.#notBefore - elapsed(runtime.clock)
    if (waitMs > maxWaitMs) return { status: 'failed', reason: 'Twilio has asked us to wait.' }
    if (waitMs > 0) await sleep(runtime.clock, waitMs, signal)
    const callback = `${publicUrl}${smsStatusPath}?mark=${encodeURIComponent(mark)}`
    const form = new URLSearchParams({ To: to, Body: body, StatusCallback: callback })
    form.set(isService(from) ? 'MessagingServiceSid' : 'From', from)
    try {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await this.#request('Messages.json', { method: 'POST', headers, body: form.toString(), signal })
      const answer = await response.json().catch(() => undefined)
      const sent = response.ok ? sentSchema.safeParse(answer).data : undefined
      if (sent !== undefined) return { status: 'sent', messageId: sent.sid }
      const code = errorSchema.safeParse(answer).data?.code
      if (code === stoppedCode) return { status: 'stopped' }
      return this.#problem(response, answer, code)
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** A message like this that Twilio has taken since then, if there is one that is not among the known ones. */
  async find(
    { to, body, since, known }: { to: string; body: string; since: number; known: ReadonlySet<string> },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const day = new Date(since).toISOString().slice(0, 10)
    const query = new URLSearchParams({ To: to, 'DateSent>': day, PageSize: '50' })
    const response = await this.#request(`Messages.json?${query.toString()}`, { signal })
    if (!response.ok) throw new BeachError('UNREACHABLE', `Twilio answered ${response.status}.`)
    const { messages = [] } = listSchema.safeParse(await response.json()).data ?? {}
    // Twilio says times in whole seconds.
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

  #problem(response: Response, answer: unknown, code: number | undefined): NotSent {
    const { status } = response
    const { clock } = this.#options.runtime
    const said = errorSchema.safeParse(answer).data?.message?.slice(0, 200)
    const reason = `Twilio answered ${status}${code === undefined ? '' : ` (${code})`}${said === undefined ? '' : `: ${said}`}.`
    const isRate = status === 429 || (code !== undefined && rateCodes.has(code))
    const asked = isRate ? retryAfterMs(response.headers.get('retry-after'), clock.now()) : undefined
    if (asked !== undefined) this.#notBefore = elapsed(clock) + asked
    const passes = isRate || status >= 500 || status === 401 || status === 408 || status < 300
    return { status: passes ? 'failed' : 'refused', reason }
  }

  #failure(error: unknown): NotSent {
    this.#options.runtime.logger.log('warn', 'Twilio was not reached', { error })
    if (isBeachError(error) && !error.retryable) return { status: 'refused', reason: error.message }
    return { status: 'failed', reason: 'Twilio was not reached.', isUncertain: true }
  }
}

export function isService(from: string): boolean {
  return /^MG[0-9a-fA-F]{32}$/.test(from)
}
