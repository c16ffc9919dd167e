import { createHash, createHmac, randomBytes } from 'node:crypto'
import { sleep, systemClock } from '@cool-ai/beach-core'
import {
  require,
  shownInteractive,
  within,
  type StoredMedia,
  type WhatsAppContent,
  type WhatsAppEntry,
  type WhatsAppPerson,
  type WhatsAppReceived,
  type WhatsAppWritten,
} from './whatsapp-message.ts'
import {
  memoryJournal,
  type Journal,
  StandInProblem,
  StandInServer,
  type StandInAnswer,
  type StandInRequest,
} from '../stand-in/stand-in-server.ts'

const dayMs = 24 * 60 * 60 * 1_000
const mediaLimits: Readonly<Record<string, number>> = { image: 5, audio: 16, video: 16, text: 100, application: 100 }

/**
 * The Cloud API of WhatsApp with the people behind it: it checks requests, keeps the 24-hour window, signs its
 * callbacks.
 */
export class WhatsAppStandIn {
  readonly appSecret = randomBytes(16).toString('hex')
  readonly accessToken = `EAAG${randomBytes(24).toString('hex')}`
  readonly verifyToken = 'a-word-that-was-agreed-on'
  readonly phoneNumberId = '106540352242922'
  readonly server: StandInServer
  readonly media = new Map<string, StoredMedia>()
  readonly received: WhatsAppReceived[] = []
  readonly written: WhatsAppWritten[] = []
  readonly attempts: string[] = []
  /** Templates that were approved, with how many quick replies they have. */
  readonly templates = new Map<string, number>()
  readonly #now: () => number
  readonly #journal: Journal<WhatsAppEntry>
  readonly #wrote = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #undelivered = new Set<string>()
  /** Whether it reports each message as sent, as the real one does. */
  tellsSent = true
  #isClosed = false
  /** Where the agent's webhook is. */
  webhook = ''

  constructor(now: () => number = () => systemClock.now(), journal: Journal<WhatsAppEntry> = memoryJournal()) {
    this.#now = now
    this.#journal = journal
    for (const entry of journal.past) this.#remember(entry)
    this.server = new StandInServer((request) => this.#deal(request))
    this.server.saw = ({ url, body }) => {
      if (!url.pathname.endsWith('/messages')) return
      this.attempts.push((JSON.parse(body.toString()) as WhatsAppContent).biz_opaque_callback_data ?? '')
    }
  }

  #remember(entry: WhatsAppEntry): void {
    switch (entry.kind) {
      case 'received':
        this.received.push(entry.message)
        this.#undelivered.add(entry.message.id)
        return
      case 'told':
        this.#undelivered.delete(entry.id)
        return
      case 'written': {
        const { kind: _, ...written } = entry
        this.written.push(written)
        this.#saw(written.person, written.at)
        return
      }
      case 'media':
        this.media.set(entry.id, { bytes: Buffer.from(entry.base64, 'base64'), mimeType: entry.mimeType })
    }
  }

  /** Continues the reports that an earlier process has not delivered yet. */
  resume(): void {
    for (const message of this.received) if (this.#undelivered.has(message.id)) void this.#tell(message)
  }

  /** A person has written: for a day they can be written to, by each of their names. */
  #saw({ phone, userId }: WhatsAppPerson, at: number): void {
    for (const name of [phone, userId]) if (name !== undefined) this.#wrote.set(name, at)
    if (phone !== undefined && userId !== undefined) this.#names.set(phone, userId)
  }

  get graphUrl(): string {
    return `${this.server.origin}/v23.0`
  }

  /** What a WhatsApp channel needs to know of its account. */
  get account() {
    const { phoneNumberId, accessToken, appSecret, verifyToken, graphUrl } = this
    return { phoneNumberId, accessToken, appSecrets: [appSecret], verifyToken, graphUrl }
  }

  of({ phone, userId }: WhatsAppPerson): WhatsAppReceived[] {
    return this.received.filter(({ to }) => to === phone || to === userId)
  }

