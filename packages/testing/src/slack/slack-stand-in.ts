import { createHmac, randomBytes } from 'node:crypto'
import { systemClock } from '@cool-ai/beach-core'
import { formOf } from '../stand-in/form-of.ts'
import { RateWindow } from '../stand-in/rate-window.ts'
import {
  memoryJournal,
  type Journal,
  StandInProblem,
  StandInServer,
  type StandInAnswer,
  type StandInRequest,
} from '../stand-in/stand-in-server.ts'
import { applySlackEntry, slackEntry, type SlackEntry } from './slack-entry.ts'
import { checkSlackMessage, refusal, slackButtons, type SlackBlock, type SlackMessage } from './slack-message.ts'

/** Where a person of Slack says something. */
export interface SlackSaying {
  /** A channel such as `C1`; the direct messages with the app when left out. */
  readonly channel?: string | undefined
  /** The message that is answered in its thread. */
  readonly thread?: string | undefined
  /** The message’s own id; one that was used is the same message, delivered again. */
  readonly ts?: string | undefined
  readonly file?: { readonly name: string; readonly bytes: Buffer; readonly mimeType: string } | undefined
}

/**
 * The Web API of Slack with the people of its workspaces: it checks requests and limits as Slack does, signs its events and
 * sends each in the ways in which Slack does.
 */
export class SlackStandIn {
  readonly signingSecret = randomBytes(16).toString('hex')
  readonly botUserId = 'UBEACH'
  readonly teamId = 'T1'
  readonly server: StandInServer
  readonly messages: SlackMessage[] = []
  /** What the app has shown as its status, by thread. */
  readonly statuses: { readonly thread: string; readonly status: string }[] = []
  /** Every try to post a message, also those that failed. */
  readonly attempts: string[] = []
  /** Modal views that were opened. */
  readonly views: { readonly trigger: string; readonly view: Record<string, unknown> }[] = []
  /** Where the agent’s webhook is. */
  webhook = ''
  /** How many messages a channel takes, posted or edited; Slack’s limit is about one in a second. */
  readonly rate: RateWindow
  /** How people are called; their ids say it otherwise. */
  readonly names = new Map<string, string>()
  readonly #now: () => number
  readonly #journal: Journal<SlackEntry>
  readonly #tokens = new Map<string, string>([[`xoxb-${randomBytes(12).toString('hex')}`, 'T1']])
  readonly #files = new Map<string, { readonly name: string; bytes: Buffer }>()
  #count = 0

