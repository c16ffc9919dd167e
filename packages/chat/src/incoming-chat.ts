import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { BeachError, isBeachError, type LogLevel, type Runtime } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  Chat,
  type Adapter,
  type Logger,
  type Message,
  type ModalElement,
  type ModalResponse,
  type StateAdapter,
  type WebhookOptions,
} from 'chat'
import { notices } from './chat-notices.ts'
import type { FilledItem, IncomingItem, PressedItem } from './incoming-item.ts'
import { opensForm } from './payload.ts'
import { workspaceOf } from './places.ts'

/** What an agent gives to the side of Chat SDK. */
export interface IncomingChatOptions {
  readonly name: string
  readonly adapter: Adapter
  readonly state: StateAdapter
  readonly runtime: Runtime
  /** Stores what came in; once it resolves, the platform need not send it again. */
  readonly take: (item: IncomingItem) => Promise<void>
  /** The form that a button opens, and its name; undefined for one that opens none any more. */
  readonly openForm: (
    pressed: PressedItem,
  ) => Promise<{ readonly name: string; readonly form: ModalElement } | undefined>
  /** What a person has sent in the form of this name; undefined when it is none that they have opened. */
  readonly filledIn: (name: string, filled: Filled) => Promise<FilledItem | undefined>
}

/** A form as it was sent. */
export interface Filled {
  readonly id: string
  readonly from: Pick<FilledItem['from'], 'adapter' | 'workspace' | 'user' | 'name'>
  readonly values: Readonly<Record<string, string>>
}

const outside = AsyncLocalStorage.snapshot()

type PressEvent = Parameters<Chat['processAction']>[0]
type PressOptions = NonNullable<Parameters<Chat['processAction']>[1]>
type SubmitEvent = Parameters<Chat['processModalSubmit']>[0]
type CommandEvent = Parameters<Chat['processSlashCommand']>[0]

/**
 * The side of Chat SDK that an adapter talks to. Where Chat SDK would call handlers, it stores what came in: the platform
 * gets its acknowledgement after that, and an error before it, so that it sends the event again.
 */
export class IncomingChat extends Chat {
  readonly #options: IncomingChatOptions

  constructor(options: IncomingChatOptions) {
    const { name, adapter, state, runtime } = options
    super({
      userName: adapter.userName,
      adapters: { [name]: adapter },
      state,
      logger: loggerOf(runtime, name),
      concurrency: 'concurrent',
    })
    this.#options = options
  }

  /** What a webhook has begun, and what of it failed, where its adapter does not say so. */
  readonly #receiving = new AsyncLocalStorage<{ readonly failures: unknown[]; readonly tasks: Promise<unknown>[] }>()

