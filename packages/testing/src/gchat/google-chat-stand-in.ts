import { createHash, randomBytes, sign, type KeyObject } from 'node:crypto'
import { systemClock } from '@cool-ai/beach-core'
import { keysOf } from '../stand-in/keys-of.ts'
import { RateWindow } from '../stand-in/rate-window.ts'
import { StandInProblem, StandInServer, type StandInAnswer, type StandInRequest } from '../stand-in/stand-in-server.ts'
import {
  checkGoogleChatMessage,
  googleChatButtons,
  type GoogleChatContent,
  type GoogleChatMessage,
} from './google-chat-message.ts'

/** Where a person of Google Chat says something. */
export interface GoogleChatSaying {
  /** A space such as `spaces/TEAM`; the direct messages with the app when left out. */
  readonly space?: string | undefined
  /** The thread that it is said in: `spaces/…/threads/…`. */
  readonly thread?: string | undefined
  /** The last part of the message’s name; one that was used is the same message, delivered again. */
  readonly id?: string | undefined
}

interface TokenOptions {
  readonly key?: KeyObject | undefined
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  readonly at?: number | undefined
}

interface EventWhere {
  readonly space: string
  readonly thread?: string | undefined
  readonly id: string
}

const chatAccount = 'chat@system.gserviceaccount.com'
const certificates = `/service_accounts/v1/metadata/x509/${chatAccount}`
const keyId = 'stand-in'

/**
 * The API of Google Chat with its people: it checks requests and limits as Google Chat does, and proves its events with tokens
 * of its own keys. As for other apps with `chat.bot` alone, messages cannot be read.
 */
export class GoogleChatStandIn {
  readonly projectNumber = '123456789012'
  readonly botUserId = 'users/900000000000000000001'
  readonly accessToken = `ya29.${randomBytes(24).toString('base64url')}`
  readonly server: StandInServer
  readonly messages: GoogleChatMessage[] = []
  /** Every try to post a message, also those that failed. */
  readonly attempts: string[] = []
  /** Where the agent’s webhook is. */
  webhook = ''
  /** How many messages a space takes; that of Google Chat is one in a second. */
  readonly rate: RateWindow
  readonly #now: () => number
  readonly #keys = keysOf('gchat')
  readonly #names = new Map<string, string>()
  #count = 0

  constructor(now: () => number = () => systemClock.now()) {
    this.#now = now
    this.rate = new RateWindow(now)
    this.server = new StandInServer((request) => this.#deal(request))
    this.server.sends = ({ method, url }) => method === 'POST' && /^\/v1\/spaces\/[^/]+\/messages$/.test(url.pathname)
    this.server.saw = (request) => {
      if (this.server.sends(request)) this.attempts.push(request.body.toString())
    }
  }

  /** What `createGoogleChatAdapter` needs; see `attach` for the rest. */
  get account() {
    const key = this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    return {
      apiUrl: `${this.server.origin}/`,
      credentials: { client_email: 'agent@project.example', private_key: key },
      googleChatProjectNumber: this.projectNumber,
      botUserId: this.botUserId,
      userName: 'beach',
    }
  }

  /** Where Google publishes the keys of Google Chat, and where this stand-in does: the adapter has no setting for it. */
  get certificates() {
    return { from: `https://www.googleapis.com${certificates}`, to: `${this.server.origin}${certificates}` }
  }

  /** Gives an adapter an access token, for which it would ask Google. */
  attach<Adapter extends object>(adapter: Adapter): Adapter {
    const client = Reflect.get(adapter, 'authClient') as { setCredentials(given: object): void }
    client.setCredentials({ access_token: this.accessToken, expiry_date: systemClock.now() + 24 * 60 * 60_000 })
    return adapter
  }

  /** A person’s id, by their name. */
  static userId(name: string): string {
    return `users/${(createHash('sha256').update(name).digest().readBigUInt64BE() % 10n ** 18n) + 10n ** 18n}`
  }

  /** The direct messages of a person. */
  direct(name: string): string {
    this.know(name)
    return `spaces/DM${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
  }

  /** Makes a person known by their name, before the app writes to them first. */
  know(...names: readonly string[]): void {
    for (const name of names) this.#names.set(GoogleChatStandIn.userId(name), name)
  }

  /** A person says something; rejects when the webhook does not take it. */
  async say(name: string, text: string, { space, thread, id }: GoogleChatSaying = {}): Promise<GoogleChatMessage> {
    const where = { space: space ?? this.direct(name), thread, id: id ?? this.#id() }
    const message = `${where.space}/messages/${where.id}`
    const said = {
      name: message,
      space: where.space,
      thread: threadOf(where),
      user: GoogleChatStandIn.userId(name),
      at: this.#now(),
      text,
      cards: [],
      edits: 0,
    }
    if (!this.messages.some((known) => known.name === message)) this.messages.push(said)
    const answer = await this.deliver(this.messageEvent(name, text, where))
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`)
    return said
  }

