import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { systemClock } from '@cool-ai/beach-core'
import { formOf } from '../stand-in/form-of.ts'
import { RateWindow } from '../stand-in/rate-window.ts'
import { StandInProblem, StandInServer, type StandInAnswer, type StandInRequest } from '../stand-in/stand-in-server.ts'
import { checkDiscordMessage, discordButtons, type DiscordContent, type DiscordMessage } from './discord-message.ts'

/** Where a person of Discord says something. */
export interface DiscordSaying {
  /** A channel or thread of a server; the direct messages with the app when left out. */
  readonly channel?: string | undefined
  readonly guild?: string | undefined
  /** The message’s own id; one that was used is the same message, delivered again. */
  readonly id?: string | undefined
}

interface DiscordChannel {
  readonly id: string
  readonly type: number
  readonly guild?: string | undefined
  readonly parent?: string | undefined
}

const [text, direct, thread] = [0, 1, 11]
const epoch = 1_420_070_400_000

/**
 * The API of Discord with the people of its servers: it checks requests and limits as Discord does, signs interactions with
 * its key, and forwards messages as the adapter’s Gateway listener does.
 */
export class DiscordStandIn {
  readonly applicationId = '900000000000000001'
  readonly botToken = randomBytes(24).toString('base64url')
  readonly publicKey: string
  readonly server: StandInServer
  readonly messages: DiscordMessage[] = []
  /** Every try to post a message, also those that failed. */
  readonly attempts: string[] = []
  /** Where the app was shown as typing. */
  readonly typing: string[] = []
  /** What people were told where they had used a command. */
  readonly replies: string[] = []
  /** Where the agent’s webhook is. */
  webhook = ''
  /** How many messages a channel takes, posted or edited; Discord’s limit is 5 in 5 seconds. */
  readonly rate: RateWindow
  readonly #now: () => number
  readonly #key
  readonly #channels = new Map<string, DiscordChannel>()
  #count = 0

  constructor(now: () => number = () => systemClock.now()) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    this.#key = privateKey
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
    this.#now = now
    this.rate = new RateWindow(now)
    this.server = new StandInServer((request) => this.#deal(request))
    this.server.sends = ({ method, url }) => method === 'POST' && /^\/channels\/\d+\/messages$/.test(url.pathname)
    this.server.saw = (request) => {
      if (this.server.sends(request)) this.attempts.push(request.body.toString())
    }
  }

  /** What `createDiscordAdapter` needs. */
  get account() {
    const { applicationId, botToken, publicKey } = this
    return { apiUrl: this.server.origin, applicationId, botToken, publicKey, userName: 'beach' }
  }

  /** A person’s id, by their name. */
  static userId(name: string): string {
    return numberOf(`user:${name}`)
  }

  /** A channel of a server, by its name. */
  channel(name: string, guild = 'office'): string {
    const id = numberOf(`channel:${guild}:${name}`)
    this.#channels.set(id, { id, type: text, guild: numberOf(`guild:${guild}`) })
    return id
  }

  /** The direct messages of a person. */
  directChannel(user: string): string {
    const id = numberOf(`direct:${user}`)
    this.#channels.set(id, { id, type: direct })
    return id
  }