  /** Hands a webhook to the adapter, which checks its signature; resolves once all that it brought is stored. */
  async receive(request: Request): Promise<Response> {
    const tasks: Promise<unknown>[] = []
    const waitUntil = (task: Promise<unknown>) => void tasks.push(task)
    const failures: unknown[] = []
    const scope = { failures, tasks }
    const options = { waitUntil, propagateHandlerErrors: true }
    const response = await this.#receiving
      .run(scope, () => this.#options.adapter.handleWebhook(request, options))
      .catch((error: unknown) => {
        throw unreadable(error) ?? error
      })
    // A task may begin others.
    for (let done = 0; done < tasks.length;) {
      const begun = tasks.slice(done)
      done = tasks.length
      const failed = (await Promise.allSettled(begun)).find((task) => task.status === 'rejected')
      if (failed !== undefined) failures.push(failed.reason)
    }
    if (failures.length === 0) return response
    const [cause] = failures
    if (isBeachError(cause)) throw cause
    const refused = failures.map(unreadable)
    if (refused.every((error) => error !== undefined)) throw refused[0]
    throw new BeachError('STORE_UNAVAILABLE', 'What came in could not be stored.', { cause })
  }

  override processMessage(
    _adapter: Adapter,
    threadId: string,
    given: Message | (() => Promise<Message>),
    options?: WebhookOptions,
  ): Promise<void> {
    return this.#tracked(async () => {
      await this.#said(threadId, typeof given === 'function' ? await given() : given)
    }, options)
  }

  override async handleIncomingMessage(_adapter: Adapter, threadId: string, message: Message): Promise<void> {
    const failures = this.#receiving.getStore()?.failures
    await this.#said(threadId, message).catch((error: unknown) => {
      failures?.push(error)
      throw error
    })
  }

  override processAction(event: PressEvent, options: PressOptions | undefined): Promise<void> {
    return this.#tracked(() => this.#pressed(event, options), options)
  }

  /** Resolves to what the form then shows; nothing closes it. */
  override async processModalSubmit(
    event: SubmitEvent,
    name?: string,
    options?: WebhookOptions,
  ): Promise<ModalResponse | undefined> {
    let response: ModalResponse | undefined
    await this.#tracked(async () => {
      response = await this.#filled(event, name)
    }, options)
    return response
  }

  override processSlashCommand(event: CommandEvent, options: WebhookOptions | undefined): Promise<void> {
    return this.#tracked(() => this.#commanded(event), options)
  }

  /** An adapter may not wait for what it has begun: its failure is told to the webhook alone. */
  #tracked(run: () => Promise<void>, options: WebhookOptions | undefined): Promise<void> {
    const task = run()
    task.catch(() => {})
    this.#receiving.getStore()?.tasks.push(task)
    options?.waitUntil?.(task)
    return task
  }

  async #said(threadId: string, message: Message): Promise<void> {
    const { adapter, name, runtime } = this.#options
    const { author, metadata, attachments, text } = message
    // Two agents in one thread would answer each other for ever.
    if (author.isMe || author.isBot === true || author.isSystem === true) return
    const isDirect = adapter.isDM?.(threadId) ?? false
    await this.#options.take({
      kind: 'said',
      id: message.id,
      from: {
        adapter: name,
        workspace: workspaceOf(message.raw),
        user: author.userId,
        thread: threadId,
        isDirect,
        name: author.fullName || author.userName,
      },
      at: Math.min(metadata.dateSent.getTime() || 0, runtime.clock.now()),
      text,
      isMention: message.isMention ?? text.toLowerCase().includes(`@${adapter.userName.toLowerCase()}`),
      files: attachments.map(({ type, url, name: file, mimeType, size, fetchMetadata }) => {
        return defined({ type, url, name: file, mimeType, size, fetchMetadata })
      }),
    })
  }

  async #commanded({ command, text, user, channelId, raw, triggerId }: CommandEvent): Promise<void> {
    const { adapter, name, runtime } = this.#options
    if (user.isMe || user.isBot === true) return
    const number = messageNumber(raw)
    const event = number === undefined ? (eventIdOf(raw) ?? triggerId) : String(number)
    const isDirect = adapter.isDM?.(channelId) === true
    const item: IncomingItem = {
      kind: 'said',
      id: eventName('command', [channelId, command, text, user.userId, event]),
      from: {
        adapter: name,
        workspace: workspaceOf(raw),
        user: user.userId,
        thread: channelId,
        isDirect: isDirect && number !== undefined,
        name: user.fullName || user.userName,
      },
      at: runtime.clock.now(),
      text: commandText(command, text, adapter.userName),
      isMention: true,
      files: [],
      ...(number === undefined && { isPrivate: true }),
    }
    // An adapter takes what is said within its webhook for the reply to the command.
    await outside(() => this.#options.take(item))
    if (adapter.name !== 'discord') return
    // Discord shows that the command is worked on until it has a reply.
    await adapter.postMessage(channelId, isDirect ? notices.taken : notices.answersDirectly).catch(() => {})
  }

  async #pressed(event: PressEvent, options: PressOptions | undefined): Promise<void> {
    const { actionId, value = '', messageId, threadId, user, raw, triggerId } = event
    const { adapter, name } = this.#options
    if (user.isMe || threadId === '') return
    const item: PressedItem = {
      kind: 'pressed',
      id: eventName('press', [messageId, actionId, value, user.userId, eventIdOf(raw) ?? triggerId]),
      from: {
        adapter: name,
        workspace: workspaceOf(raw),
        user: user.userId,
        thread: threadId,
        isDirect: adapter.isDM?.(threadId) ?? false,
        name: user.fullName || user.userName,
      },
      messageId,
      action: actionId,
      value,
    }
    if (!opensForm(actionId) || !(await this.#opened(item, event, options))) await this.#options.take(item)
  }

  /** Opens the form of a button, within the seconds that the platform gives for it; false where there is none any more. */
  async #opened(item: PressedItem, { triggerId }: PressEvent, options: PressOptions | undefined): Promise<boolean> {
    const { adapter, name, openForm, runtime } = this.#options
    const opened = await openForm(item)
    if (opened === undefined) return false
    try {
      if (options?.onOpenModal !== undefined) await options.onOpenModal(opened.form, opened.name)
      else if (triggerId !== undefined) await adapter.openModal?.(triggerId, opened.form, opened.name)
    } catch (error) {
      runtime.logger.log('warn', `${name}: a form could not be opened`, { error })
    }
    return true
  }

  async #filled({ values, user, raw }: SubmitEvent, form = ''): Promise<ModalResponse | undefined> {
    const { name, filledIn, take } = this.#options
    const from = {
      adapter: name,
      workspace: workspaceOf(raw),
      user: user.userId,
      name: user.fullName || user.userName,
    }
    const item = await filledIn(form, { id: eventName('form', [form]), from, values })
    if (item === undefined) {
      const [first] = Object.keys(values)
      return first === undefined ? undefined : { action: 'errors', errors: { [first]: notices.outdated } }
    }
    await take(item)
    return undefined
  }
}

