import { createHmac, randomBytes } from 'node:crypto'
import { systemClock } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { z } from 'zod'
import {
  memoryJournal,
  type Journal,
  StandInProblem,
  StandInServer,
  type StandInAnswer,
  type StandInRequest,
} from '../stand-in/stand-in-server.ts'

/** The schema of what a stand-in of Twilio keeps. */
export const smsEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('received'),
    sid: z.string(),
    to: z.string(),
    body: z.string(),
    statusCallback: z.string(),
    at: z.number(),
  }),
  z.object({
    kind: z.literal('written'),
    sid: z.string(),
    from: z.string(),
    text: z.string(),
    reply: z.string().optional(),
    at: z.number(),
  }),
])

/** What a stand-in of Twilio keeps. */
export type SmsEntry = z.infer<typeof smsEntrySchema>

/** An SMS that has reached a person. */
export type SmsReceived = Omit<Extract<SmsEntry, { kind: 'received' }>, 'kind'>

/** An SMS that a person has sent to the agent; `reply` is what the webhook answered with. */
export type SmsWritten = Omit<Extract<SmsEntry, { kind: 'written' }>, 'kind'>

const stops = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT'])
const starts = new Set(['START', 'YES', 'UNSTOP'])

/** Twilio with the people behind it: it checks requests, knows who has stopped, and signs its callbacks. */
export class TwilioStandIn {
  readonly accountSid = `AC${'0a'.repeat(16)}`
  readonly authToken = randomBytes(16).toString('hex')
  readonly number = '+15005550006'
  /** The agent's public URL, as Twilio knows it. */
  publicUrl = 'https://agent.example'
  readonly server: StandInServer
  readonly received: SmsReceived[] = []
  readonly written: SmsWritten[] = []
  readonly attempts: string[] = []
  readonly media = new Map<string, { readonly bytes: Buffer; readonly mimeType: string }>()
  readonly #now: () => number
  readonly #journal: Journal<SmsEntry>
  readonly #stopped = new Set<string>()
  /** The agent's real address. */
  agent = ''

  constructor(now: () => number = () => systemClock.now(), journal: Journal<SmsEntry> = memoryJournal()) {
    this.#now = now
    this.#journal = journal
    for (const entry of journal.past) this.#remember(entry)
    this.server = new StandInServer((request) => this.#deal(request))
    this.server.saw = ({ body }) => {
      const callback = new URLSearchParams(body.toString()).get('StatusCallback')
      if (callback !== null) this.attempts.push(new URL(callback).searchParams.get('mark') ?? '')
    }
  }

  #remember(entry: SmsEntry): void {
    if (entry.kind === 'received') {
      const { kind: _, ...message } = entry
      this.received.push(message)
      return
    }
    const { kind: _, ...message } = entry
    this.written.push(message)
    this.#heed(message.from, message.text)
  }

