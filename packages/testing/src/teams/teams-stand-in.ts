import { createHash, sign, type KeyObject } from 'node:crypto'
import { systemClock } from '@cool-ai/beach-core'
import { keysOf } from '../stand-in/keys-of.ts'
import { RateWindow } from '../stand-in/rate-window.ts'
import { StandInProblem, StandInServer, type StandInAnswer, type StandInRequest } from '../stand-in/stand-in-server.ts'
import { checkTeamsMessage, refused, teamsButtons, type TeamsContent, type TeamsMessage } from './teams-message.ts'

/** Where a person of Teams says something. */
export interface TeamsSaying {
  /** A conversation; the one with the bot alone when left out. */
  readonly conversation?: string | undefined
  /** The message’s own id; one that was used is the same message, delivered again. */
  readonly id?: string | undefined
  readonly isMention?: boolean | undefined
}

/** A dialog that a button has opened, as an Adaptive Card. */
export interface TeamsDialog {
  readonly body: readonly { readonly id?: string; readonly label?: string; readonly value?: unknown }[]
  readonly actions: readonly { readonly data?: Readonly<Record<string, unknown>> }[]
}

interface TokenOptions {
  readonly key?: KeyObject | undefined
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  readonly serviceUrl?: string | undefined
  /** When it was issued. */
  readonly at?: number | undefined
}

const keyId = 'stand-in'
const tenant = '11111111-2222-3333-4444-555555555555'

/**
 * The Bot Framework’s connector of Teams, with people of one tenant: it checks requests and limits as the connector does,
 * signs activities with tokens of its own keys, and answers what bots with `ChatMessage.Read.Chat` may read of Graph.
 */
export class TeamsStandIn {
  readonly appId = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
  /** What the bot proves itself with. */
  readonly botToken: string
  readonly tenant = tenant
  readonly server: StandInServer
  readonly messages: TeamsMessage[] = []
  /** Every try to post a message, also those that failed. */
  readonly attempts: string[] = []
  /** Where the bot was shown as typing. */
  readonly typing: string[] = []
  /** Where the agent’s webhook is. */
  webhook = ''
  /** How many messages a conversation takes; that of Teams is 7 in a second, and 1,800 in an hour. */
  readonly rate: RateWindow
  readonly #now: () => number
  readonly #keys = keysOf('teams')
  readonly #names = new Map<string, string>()
  #count = 0

