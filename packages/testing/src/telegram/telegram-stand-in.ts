import { createHash, randomBytes } from 'node:crypto'
import { systemClock } from '@cool-ai/beach-core'
import { formOf } from '../stand-in/form-of.ts'
import { RateWindow } from '../stand-in/rate-window.ts'
import { StandInProblem, StandInServer, type StandInAnswer, type StandInRequest } from '../stand-in/stand-in-server.ts'
import {
  bad,
  checkedTelegramText,
  telegramButtons,
  type TelegramContent,
  type TelegramMessage,
} from './telegram-message.ts'

/** Where a person of Telegram says something. */
export interface TelegramSaying {
  /** A group, a negative number; the conversation with the bot when left out. */
  readonly chat?: number | undefined
  /** The message’s own id in its chat; one that was used is the same message, delivered again. */
  readonly id?: number | undefined
}

interface CallArguments extends TelegramContent {
  readonly chat_id?: string | number
  readonly message_id?: number
  readonly caption?: string
}

/** The Bot API of Telegram with its people: it checks requests and limits, and calls the webhook with its secret. */
export class TelegramStandIn {
  readonly botToken = `7000000001:${randomBytes(24).toString('base64url')}`
  readonly secretToken = randomBytes(16).toString('hex')
  readonly botName = 'beach_bot'
  readonly server: StandInServer
  readonly messages: TelegramMessage[] = []
  /** Every try to post a message, also those that failed. */
  readonly attempts: string[] = []
  /** Where the bot was shown as typing. */
  readonly typing: number[] = []
  /** The presses that the bot has answered. */
  readonly answered: string[] = []
  /** Where the agent’s webhook is. */
  webhook = ''
  /** How many messages a chat takes; Telegram’s limit for groups is 20 in a minute. */
  readonly rate: RateWindow
  readonly #now: () => number
  readonly #names = new Map<number, string>()
  #messages = 0
  #updates = 0