  /** The carriers' keywords, by which a person gets no more messages, or some again. */
  #heed(from: string, text: string): void {
    const word = text.trim().toUpperCase()
    if (stops.has(word)) this.#stopped.add(from)
    if (starts.has(word)) this.#stopped.delete(from)
  }

  /** What an SMS channel needs to know of its account. */
  get account() {
    const { accountSid, authToken, number, publicUrl, apiUrl } = this
    return { accountSid, authTokens: [authToken], from: number, publicUrl, apiUrl }
  }

  get apiUrl(): string {
    return this.server.origin
  }

  of(phone: string): SmsReceived[] {
    return this.received.filter(({ to }) => to === phone)
  }

  /** A person writes; rejects when the webhook does not accept it. */
  async write(from: string, text: string, options: { sid?: string; fields?: Record<string, string> } = {}) {
    const { sid = this.sid() } = options
    const at = this.#now()
    this.#heed(from, text)
    const response = await this.deliver(this.fields(from, text, sid, options.fields))
    const answer = await response.text()
    if (!response.ok) throw new Error(`The webhook answered ${response.status}.`)
    const read = /^<\?xml[^>]*><Response>(?:<Message>([^<]*)<\/Message>)?<\/Response>$/.exec(answer)
    if (read === null) throw new Error(`No TwiML: ${answer}`)
    const message = { sid, from, text, at, reply: read[1] === undefined ? undefined : unescaped(read[1]) }
    this.#journal.add({ kind: 'written', ...message })
    this.written.push(message)
    return answer
  }

  fields(from: string, text: string, sid = this.sid(), more: Record<string, string> = {}): Record<string, string> {
    const place = { AccountSid: this.accountSid, ApiVersion: '2010-04-01', To: this.number, From: from }
    return {
      ToCountry: 'US',
      MessageSid: sid,
      SmsSid: sid,
      NumSegments: '1',
      NumMedia: '0',
      Body: text,
      ...place,
      ...more,
    }
  }

  /** A file that is sent along. */
  attach(bytes: Buffer, mimeType: string): Record<string, string> {
    const id = `ME${this.sid().slice(2)}`
    this.media.set(id, { bytes, mimeType })
    const url = `${this.apiUrl}/2010-04-01/Accounts/${this.accountSid}/Messages/MM1/Media/${id}`
    return { NumMedia: '1', MediaUrl0: url, MediaContentType0: mimeType }
  }

  sid(): string {
    return `SM${randomBytes(16).toString('hex')}`
  }

  signature(url: string, fields: Record<string, string>, token = this.authToken): string {
    const sorted = Object.keys(fields)
      .toSorted()
      .map((name) => `${name}${fields[name]}`)
    return createHmac('sha1', token)
      .update(url + sorted.join(''))
      .digest('base64')
  }

  /** Calls the webhook with a form; signed for the public URL, unless a signature is given. */
  async deliver(
    fields: Record<string, string>,
    { path = '/channels/sms', signature }: { path?: string; signature?: string } = {},
  ): Promise<Response> {
    const signed = signature ?? this.signature(this.publicUrl + path, fields)
    return fetch(this.agent + path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signed },
      body: new URLSearchParams(fields).toString(),
    })
  }

  /** Reports the status of a message to the agent. */
  async status({ sid, to, statusCallback }: SmsReceived, status: string, error?: string): Promise<Response> {
    const path = statusCallback.slice(this.publicUrl.length)
    const fields = { MessageSid: sid, SmsSid: sid, AccountSid: this.accountSid, To: to, From: this.number }
    return this.deliver(defined({ ...fields, MessageStatus: status, ErrorCode: error }), { path })
  }

  async #deal(request: StandInRequest): Promise<StandInAnswer> {
    try {
      const expected = `Basic ${Buffer.from(`${this.accountSid}:${this.authToken}`).toString('base64')}`
      if (request.headers.authorization !== expected) throw new StandInProblem(401, 20_003, 'Authenticate')
      return this.#answer(request)
    } catch (error) {
      if (!(error instanceof StandInProblem)) throw error
      const { status, code, message } = error
      return { status, body: { code, message, status } }
    }
  }

  #answer({ method, url, body }: StandInRequest): StandInAnswer {
    const media = /\/Media\/(ME\w+)$/.exec(url.pathname)?.[1]
    if (media !== undefined) {
      const stored = this.media.get(media)
      if (stored === undefined) throw new StandInProblem(404, 20_404, 'The media was not found')
      return { status: 200, body: stored.bytes, headers: { 'content-type': stored.mimeType } }
    }
    if (url.pathname !== `/2010-04-01/Accounts/${this.accountSid}/Messages.json`) {
      throw new StandInProblem(404, 20_404, 'The resource was not found')
    }
    return method === 'POST' ? this.#send(new URLSearchParams(body.toString())) : this.#list(url)
  }

  #send(form: URLSearchParams): StandInAnswer {
    const [to = '', from = '', body = ''] = ['To', 'From', 'Body'].map((name) => form.get(name) ?? '')
    if (!/^\+[1-9]\d{6,14}$/.test(to)) throw new StandInProblem(400, 21_211, `Invalid 'To' Phone Number`)
    if (from !== this.number) throw new StandInProblem(400, 21_606, 'The From number is not yours')
    if (body === '') throw new StandInProblem(400, 21_602, 'Message body is required')
    if (body.length > 1_600) throw new StandInProblem(400, 21_617, 'The body exceeds the 1600 character limit')
    if (this.#stopped.has(to)) throw new StandInProblem(400, 21_610, 'Attempt to send to unsubscribed recipient')
    const message = { sid: this.sid(), to, body, statusCallback: form.get('StatusCallback') ?? '', at: this.#now() }
    this.#journal.add({ kind: 'received', ...message })
    this.received.push(message)
    return { status: 201, body: written(message) }
  }

  #list({ searchParams }: URL): StandInAnswer {
    const day = searchParams.get('DateSent>') ?? ''
    const found = this.of(searchParams.get('To') ?? '').filter(
      ({ at }) => new Date(at).toISOString().slice(0, 10) >= day,
    )
    return { status: 200, body: { messages: found.toReversed().slice(0, 50).map(written) } }
  }
}

function written({ sid, to, body, at }: SmsReceived) {
  return { sid, to, body, date_created: new Date(at).toUTCString(), status: 'queued', error_code: null }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(xml: string): string {
  return xml.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '')
}