  constructor(now: () => number = () => systemClock.now()) {
    this.#now = now
    this.botToken = this.token({ audience: 'https://api.botframework.com', serviceUrl: '' })
    this.rate = new RateWindow(now)
    this.server = new StandInServer((request) => this.#deal(request))
    this.server.sends = ({ method, url, body }) => {
      return method === 'POST' && url.pathname.endsWith('/activities') && !body.includes('"type":"typing"')
    }
    this.server.saw = (request) => {
      if (this.server.sends(request)) this.attempts.push(request.body.toString())
    }
  }

  get serviceUrl(): string {
    return `${this.server.origin}/teams`
  }

  /** What `createTeamsAdapter` needs; see `attach` for the rest. */
  get account() {
    const { appId, serviceUrl: apiUrl, tenant: appTenantId } = this
    return {
      appId,
      apiUrl,
      appTenantId,
      appType: 'SingleTenant' as const,
      token: () => this.botToken,
      userName: 'beach',
    }
  }

  /**
   * Lets an adapter that is not started yet check tokens by the keys of this stand-in and read its messages. Adapters have no
   * settings for these two addresses.
   */
  attach<Adapter extends object>(adapter: Adapter): Adapter {
    const app = Reflect.get(adapter, 'app') as { cloud: object; graph: object }
    app.cloud = { ...app.cloud, openIdMetadataUrl: `${this.server.origin}/v1/.well-known/openidconfiguration` }
    const graph = Reflect.get(app.graph, '_http') as { clone(options: object): object }
    Reflect.set(app.graph, '_http', graph.clone({ baseUrl: `${this.server.origin}/v1.0` }))
    return adapter
  }

  /** A person’s id, by their name. */
  static userId(name: string): string {
    return `29:${createHash('sha256').update(name).digest('base64url').slice(0, 40)}`
  }

  /** The conversation of a person with the bot. */
  direct(name: string): string {
    return `a:${createHash('sha256').update(`direct:${name}`).digest('base64url').slice(0, 40)}`
  }

  /** A channel of a team, by its name; a thread has `;messageid=` and the id of its first message behind it. */
  channel(name: string): string {
    return `19:${createHash('sha256').update(name).digest('hex').slice(0, 32)}@thread.tacv2`
  }

  /** A person says something; rejects when the webhook does not take it. */
  async say(name: string, text: string, { conversation, id, isMention }: TeamsSaying = {}): Promise<string> {
    this.know(name)
    const own = id ?? this.#id()
    const place = conversation ?? this.direct(name)
    if (!this.messages.some((known) => known.id === own)) {
      const user = TeamsStandIn.userId(name)
      this.messages.push({
        id: own,
        conversation: threadOf(place, own),
        user,
        at: this.#now(),
        text,
        attachments: [],
        edits: 0,
      })
    }
    const answer = await this.deliver(this.activity(name, { id: own, conversation: place, text, isMention }))
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`)
    return own
  }

  /** A person presses a button of a message that they see. */
  async press(name: string, message: TeamsMessage, label: string, id = this.#id()): Promise<Response> {
    const pressed = teamsButtons(message).find((each) => each.label === label)
    if (pressed === undefined) throw new Error(`The message has no button '${label}'.`)
    const about = { replyToId: message.id, value: pressed.data }
    return this.deliver(this.activity(name, { id, conversation: message.conversation, text: '', ...about }))
  }

  /** A person opens the dialog of a button; resolves to its card, and rejects when there is none. */
  async openDialog(name: string, message: TeamsMessage, label: string): Promise<TeamsDialog> {
    const pressed = teamsButtons(message).find((each) => each.label === label)
    if (pressed === undefined) throw new Error(`The message has no button '${label}'.`)
    const answer = await this.#invoke(name, message.conversation, 'task/fetch', {
      replyToId: message.id,
      value: { data: pressed.data },
    })
    const { task } = (await answer.json()) as { task?: { value?: { card?: { content?: TeamsDialog } } } }
    const card = task?.value?.card?.content
    if (card === undefined) throw new Error('The button has opened no dialog.')
    return card
  }

  /** A person sends what they have filled in, by the ids of the fields. */
  async submitDialog(
    name: string,
    { conversation }: Pick<TeamsMessage, 'conversation'>,
    dialog: TeamsDialog,
    values: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const data = { ...dialog.actions[0]?.data, ...values }
    return this.#invoke(name, conversation, 'task/submit', { value: { data } })
  }

  #invoke(user: string, conversation: string, invoked: string, about: Readonly<Record<string, unknown>>) {
    const id = this.#id()
    return this.deliver(this.activity(user, { id, conversation, text: '', type: 'invoke', name: invoked, ...about }))
  }

  /** A message activity as the connector sends it. */
  activity(
    name: string,
    {
      conversation,
      isMention,
      text,
      ...about
    }: Readonly<Record<string, unknown>> & { id: string; conversation: string },
    from = tenant,
  ): string {
    const isChannel = conversation.startsWith('19:')
    const bot = { id: `28:${this.appId}`, name: 'beach' }
    const mention = { type: 'mention', text: '<at>beach</at>', mentioned: bot }
    const place = isChannel && !conversation.includes(';') ? `${conversation};messageid=${about.id}` : conversation
    const [channel = ''] = conversation.split(';')
    const team = { id: channel, aadGroupId: 'team-1' }
    return JSON.stringify({
      type: 'message',
      channelId: 'msteams',
      serviceUrl: this.serviceUrl,
      timestamp: new Date(this.#now()).toISOString(),
      from: { id: TeamsStandIn.userId(name), name, aadObjectId: aadId(name) },
      recipient: bot,
      conversation: { id: place, conversationType: isChannel ? 'channel' : 'personal', tenantId: from },
      channelData: { tenant: { id: from }, ...(isChannel && { channel: { id: channel }, team }) },
      text: isMention === true ? `<at>beach</at> ${String(text)}` : text,
      entities: isMention === true ? [mention] : [],
      ...about,
    })
  }

  /** A token by which the connector proves an activity. */
  token({ key, issuer, audience, serviceUrl, at = systemClock.now() }: TokenOptions = {}): string {
    const seconds = Math.floor(at / 1_000)
    const claims = {
      iss: issuer ?? 'https://api.botframework.com',
      aud: audience ?? this.appId,
      serviceurl: serviceUrl ?? this.serviceUrl,
      nbf: seconds,
      exp: seconds + 3_600,
    }
    const encoded = [{ alg: 'RS256', kid: keyId, typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = sign('sha256', Buffer.from(encoded), key ?? this.#keys.privateKey).toString('base64url')
    return `${encoded}.${signature}`
  }

  /** Calls the webhook with a token. */
  async deliver(body: string, token = this.token()): Promise<Response> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    return fetch(this.webhook, { method: 'POST', headers, body })
  }

  async close(): Promise<void> {
    await this.server.close()
  }

  async #deal(request: StandInRequest): Promise<StandInAnswer> {
    const path = decodeURIComponent(request.url.pathname)
    if (path === '/v1/.well-known/keys') {
      const key = this.#keys.publicKey.export({ format: 'jwk' })
      return ok({ keys: [{ ...key, kid: keyId, use: 'sig', alg: 'RS256' }] })
    }
    try {
      if (request.headers.authorization !== `Bearer ${this.botToken}`) {
        throw new StandInProblem(401, 0, 'Authorization has been denied for this request.')
      }
      if (path.startsWith('/v1.0/')) return ok({ value: this.#read(path) })
      return this.#answer(request, path.replace('/teams/v3/', ''))
    } catch (error) {
      if (!(error instanceof StandInProblem)) throw error
      return { status: error.status, body: { error: { code: 'Error', message: error.message } } }
    }
  }

  #answer(request: StandInRequest, path: string): StandInAnswer {
    const { method, body, url } = request
    if (path === 'conversations') {
      const { members = [] } = JSON.parse(body.toString()) as { members?: { id: string }[] }
      return ok({ id: this.direct(this.#nameOf(members[0]?.id ?? '')) })
    }
    const [, conversation = '', kind, id] = /^conversations\/([^/]+)\/(activities|members)(?:\/(.+))?$/.exec(path) ?? []
    if (kind === 'members') return ok({ id, name: this.#nameOf(id ?? ''), tenantId: tenant })
    if (kind !== 'activities') throw new StandInProblem(404, 0, 'Not found')
    if (method === 'DELETE') {
      this.messages.splice(this.#indexOf(conversation, id), 1)
      return ok({})
    }
    const given = JSON.parse(body.toString()) as TeamsContent & { recipient?: { id: string } }
    if (given.type === 'typing') {
      this.typing.push(conversation)
      return ok({ id: this.#id() })
    }
    const seconds = this.rate.wait(conversation)
    if (seconds !== undefined) return tooMany(seconds)
    checkTeamsMessage(given, body.length)
    if (method === 'PUT') return this.#edit(conversation, id, given)
    const onlyFor = url.searchParams.get('isTargetedActivity') === 'true' ? given.recipient?.id : undefined
    const { text = '', attachments = [] } = given
    const sent = { id: this.#id(), conversation, at: this.#now(), text, attachments, onlyFor, edits: 0 }
    this.messages.push(sent)
    return { status: 201, body: { id: sent.id } }
  }

  #edit(conversation: string, id: string | undefined, { text = '', attachments = [] }: TeamsContent): StandInAnswer {
    const at = this.#indexOf(conversation, id)
    const before = this.messages[at]
    if (before === undefined) throw refused('no such activity')
    this.messages[at] = { ...before, text, attachments, edits: before.edits + 1 }
    return ok({ id })
  }

  #indexOf(conversation: string, id: string | undefined): number {
    const at = this.messages.findIndex((each) => each.id === id && each.conversation === conversation)
    if (at === -1 || this.messages[at]?.user !== undefined) throw new StandInProblem(404, 0, 'Activity not found')
    return at
  }

  /** What Graph has of a chat, or of a thread in a channel. */
  #read(path: string): unknown[] {
    const [, team, root] = /^\/v1\.0\/teams\/[^/]+\/channels\/([^/]+)\/messages\/([^/]+)\/replies$/.exec(path) ?? []
    const [, chat = ''] = /^\/v1\.0\/chats\/([^/]+)\/messages$/.exec(path) ?? []
    const person = [...this.#names.values()].find((name) => chat === `19:${aadId(name)}_${this.appId}@unq.gbl.spaces`)
    const own = this.messages.filter(({ conversation, onlyFor }) => {
      if (onlyFor !== undefined) return false
      if (team !== undefined) return conversation === `${team};messageid=${root}`
      return conversation === (person === undefined ? chat : this.direct(person))
    })
    return own.toReversed().map(({ id, user, at, text, attachments }) => ({
      id,
      createdDateTime: new Date(at).toISOString(),
      from: user === undefined ? { application: { id: this.appId } } : { user: { id: user } },
      body: { contentType: 'text', content: text },
      attachments: attachments.map((each) => ({ ...each, content: JSON.stringify(each.content) })),
    }))
  }

  /** Makes a person known by their name, before the bot writes to them first. */
  know(...names: readonly string[]): void {
    for (const name of names) this.#names.set(TeamsStandIn.userId(name), name)
  }

  #nameOf(user: string): string {
    const name = this.#names.get(user)
    if (name === undefined) throw new StandInProblem(403, 0, 'Bot is not installed in user’s personal scope')
    return name
  }

  /** Ids of messages are their times. */
  #id(): string {
    this.#count += 1
    return String(this.#now() * 1_000 + this.#count)
  }
}

/** A message that begins a thread in a channel is in that thread. */
function threadOf(conversation: string, id: string): string {
  return conversation.startsWith('19:') && !conversation.includes(';')
    ? `${conversation};messageid=${id}`
    : conversation
}

/** The id by which Graph knows a person; it names a chat with the bot by this one and the bot’s. */
function aadId(name: string): string {
  const hex = createHash('sha256').update(`aad:${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

function tooMany(seconds: number): StandInAnswer {
  const body = { error: { code: 'TooManyRequests', message: 'Too many requests' } }
  return { status: 429, body, headers: { 'retry-after': String(Math.ceil(seconds)) } }
}

function ok(body: unknown): StandInAnswer {
  return { status: 200, body }
}