  /** A person says something; rejects when the webhook does not take it. */
  async say(name: string, words: string, { channel, id }: DiscordSaying = {}): Promise<string> {
    const user = DiscordStandIn.userId(name)
    const place = this.#channel(channel ?? this.directChannel(user))
    const own = id ?? this.#id()
    const before = this.messages.find((known) => known.id === own)
    if (before === undefined) {
      this.messages.push({ id: own, channel: place.id, user, content: words, at: this.#now(), edits: 0 })
    }
    const answer = await this.forward(this.messageEvent(name, words, { id: own, channel: place.id }))
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`)
    return own
  }

  /** A message as the Gateway tells of it. */
  messageEvent(name: string, content: string, where: { readonly id: string; readonly channel: string }): string {
    const { id: channel_id, type, guild } = this.#channel(where.channel)
    const mentions = content.includes(`<@${this.applicationId}>`) ? [{ id: this.applicationId, bot: true }] : []
    const author = { id: DiscordStandIn.userId(name), username: name.toLowerCase(), global_name: name }
    const data = {
      id: where.id,
      channel_id,
      channel_type: type,
      guild_id: guild,
      content,
      author,
      mentions,
      mention_roles: [],
      attachments: [],
      timestamp: new Date(this.#now()).toISOString(),
    }
    return JSON.stringify({ type: 'GATEWAY_MESSAGE_CREATE', timestamp: this.#now(), data })
  }

  /** Calls the webhook as the adapter’s Gateway listener does. */
  async forward(body: string, token = this.botToken): Promise<Response> {
    return this.#call(body, { 'x-discord-gateway-token': token })
  }

  /** A person presses a button of a message that they see. */
  async press(name: string, message: DiscordMessage, label: string, id = this.#id()): Promise<Response> {
    return this.interact(this.pressBody(name, message, label, id))
  }

  pressBody(name: string, message: DiscordMessage, label: string, id: string): string {
    const pressed = discordButtons(message).find((each) => each.label === label)
    if (pressed === undefined) throw new Error(`The message has no button '${label}'.`)
    const about = { data: { component_type: 2, custom_id: pressed.customId }, message: { id: message.id } }
    return this.#interaction(3, name, message.channel, { id, ...about })
  }

  /** A person uses a slash command. */
  async command(
    name: string,
    command: string,
    words: string,
    { channel = this.directChannel(DiscordStandIn.userId(name)), id = this.#id() } = {},
  ): Promise<Response> {
    const options = words === '' ? [] : [{ name: 'text', type: 3, value: words }]
    return this.interact(
      this.#interaction(2, name, channel, { id, data: { id: '1', type: 1, name: command, options } }),
    )
  }

  /** Calls the webhook, signed by Discord’s key unless a signature is given. */
  async interact(body: string, { at = systemClock.now(), signature }: { at?: number; signature?: string } = {}) {
    const timestamp = String(Math.floor(at / 1_000))
    const own = signature ?? sign(null, Buffer.from(timestamp + body), this.#key).toString('hex')
    return this.#call(body, { 'x-signature-ed25519': own, 'x-signature-timestamp': timestamp })
  }

  async close(): Promise<void> {
    await this.server.close()
  }

  #interaction(type: number, name: string, channel: string, about: Readonly<Record<string, unknown>>): string {
    const { guild, parent, type: kind } = this.#channel(channel)
    const user = { id: DiscordStandIn.userId(name), username: name.toLowerCase(), global_name: name }
    const from = guild === undefined ? { user } : { guild_id: guild, member: { user } }
    const where = { channel_id: channel, channel: { id: channel, type: kind, parent_id: parent } }
    const token = randomBytes(16).toString('base64url')
    return JSON.stringify({
      application_id: this.applicationId,
      type,
      id: this.#id(),
      token,
      ...from,
      ...where,
      ...about,
    })
  }

  async #call(body: string, headers: Record<string, string>): Promise<Response> {
    return fetch(this.webhook, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  }

  async #deal(request: StandInRequest): Promise<StandInAnswer> {
    try {
      const path = request.url.pathname
      const isWebhook = path.startsWith('/webhooks/')
      if (!isWebhook && request.headers.authorization !== `Bot ${this.botToken}`) {
        throw new StandInProblem(401, 0, '401: Unauthorized')
      }
      return await this.#answer(request, path.split('/').slice(1))
    } catch (error) {
      if (!(error instanceof StandInProblem)) throw error
      return { status: error.status, body: { message: error.message, code: error.code } }
    }
  }

  async #answer(
    request: StandInRequest,
    [area, id = '', kind, message, more]: readonly string[],
  ): Promise<StandInAnswer> {
    const { method } = request
    if (area === 'users') {
      if (kind !== 'channels') return ok({ id, username: 'person' })
      const { recipient_id: user } = JSON.parse(request.body.toString()) as { recipient_id: string }
      return ok({ id: this.directChannel(user), type: direct })
    }
    if (area === 'webhooks' && more === '@original') {
      const { content = '' } = JSON.parse(request.body.toString()) as { content?: string }
      this.replies.push(content)
      return ok({ id: this.#id(), channel_id: id, content })
    }
    if (area !== 'channels') throw new StandInProblem(404, 10_015, 'Unknown Webhook')
    const channel = this.#channel(id)
    if (kind === undefined) return ok(shownChannel(channel))
    if (kind === 'typing') {
      this.typing.push(id)
      return ok({})
    }
    if (more === 'threads') return this.#thread(channel, message ?? '')
    if (message === undefined && method === 'GET') return this.#history(channel, request.url)
    if (message === undefined) return this.#post(channel, request)
    const at = this.#indexOf(id, message)
    if (method === 'DELETE') {
      this.messages.splice(at, 1)
      return { status: 204, body: '' }
    }
    return this.#limited(channel) ?? this.#edit(at, request)
  }

  #channel(id: string): DiscordChannel {
    const found = this.#channels.get(id)
    if (found === undefined) throw new StandInProblem(404, 10_003, 'Unknown Channel')
    return found
  }

  #thread(parent: DiscordChannel, message: string): StandInAnswer {
    this.#indexOf(parent.id, message, true)
    if (this.#channels.has(message)) {
      throw new StandInProblem(400, 160_004, 'A thread has already been created for this message')
    }
    const made = { id: message, type: thread, guild: parent.guild, parent: parent.id }
    this.#channels.set(message, made)
    return { status: 201, body: shownChannel(made) }
  }

  #limited({ id }: DiscordChannel): StandInAnswer | undefined {
    const seconds = this.rate.wait(id)
    if (seconds === undefined) return undefined
    const body = { message: 'You are being rate limited.', retry_after: seconds, global: false }
    return { status: 429, body, headers: { 'retry-after': String(Math.ceil(seconds)) } }
  }

  async #post(channel: DiscordChannel, request: StandInRequest): Promise<StandInAnswer> {
    const limited = this.#limited(channel)
    if (limited !== undefined) return limited
    const form = await formOf(request)
    const [file] = form?.files ?? []
    const given = JSON.parse(form?.fields.payload_json ?? request.body.toString()) as DiscordContent
    checkDiscordMessage(given, file !== undefined)
    const made = {
      ...given,
      id: this.#id(),
      channel: channel.id,
      user: this.applicationId,
      at: this.#now(),
      file,
      edits: 0,
    }
    this.messages.push(made)
    return ok(this.#shown(made))
  }

  /** What an edit does not name stays as it is: buttons too. */
  #edit(at: number, request: StandInRequest): StandInAnswer {
    const before = this.messages[at]
    if (before === undefined) throw new StandInProblem(404, 10_008, 'Unknown Message')
    const edited = { ...before, ...(JSON.parse(request.body.toString()) as DiscordContent), edits: before.edits + 1 }
    checkDiscordMessage(edited, edited.file !== undefined)
    this.messages[at] = edited
    return ok(this.#shown(edited))
  }

  #history({ id }: DiscordChannel, url: URL): StandInAnswer {
    const limit = Number(url.searchParams.get('limit') ?? '50')
    const own = this.messages.filter(({ channel }) => channel === id).slice(-limit)
    return ok(own.map((message) => this.#shown(message)).toReversed())
  }

  #indexOf(channel: string, message: string, isAnyones = false): number {
    const at = this.messages.findIndex((each) => each.channel === channel && each.id === message)
    if (at === -1) throw new StandInProblem(404, 10_008, 'Unknown Message')
    if (!isAnyones && this.messages[at]?.user !== this.applicationId) {
      throw new StandInProblem(403, 50_005, 'Cannot edit a message authored by another user')
    }
    return at
  }

  #shown({ id, channel, user, content, embeds = [], components = [], at, file }: DiscordMessage) {
    const isBot = user === this.applicationId
    const attachments = file === undefined ? [] : [{ id, filename: file.name, size: file.bytes.length, url: '' }]
    const author = { id: user, username: isBot ? 'beach' : 'person', bot: isBot }
    const timestamp = new Date(at).toISOString()
    const about = { id, type: 0, channel_id: channel, author, timestamp, edited_timestamp: null, attachments }
    return { ...about, content: content ?? '', embeds, components }
  }

  /** Ids have their time in them, as Discord’s have. */
  #id(): string {
    this.#count += 1
    return String((BigInt(this.#now() - epoch) << 22n) + BigInt(this.#count))
  }
}

function shownChannel({ id, type, guild, parent }: DiscordChannel) {
  return { id, type, guild_id: guild, parent_id: parent, name: 'channel' }
}

function ok(body: unknown): StandInAnswer {
  return { status: 200, body }
}

/** An id as Discord has them: a number of 18 digits. */
function numberOf(name: string): string {
  const digest = createHash('sha256').update(name).digest()
  return String(100_000_000_000_000_000n + (digest.readBigUInt64BE() % 800_000_000_000_000_000n))
}