  /** A person writes; rejects when the webhook does not accept it. */
  async write(person: WhatsAppPerson, message: Record<string, unknown>, id = this.#id('wamid.in')): Promise<string> {
    const written = { id, person, message, at: this.#now() }
    const response = await this.deliver(this.messageBody(person, message, id))
    if (!response.ok) throw new Error(`The webhook answered ${response.status}.`)
    this.#journal.add({ kind: 'written', ...written })
    this.written.push(written)
    return id
  }

  text(person: WhatsAppPerson, body: string, options: { id?: string; replyTo?: string } = {}): Promise<string> {
    const context = options.replyTo === undefined ? {} : { context: { id: options.replyTo } }
    return this.write(person, { type: 'text', text: { body }, ...context }, options.id)
  }

  /** A person taps a button or a row of a message that they have got. */
  tap(person: WhatsAppPerson, message: WhatsAppReceived, title: string, id?: string): Promise<string> {
    const context = { id: message.id }
    const { interactive, template } = message.content
    const button = interactive?.action.buttons?.find(({ reply }) => reply.title === title)?.reply
    if (button !== undefined) {
      const tapped = { type: 'button_reply', button_reply: { id: button.id, title } }
      return this.write(person, { type: 'interactive', context, interactive: tapped }, id)
    }
    const row = interactive?.action.sections?.flatMap(({ rows }) => rows).find((entry) => entry.title === title)
    if (row !== undefined) {
      return this.write(
        person,
        { type: 'interactive', context, interactive: { type: 'list_reply', list_reply: row } },
        id,
      )
    }
    const quick = template?.components.filter(({ type }) => type === 'button')[title === 'Approve' ? 0 : 1]
    const payload = quick?.parameters[0]?.payload
    if (payload === undefined) throw new Error(`The message has no button '${title}'.`)
    return this.write(person, { type: 'button', context, button: { payload, text: title } }, id)
  }

  file(
    person: WhatsAppPerson,
    type: 'image' | 'document',
    media: StoredMedia & { caption?: string; filename?: string },
  ) {
    const { bytes, mimeType, ...rest } = media
    const id = this.#keepMedia({ bytes, mimeType })
    return this.write(person, { type, [type]: { id, mime_type: mimeType, ...rest } })
  }

  async status(message: WhatsAppReceived, status: string, error?: number): Promise<Response> {
    const entry = {
      id: message.id,
      status,
      timestamp: this.#seconds(),
      ...(/^\d+$/.test(message.to) ? { recipient_id: message.to } : { recipient_user_id: message.to }),
      biz_opaque_callback_data: message.mark,
      errors: error === undefined ? undefined : [{ code: error, title: 'It failed' }],
    }
    return this.deliver(this.#webhookBody({ statuses: [entry] }))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.server.close()
  }

  /** Reports that a message was sent, again and again until the agent accepts the report. */
  async #tell(message: WhatsAppReceived): Promise<void> {
    while (!this.#isClosed) {
      const response = await this.status(message, 'sent').catch(() => undefined)
      if (response?.ok === true) {
        this.#journal.add({ kind: 'told', id: message.id })
        return
      }
      await sleep(systemClock, 10)
    }
  }

  messageBody(person: WhatsAppPerson, message: Record<string, unknown>, id: string, at?: number): string {
    const { phone, userId } = person
    this.#saw(person, this.#now())
    const contact = {
      profile: { name: 'Unnamed' },
      wa_id: phone,
      user_id: userId,
    }
    const from = { from: phone, from_user_id: userId }
    const timestamp = at === undefined ? this.#seconds() : String(Math.floor(at / 1_000))
    return this.#webhookBody({ contacts: [contact], messages: [{ ...from, id, timestamp, ...message }] })
  }

  #webhookBody(value: Record<string, unknown>): string {
    const metadata = { display_phone_number: '15550783881', phone_number_id: this.phoneNumberId }
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }
    return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1029', changes: [change] }] })
  }

  signature(body: string | Buffer, secret = this.appSecret): string {
    return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  }

  /** Calls the webhook, signed unless other headers are given. */
  async deliver(body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
    const signed = 'x-hub-signature-256' in headers ? {} : { 'x-hub-signature-256': this.signature(body) }
    return fetch(this.webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed, ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
  }

  #id(kind: string): string {
    return `${kind}.${randomBytes(18).toString('base64url')}`
  }

  #keepMedia({ bytes, mimeType }: StoredMedia): string {
    const id = this.#id('media')
    this.#journal.add({ kind: 'media', id, mimeType, base64: bytes.toString('base64') })
    this.media.set(id, { bytes, mimeType })
    return id
  }

  #seconds(): string {
    return String(Math.floor(this.#now() / 1_000))
  }

  async #deal(request: StandInRequest): Promise<StandInAnswer> {
    try {
      if (request.headers.authorization !== `Bearer ${this.accessToken}`) {
        throw new StandInProblem(401, 190, 'Invalid OAuth access token')
      }
      return { status: 200, body: await this.#answer(request) }
    } catch (error) {
      if (!(error instanceof StandInProblem)) throw error
      const { status, code, message } = error
      return { status, body: { error: { message, type: 'OAuthException', code, fbtrace_id: 'A1' } } }
    }
  }

  async #answer({ method, url, body, headers }: StandInRequest): Promise<unknown> {
    const path = url.pathname.replace(/^\/v23\.0\//, '')
    if (method === 'POST' && path === `${this.phoneNumberId}/messages`) return this.#message(body)
    if (method === 'POST' && path === `${this.phoneNumberId}/media`)
      return this.#upload(body, headers['content-type'] ?? '')
    const bytes = /^\/bytes\/(.+)$/.exec(url.pathname)?.[1]
    if (bytes !== undefined) return this.#stored(bytes).bytes
    const stored = this.#stored(decodeURIComponent(path))
    const sha256 = createHash('sha256').update(stored.bytes).digest('hex')
    const about = { mime_type: stored.mimeType, sha256, file_size: stored.bytes.length, id: path }
    return { messaging_product: 'whatsapp', url: `${this.server.origin}/bytes/${path}`, ...about }
  }

  #stored(id: string): StoredMedia {
    const stored = this.media.get(id)
    if (stored === undefined) throw new StandInProblem(404, 100, 'Unsupported get request: there is no such object')
    return stored
  }

  async #upload(body: Buffer, type: string): Promise<unknown> {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
    const file = form.get('file')
    require(form.get('messaging_product') === 'whatsapp' && file instanceof Blob, 'A file is needed')
    const blob = file as Blob
    const max = (mediaLimits[blob.type.split('/')[0] ?? ''] ?? 0) * 1024 * 1024
    require(blob.size > 0 && blob.size <= max, `The file is too large, or ${blob.type} is not supported`, 131_053)
    return { id: this.#keepMedia({ bytes: Buffer.from(await blob.arrayBuffer()), mimeType: blob.type }) }
  }

  #message(body: Buffer): unknown {
    const content = JSON.parse(body.toString()) as WhatsAppContent & { messaging_product?: string }
    require(content.messaging_product === 'whatsapp', 'messaging_product is needed')
    const to = content.to ?? content.recipient ?? ''
    require(/^\d{5,20}$/.test(content.to ?? '12345') && to !== '', 'The recipient is not right', 131_009)
    require((content.biz_opaque_callback_data ?? '').length <= 512, 'biz_opaque_callback_data is too long')
    const { type = '' } = content
    const text = this.#checked(content)
    const wrote = Math.max(...[to, this.#names.get(to) ?? ''].map((name) => this.#wrote.get(name) ?? -Infinity))
    if (type !== 'template' && this.#now() - wrote >= dayMs) {
      throw new StandInProblem(400, 131_047, 'Re-engagement message: more than 24 hours have passed')
    }
    const id = this.#id('wamid.out')
    const mark = content.biz_opaque_callback_data ?? ''
    const replyTo = content.context?.message_id
    const message = { id, to, mark, type, content, text, replyTo, at: this.#now() }
    this.#journal.add({ kind: 'received', message })
    this.received.push(message)
    if (this.tellsSent) void this.#tell(message)
    return { messaging_product: 'whatsapp', contacts: [{ input: to }], messages: [{ id }] }
  }

  /** What a reader sees of a message that is within all limits. */
  #checked(content: WhatsAppContent): string {
    switch (content.type) {
      case 'text':
        within(content.text?.body, 1, 4_096, 'text.body')
        return content.text?.body ?? ''
      case 'interactive':
        return shownInteractive(content)
      case 'template':
        return this.#template(content)
      case 'image':
      case 'document':
      case 'audio':
      case 'video': {
        const media = content[content.type]
        require(media !== undefined && this.media.has(media.id), 'The media id is not known', 131_053)
        return JSON.stringify(media)
      }
      default:
        throw new StandInProblem(400, 131_051, 'Unsupported message type')
    }
  }

  #template({ template }: WhatsAppContent): string {
    const quick = template && this.templates.get(`${template.name}:${template.language.code}`)
    if (template === undefined || quick === undefined)
      throw new StandInProblem(404, 132_001, 'There is no such template')
    const [body, ...buttons] = template.components
    const text = body?.parameters[0]?.text ?? ''
    require(body?.type === 'body' && body.parameters.length === 1, 'The parameters do not match', 132_000)
    within(text, 1, 1_024, 'The parameter')
    require(!/[\n\t]| {5}/.test(text), 'A parameter has no new lines, tabs or many spaces', 132_012)
    require(buttons.length === quick, 'The buttons do not match the template', 132_000)
    for (const button of buttons) within(button.parameters[0]?.payload, 1, 256, 'A payload')
    return text
  }
}