  constructor(now: () => number = () => systemClock.now(), journal: Journal<SlackEntry> = memoryJournal()) {
    this.#now = now
    this.#journal = journal
    for (const entry of journal.past) applySlackEntry(this.messages, entry)
    // Ids of earlier messages are not given again.
    this.#count = journal.past.length
    this.rate = new RateWindow(now)
    this.server = new StandInServer((request) => this.#deal(request))
    this.server.sends = ({ url }) => url.pathname === '/api/chat.postMessage'
    this.server.saw = (request) => {
      if (this.server.sends(request)) this.attempts.push(argumentsOf(request).toString())
    }
  }

  get apiUrl(): string {
    return `${this.server.origin}/api/`
  }

  get botToken(): string {
    return [...this.#tokens.keys()][0] ?? ''
  }

  /** Installs the app in another workspace; its token is for that one alone. */
  install(team: string): string {
    const token = `xoxb-${randomBytes(12).toString('hex')}`
    this.#tokens.set(token, team)
    return token
  }

  /** What `createSlackAdapter` needs; errors are told at once, because the agent itself tries again. */
  get account() {
    const { apiUrl, botToken, signingSecret } = this
    const webClientOptions = { retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, logger: quiet }
    return { apiUrl, botToken, signingSecret, userName: 'beach', webClientOptions }
  }

  /** A person says something; rejects when the webhook does not take it. A mention in a channel comes by two events. */
  async say(user: string, text: string, { channel = `D${user}`, thread, ts, file }: SlackSaying = {}): Promise<string> {
    const id = ts ?? this.#ts()
    const isDirect = channel.startsWith('D')
    const url = file && this.keep(file.name, file.bytes)
    const files = file && [
      { id: 'F1', name: file.name, mimetype: file.mimeType, size: file.bytes.length, url_private: url },
    ]
    const event = { user, text, ts: id, channel, thread_ts: thread, event_ts: id, team: this.teamId, files }
    const message = { type: 'message', channel_type: isDirect ? 'im' : 'channel', ...event }
    if (!this.messages.some((known) => known.channel === channel && known.ts === id)) {
      this.#keep({ channel, ts: id, thread, user, text, blocks: [], edits: 0 })
    }
    const isMention = text.includes(`<@${this.botUserId}>`)
    const events = isMention && !isDirect ? [{ type: 'app_mention', ...event }, message] : [message]
    const answers = await Promise.all(events.map((each) => this.deliver(this.eventBody(each))))
    const refused = answers.find((answer) => !answer.ok)
    if (refused !== undefined) throw new Error(`The webhook answered ${refused.status}.`)
    return id
  }

  /** A person presses a button of a message that they see. */
  async press(user: string, message: SlackMessage, label: string, trigger = this.#id('trigger')): Promise<Response> {
    return this.deliver(this.pressBody(user, message, label, trigger), {
      'content-type': 'application/x-www-form-urlencoded',
    })
  }

  pressBody(user: string, message: SlackMessage, label: string, trigger: string): string {
    const button = slackButtons(message).find((each) => each.label === label)
    if (button === undefined) throw new Error(`The message has no button '${label}'.`)
    const { channel, ts, thread } = message
    const action = { type: 'button', action_id: button.actionId, value: button.value, action_ts: trigger }
    const payload = {
      type: 'block_actions',
      team: { id: this.teamId },
      user: { id: user, username: user.toLowerCase(), name: this.#nameOf(user), team_id: this.teamId },
      trigger_id: trigger,
      channel: { id: channel, name: 'channel' },
      container: { type: 'message', message_ts: ts, channel_id: channel, thread_ts: thread },
      message: { ts, thread_ts: thread },
      actions: [action],
    }
    return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  }

  /** A person uses a slash command. */
  async command(
    user: string,
    command: string,
    text: string,
    { channel = `D${user}`, trigger = this.#id('trigger') } = {},
  ): Promise<Response> {
    const form = { command, text, user_id: user, user_name: user, channel_id: channel, team_id: this.teamId }
    const body = new URLSearchParams({ ...form, trigger_id: trigger }).toString()
    return this.deliver(body, { 'content-type': 'application/x-www-form-urlencoded' })
  }

  /** A person sends the form of a modal. */
  async submit(
    user: string,
    view: Record<string, unknown>,
    values: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const state = Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { [id]: { value } }]))
    const payload = {
      type: 'view_submission',
      team: { id: this.teamId },
      user: { id: user, username: user.toLowerCase(), name: this.#nameOf(user), team_id: this.teamId },
      trigger_id: this.#id('trigger'),
      view: { id: this.#id('view'), ...view, state: { values: state } },
    }
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    return this.deliver(body, { 'content-type': 'application/x-www-form-urlencoded' })
  }

  eventBody(event: Readonly<Record<string, unknown>>): string {
    const seconds = Math.floor(this.#now() / 1_000)
    return JSON.stringify({
      type: 'event_callback',
      team_id: this.teamId,
      api_app_id: 'A1',
      event_id: this.#id('Ev'),
      event_time: seconds,
      authorizations: [{ team_id: this.teamId, user_id: this.botUserId, is_bot: true, is_enterprise_install: false }],
      event,
    })
  }

  /** The headers by which Slack signs a body. */
  signed(body: string, { at = systemClock.now(), secret = this.signingSecret } = {}): Record<string, string> {
    const time = String(Math.floor(at / 1_000))
    const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
    return { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${signature}` }
  }

  /** Calls the webhook, signed unless the headers have a signature. */
  async deliver(body: string, headers: Record<string, string> = {}): Promise<Response> {
    const signature = 'x-slack-signature' in headers ? {} : this.signed(body)
    const all = { 'content-type': 'application/json', ...signature, ...headers }
    return fetch(this.webhook, { method: 'POST', headers: all, body })
  }

  /** What a person sees of a channel, without what others have said. */
  shown(channel: string, user: string): SlackMessage[] {
    return this.messages.filter(({ channel: where, user: from, onlyFor }) => {
      return where === channel && from === this.botUserId && (onlyFor === undefined || onlyFor === user)
    })
  }

  /** Keeps a file; resolves to its address. */
  keep(name: string, bytes: Buffer): string {
    const id = this.#id('F')
    this.#files.set(id, { name, bytes })
    return `${this.server.origin}/files/${id}`
  }

  async close(): Promise<void> {
    await this.server.close()
  }

  async #deal(request: StandInRequest): Promise<StandInAnswer> {
    const { pathname } = request.url
    const [, file] = /^\/(?:files|upload)\/(.+)$/.exec(pathname) ?? []
    if (file !== undefined) return this.#file(file, request)
    const method = pathname.replace('/api/', '')
    const args = argumentsOf(request)
    try {
      const token = args.get('token') ?? request.headers.authorization?.replace('Bearer ', '') ?? ''
      const team = this.#tokens.get(token)
      if (team === undefined) throw refusal('invalid_auth')
      const wait = /^chat\.(?:postMessage|update)$/.test(method) ? this.rate.wait(args.get('channel') ?? '') : undefined
      if (wait !== undefined) {
        const headers = { 'retry-after': String(Math.ceil(wait)) }
        return { status: 429, body: { ok: false, error: 'ratelimited' }, headers }
      }
      return { status: 200, body: { ok: true, ...this.#answer(method, args, team) } }
    } catch (error) {
      if (!(error instanceof StandInProblem)) throw error
      return { status: error.status, body: { ok: false, error: error.message } }
    }
  }

  #answer(method: string, args: URLSearchParams, team: string): Record<string, unknown> {
    const of = (name: string) => args.get(name) ?? ''
    switch (method) {
      case 'auth.test':
        return { user_id: this.botUserId, bot_id: 'BBEACH', user: 'beach', team_id: team }
      case 'users.info':
        return {
          user: { id: of('user'), name: of('user').toLowerCase(), real_name: this.#nameOf(of('user')), profile: {} },
        }
      case 'conversations.open':
        return { channel: { id: `D${of('users')}` } }
      case 'conversations.info':
        return { channel: { id: of('channel'), name: 'channel' } }
      case 'chat.postMessage':
        return this.#post(args)
      case 'chat.postEphemeral':
        return { message_ts: this.#post(args, of('user')).ts }
      case 'chat.update':
        return this.#update(args)
      case 'chat.delete':
        this.#indexOf(of('channel'), of('ts'))
        this.#note({ kind: 'removed', channel: of('channel'), ts: of('ts') })
        return {}
      case 'conversations.replies':
        if (of('ts') === '') throw refusal('thread_not_found')
        return { messages: this.#thread(of('channel'), of('ts')), has_more: false }
      case 'conversations.history':
        return { messages: this.#thread(of('channel'), undefined).toReversed(), has_more: false }
      case 'assistant.threads.setStatus':
        this.statuses.push({ thread: of('thread_ts'), status: of('status') })
        return {}
      case 'views.open':
        this.views.push({ trigger: of('trigger_id'), view: JSON.parse(of('view')) as Record<string, unknown> })
        return { view: { id: `V${this.views.length}` } }
      case 'files.getUploadURLExternal': {
        const id = this.#id('F')
        this.#files.set(id, { name: of('filename'), bytes: Buffer.alloc(0) })
        return { upload_url: `${this.server.origin}/upload/${id}`, file_id: id }
      }
      case 'files.completeUploadExternal':
        return this.#share(args)
      default:
        throw refusal('unknown_method')
    }
  }

  #post(args: URLSearchParams, onlyFor?: string) {
    const [text, markdown] = [args.get('text') ?? '', args.get('markdown_text') ?? undefined]
    const blocks = JSON.parse(args.get('blocks') ?? '[]') as SlackBlock[]
    checkSlackMessage(text, markdown, blocks)
    const [channel, thread] = [args.get('channel') ?? '', args.get('thread_ts') ?? undefined]
    const ts = this.#ts()
    this.#keep({ channel, ts, thread, user: this.botUserId, text: markdown ?? text, blocks, onlyFor, edits: 0 })
    return { channel, ts }
  }

  #update(args: URLSearchParams) {
    const [channel, ts] = [args.get('channel') ?? '', args.get('ts') ?? '']
    const [text, markdown] = [args.get('text') ?? '', args.get('markdown_text') ?? undefined]
    const blocks = JSON.parse(args.get('blocks') ?? '[]') as SlackBlock[]
    checkSlackMessage(text, markdown, blocks)
    const at = this.#indexOf(channel, ts)
    const before = this.messages[at]
    if (before === undefined) throw refusal('message_not_found')
    this.#keep({ ...before, text: markdown ?? text, blocks, edits: before.edits + 1 })
    return { channel, ts }
  }

  #keep(message: SlackMessage): void {
    this.#note(slackEntry(message))
  }

  #note(entry: SlackEntry): void {
    this.#journal.add(entry)
    applySlackEntry(this.messages, entry)
  }

  #indexOf(channel: string, ts: string): number {
    const at = this.messages.findIndex((message) => message.channel === channel && message.ts === ts)
    if (at === -1 || this.messages[at]?.user !== this.botUserId) throw refusal('message_not_found')
    return at
  }

  #thread(channel: string, thread: string | undefined): Record<string, unknown>[] {
    return this.messages
      .filter((message) => {
        if (message.channel !== channel || message.onlyFor !== undefined) return false
        return thread === undefined || message.ts === thread || message.thread === thread
      })
      .map(({ ts, thread: thread_ts, user, text, blocks }) => {
        const bot = user === this.botUserId ? { bot_id: 'BBEACH' } : {}
        return { type: 'message', channel, ts, thread_ts, user, text, blocks, ...bot }
      })
  }

  #share(args: URLSearchParams): Record<string, unknown> {
    const files = JSON.parse(args.get('files') ?? '[]') as { id: string; title?: string }[]
    const [channel, thread] = [args.get('channel_id') ?? '', args.get('thread_ts') ?? undefined]
    for (const { id } of files) {
      const file = this.#files.get(id)
      if (file === undefined || file.bytes.length === 0) throw refusal('file_not_found')
      const text = args.get('initial_comment') ?? ''
      this.#keep({ channel, ts: this.#ts(), thread, user: this.botUserId, text, blocks: [], file, edits: 0 })
    }
    return { files: files.map(({ id, title }) => ({ id, title })) }
  }

  async #file(id: string, request: StandInRequest): Promise<StandInAnswer> {
    const { method, body, headers } = request
    const file = this.#files.get(id)
    if (file === undefined) return { status: 404, body: {} }
    if (method !== 'POST') {
      const isKnown = this.#tokens.has(headers.authorization?.replace('Bearer ', '') ?? '')
      return isKnown ? { status: 200, body: file.bytes } : { status: 403, body: {} }
    }
    const form = await formOf(request)
    file.bytes = form === undefined ? body : (form.files[0]?.bytes ?? Buffer.from(Object.values(form.fields)[0] ?? ''))
    return { status: 200, body: {} }
  }

  #nameOf(user: string): string {
    const plain = user.replace(/^U/, '').toLowerCase()
    return this.names.get(user) ?? plain.replace(/^./, (first) => first.toUpperCase())
  }

  #ts(): string {
    this.#count += 1
    return `${Math.floor(this.#now() / 1_000)}.${String(this.#count).padStart(6, '0')}`
  }

  #id(kind: string): string {
    return `${kind}${randomBytes(8).toString('hex')}`
  }
}

const nothing = () => {}
/** The Web API’s client would write each failed call to the console. */
const quiet = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => 'error' as never,
  setName: nothing,
}

/** The Web API takes forms, whose members may be JSON, and JSON. */
function argumentsOf({ body, url, headers }: StandInRequest): URLSearchParams {
  const text = body.toString()
  if (headers['content-type']?.includes('json') !== true) return new URLSearchParams(text || url.search)
  const given = JSON.parse(text) as Record<string, unknown>
  const words = Object.entries(given).map(([name, value]): [string, string] => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)]
  })
  return new URLSearchParams(words)
}