/** `ValidationError` is of the adapters, for ids that are none of theirs. */
const stumbling: ReadonlySet<string> = new Set(['TypeError', 'RangeError', 'SyntaxError', 'ValidationError'])

/** What it says of an error by which an adapter has stumbled over a shape that it does not expect; a failed request has a cause. */
function unreadable(error: unknown): BeachError | undefined {
  if (!(error instanceof Error) || !stumbling.has(error.name) || error.cause !== undefined) return undefined
  return new BeachError('BAD_REQUEST', 'This event has another form than the adapter knows.', { cause: error })
}

/** The words of a command: as they were typed, without a command that only calls the agent. */
function commandText(command: string, text: string, agent: string): string {
  const isCall = command.slice(1).toLowerCase() === agent.toLowerCase() && text !== ''
  return isCall ? text : `${command} ${text}`.trim()
}

/** An event is the same one when it is delivered again, and another one when the person does the same again. */
function eventName(kind: string, words: readonly (string | undefined)[]): string {
  return `${kind}-${createHash('sha256').update(JSON.stringify(words)).digest('base64url').slice(0, 22)}`
}

function eventIdOf(raw: unknown): string | undefined {
  const { id, trigger_id: trigger, chat } = Object(raw) as Readonly<Record<string, unknown>>
  const { eventTime } = Object(chat) as { readonly eventTime?: unknown }
  return [id, trigger, eventTime].find((given) => typeof given === 'string')
}

/** The number of the message that a command is, at Telegram; elsewhere a command is none, and only its person sees it. */
function messageNumber(raw: unknown): number | undefined {
  const { message_id: number } = Object(raw) as { readonly message_id?: unknown }
  return typeof number === 'number' ? number : undefined
}

/** The agent's log for an adapter. */
export function loggerOf(runtime: Runtime, name: string): Logger {
  const log = (level: LogLevel) => (message: string, about?: unknown) => {
    const { error } = Object(about) as { readonly error?: unknown }
    runtime.logger.log(level, `${name}: ${message}`, error === undefined ? {} : { error })
  }
  // Adapters log whole events at lower levels, and people’s words do not belong into the agent’s log.
  const nothing = () => {}
  return { debug: nothing, info: nothing, warn: log('warn'), error: log('error'), child: () => loggerOf(runtime, name) }
}