  constructor(now: () => number = () => systemClock.now()) {
    this.#now = now
    this.rate = new RateWindow(now)
    this.server = new StandInServer((request) => this.#deal(request))
    this.server.sends = ({ url }) => /\/send(?:Message|Document|RichMessage)$/.test(url.pathname)
    this.server.saw = (request) => {
      if (this.server.sends(request)) this.attempts.push(request.body.toString())
    }
  }

  /** What `createTelegramAdapter` needs. */
  get account() {
    const { botToken, secretToken } = this
    return { apiUrl: this.server.origin, botToken, secretToken, userName: this.botName, mode: 'webhook' as const }
  }

  /** A person’s id, by their name. */
  static userId(name: string): number {
    return 100_000 + (createHash('sha256').update(name).digest().readUInt32BE() % 900_000_000)
  }

  /** A person says something; rejects when the webhook does not take it. */
  async say(name: string, text: string, { chat, id }: TelegramSaying = {}): Promise<number> {
    const user = this.#person(name)
    const own = id ?? this.#id()
    const place = chat ?? user
    if (!this.messages.some((known) => known.chat === place && known.id === own)) {
      this.messages.push({ id: own, chat: place, user, at: this.#now(), text, edits: 0 })
    }
    const answer = await this.deliver(this.update({ message: this.#message(name, text, place, own) }))
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`)
    return own
  }

  /** A person presses a button below a message. */
  async press(
    name: string,
    message: TelegramMessage,
    label: string,
    id = randomBytes(8).toString('hex'),
  ): Promise<Response> {
    const pressed = telegramButtons(message).find((each) => each.label === label)
    if (pressed === undefined) throw new Error(`The message has no button '${label}'.`)
    const { id: message_id, chat, text, at } = message
    const about = { message_id, date: seconds(at), chat: this.#chat(chat), from: this.#bot(), text }
    const query = { id, from: this.#user(this.#person(name)), message: about, chat_instance: '1', data: pressed.data }
    return this.deliver(this.update({ callback_query: query }))
  }

  /** An update, with the next number. */
  update(content: Readonly<Record<string, unknown>>): string {
    return JSON.stringify({ update_id: ++this.#updates, ...content })
  }

  /** Calls the webhook with the secret that it was set up with. */
  async deliver(body: string, secret = this.secretToken): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
    return fetch(this.webhook, { method: 'POST', headers, body })
  }

  async close(): Promise<void> {
    await this.server.close()
  }

  async #deal(request: StandInRequest): Promise<StandInAnswer> {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url.pathname) ?? []
    try {
      if (token !== this.botToken) throw new StandInProblem(401, 401, 'Unauthorized')
      const form = await formOf(request)
      const given = (form?.fields ?? JSON.parse(request.body.toString() || '{}')) as CallArguments
      const result = this.#answer(method ?? '', given, form?.files[0])
      return { status: 200, body: { ok: true, result } }
    } catch (error) {
      if (!(error instanceof StandInProblem)) throw error
      const { status, code, message: description } = error
      const retry = error instanceof TooFast ? { parameters: { retry_after: error.seconds } } : {}
      return { status, body: { ok: false, error_code: code, description, ...retry } }
    }
  }

  #answer(method: string, given: CallArguments, file: TelegramMessage['file']): unknown {
    const chat = Number(given.chat_id)
    switch (method) {
      case 'getMe':
        return this.#bot()
      case 'getChat':
        return this.#chat(chat)
      case 'sendChatAction':
        this.typing.push(chat)
        return true
      case 'answerCallbackQuery':
        this.answered.push(String((given as { callback_query_id?: string }).callback_query_id))
        return true
      case 'sendMessage':
      case 'sendRichMessage':
        return this.#send(chat, checkedTelegramText(given), given.reply_markup, undefined)
      case 'sendDocument':
        if (file === undefined) throw bad('there is no document in the request')
        if ((given.caption ?? '').length > 1_024) throw bad('message caption is too long')
        return this.#send(chat, given.caption ?? '', undefined, file)
      case 'editMessageText':
        return this.#edit(chat, given)
      case 'deleteMessage':
        this.messages.splice(this.#indexOf(chat, given.message_id), 1)
        return true
      default:
        throw new StandInProblem(404, 404, 'Not Found: method not found')
    }
  }

  #send(chat: number, text: string, keyboard: TelegramContent['reply_markup'], file: TelegramMessage['file']): unknown {
    this.#checkRate(chat)
    if (!Number.isFinite(chat)) throw bad('chat not found')
    const sent = { id: this.#id(), chat, at: this.#now(), text, keyboard, file, edits: 0 }
    this.messages.push(sent)
    return this.#shown(sent)
  }

  /** A text without a keyboard takes the keyboard away; the same message again is an error. */
  #edit(chat: number, given: CallArguments): unknown {
    this.#checkRate(chat)
    const at = this.#indexOf(chat, given.message_id)
    const before = this.messages[at]
    const text = checkedTelegramText(given)
    const isSame =
      before?.text === text && JSON.stringify(rowsOf(before.keyboard)) === JSON.stringify(rowsOf(given.reply_markup))
    if (before === undefined || isSame) {
      throw bad('message is not modified: specified new message content and reply markup are exactly the same')
    }
    const edited = { ...before, text, keyboard: given.reply_markup, edits: before.edits + 1 }
    this.messages[at] = edited
    return this.#shown(edited)
  }

  #checkRate(chat: number): void {
    const wait = this.rate.wait(String(chat))
    if (wait !== undefined) throw new TooFast(Math.ceil(wait))
  }

  #indexOf(chat: number, id: number | undefined): number {
    const at = this.messages.findIndex(
      (each) => each.chat === chat && each.id === Number(id) && each.user === undefined,
    )
    if (at === -1) throw bad('message to edit not found')
    return at
  }

  #message(name: string, text: string, chat: number, id: number) {
    const mention = `@${this.botName}`
    const offset = text.indexOf(mention)
    const entities = [
      ...(offset === -1 ? [] : [{ type: 'mention', offset, length: mention.length }]),
      ...(text.startsWith('/') ? [{ type: 'bot_command', offset: 0, length: text.split(/\s/)[0]?.length ?? 0 }] : []),
    ]
    const from = this.#user(this.#person(name))
    return { message_id: id, date: seconds(this.#now()), chat: this.#chat(chat), from, text, entities }
  }

  #shown({ id, chat, user, at, text, file }: TelegramMessage) {
    const from = user === undefined ? this.#bot() : this.#user(user)
    const about = { message_id: id, date: seconds(at), chat: this.#chat(chat), from }
    if (file === undefined) return { ...about, text }
    return { ...about, caption: text, document: { file_id: `f${id}`, file_unique_id: `u${id}`, file_name: file.name } }
  }

  #chat(id: number) {
    return id < 0
      ? { id, type: 'supergroup', title: 'Team' }
      : { id, type: 'private', first_name: this.#names.get(id) ?? 'Person' }
  }

  #bot() {
    return { id: 7_000_000_001, is_bot: true, first_name: 'Beach', username: this.botName }
  }

  #user(id: number) {
    const name = this.#names.get(id) ?? 'Person'
    return { id, is_bot: false, first_name: name, username: name.toLowerCase() }
  }

  #person(name: string): number {
    const id = TelegramStandIn.userId(name)
    this.#names.set(id, name)
    return id
  }

  #id(): number {
    this.#messages += 1
    return this.#messages
  }
}

class TooFast extends StandInProblem {
  readonly seconds: number

  constructor(wait: number) {
    super(429, 429, `Too Many Requests: retry after ${wait}`)
    this.seconds = wait
  }
}

function rowsOf(keyboard: TelegramContent['reply_markup']): unknown {
  return keyboard?.inline_keyboard ?? []
}

function seconds(at: number): number {
  return Math.floor(at / 1_000)
}