  /** A person presses a button of a message that they see. */
  async press(name: string, message: GoogleChatMessage, label: string, eventTime = this.#time()): Promise<Response> {
    const pressed = googleChatButtons(message).find((each) => each.label === label)
    if (pressed === undefined) throw new Error(`The message has no button '${label}'.`)
    const { space, thread } = message
    const about = { name: message.name, thread: { name: thread }, space: this.#space(space) }
    return this.deliver(
      JSON.stringify({
        commonEventObject: { hostApp: 'CHAT', invokedFunction: pressed.invoked, parameters: pressed.parameters },
        chat: {
          user: this.#user(name),
          eventTime,
          space: this.#space(space),
          buttonClickedPayload: { space: this.#space(space), message: about },
        },
      }),
    )
  }

  /** A message as Google Chat tells an app of it. */
  messageEvent(name: string, text: string, where: EventWhere): string {
    const mention = '@beach'
    const startIndex = text.indexOf(mention)
    const user = { name: this.botUserId, displayName: 'beach', type: 'BOT' }
    const annotation = {
      type: 'USER_MENTION',
      startIndex,
      length: mention.length,
      userMention: { user, type: 'MENTION' },
    }
    const message = {
      name: `${where.space}/messages/${where.id}`,
      sender: this.#user(name),
      createTime: new Date(this.#now()).toISOString(),
      text,
      thread: { name: threadOf(where) },
      space: this.#space(where.space),
      annotations: startIndex === -1 ? [] : [annotation],
    }
    const messagePayload = { space: this.#space(where.space), message }
    return JSON.stringify({
      commonEventObject: { hostApp: 'CHAT', platform: 'WEB' },
      chat: { user: this.#user(name), eventTime: this.#time(), messagePayload },
    })
  }

  /** A token by which Google Chat proves an event to an app with the audience “project number”. */
  token({ key, issuer, audience, at = systemClock.now() }: TokenOptions = {}): string {
    const seconds = Math.floor(at / 1_000)
    const claims = {
      iss: issuer ?? chatAccount,
      aud: audience ?? this.projectNumber,
      iat: seconds,
      exp: seconds + 3_600,
    }
    const encoded = [{ alg: 'RS256', kid: keyId, typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${encoded}.${sign('sha256', Buffer.from(encoded), key ?? this.#keys.privateKey).toString('base64url')}`
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
    const { pathname, searchParams } = request.url
    if (pathname === certificates) {
      return ok({ [keyId]: this.#keys.publicKey.export({ type: 'spki', format: 'pem' }).toString() })
    }
    try {
      if (request.headers.authorization !== `Bearer ${this.accessToken}`)
        throw denied(401, 'Request is unauthenticated')
      if (pathname === '/v1/spaces:findDirectMessage') return ok(this.#findDirect(searchParams.get('name') ?? ''))
      if (pathname === '/v1/spaces:setup') throw denied(403, 'Insufficient authentication scopes')
      const [, space = '', id] = /^\/v1\/(spaces\/[^/]+)\/messages(?:\/(.+))?$/.exec(pathname) ?? []
      if (space === '') throw denied(404, 'Not found')
      if (id === undefined && request.method === 'POST') return this.#post(space, request)
      if (id === undefined) throw denied(403, 'Insufficient authentication scopes')
      return this.#change(space, `${space}/messages/${id}`, request)
    } catch (error) {
      if (!(error instanceof StandInProblem)) throw error
      return { status: error.status, body: { error: { code: error.status, message: error.message } } }
    }
  }

  #findDirect(user: string): unknown {
    const name = this.#names.get(user)
    if (name === undefined) throw denied(404, 'Direct message not found')
    return { name: this.direct(name), spaceType: 'DIRECT_MESSAGE' }
  }

  #post(space: string, { body }: StandInRequest): StandInAnswer {
    this.#checkRate(space)
    const given = JSON.parse(body.toString()) as GoogleChatContent & {
      thread?: { name: string }
      privateMessageViewer?: { name: string }
    }
    checkGoogleChatMessage(given, body.length)
    const id = this.#id()
    const sent = {
      name: `${space}/messages/${id}`,
      space,
      thread: given.thread?.name ?? threadOf({ space, id }),
      at: this.#now(),
      text: given.text ?? '',
      cards: given.cardsV2 ?? [],
      onlyFor: given.privateMessageViewer?.name,
      edits: 0,
    }
    this.messages.push(sent)
    return ok(this.#shown(sent))
  }

  #change(space: string, name: string, { method, body, url }: StandInRequest): StandInAnswer {
    const at = this.messages.findIndex((each) => each.name === name && each.user === undefined)
    const before = this.messages[at]
    if (before === undefined) throw denied(404, 'Message not found')
    if (method === 'DELETE') {
      this.messages.splice(at, 1)
      return ok({})
    }
    this.#checkRate(space)
    const mask = (url.searchParams.get('updateMask') ?? '').split(',')
    const given = JSON.parse(body.toString()) as GoogleChatContent
    const text = mask.includes('text') ? (given.text ?? '') : before.text
    const cards = mask.includes('cardsV2') || mask.includes('cards_v2') ? (given.cardsV2 ?? []) : before.cards
    checkGoogleChatMessage({ text, cardsV2: cards }, body.length)
    const edited = { ...before, text, cards, edits: before.edits + 1 }
    this.messages[at] = edited
    return ok(this.#shown(edited))
  }

  #checkRate(space: string): void {
    if (this.rate.wait(space) !== undefined) throw denied(429, 'Resource has been exhausted (e.g. check quota).')
  }

  #shown({ name, space, thread, text, cards, at }: GoogleChatMessage) {
    const sender = { name: this.botUserId, type: 'BOT' }
    const createTime = new Date(at).toISOString()
    return { name, sender, createTime, text, cardsV2: cards, thread: { name: thread }, space: { name: space } }
  }

  #space(name: string) {
    const isDirect = name.startsWith('spaces/DM')
    return { name, type: isDirect ? 'DM' : 'ROOM', spaceType: isDirect ? 'DIRECT_MESSAGE' : 'SPACE' }
  }

  #user(name: string) {
    this.know(name)
    return { name: GoogleChatStandIn.userId(name), displayName: name, type: 'HUMAN' }
  }

  #time(): string {
    this.#count += 1
    return new Date(this.#now()).toISOString().replace('Z', `${String(this.#count).padStart(6, '0')}Z`)
  }

  #id(): string {
    this.#count += 1
    return `m${this.#count}.m${this.#count}`
  }
}

/** A message without a thread begins one; direct messages have one for each. */
function threadOf({ space, thread, id }: EventWhere): string {
  return thread ?? `${space}/threads/${id.split('.')[0]}`
}

function denied(status: number, message: string): StandInProblem {
  return new StandInProblem(status, status, message)
}

function ok(body: unknown): StandInAnswer {
  return { status: 200, body }
}
