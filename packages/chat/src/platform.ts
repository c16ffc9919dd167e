import { BeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import { elapsed, raceAbort } from '@cool-ai/beach-core/runtime'
import { ConsoleLogger, type Adapter, type AdapterPostableMessage, type StateAdapter } from 'chat'
import { failureOf, type ChatFailure } from './chat-errors.ts'
import { IncomingChat, loggerOf, type IncomingChatOptions } from './incoming-chat.ts'
import type { IncomingItem } from './incoming-item.ts'
import type { ChatAdapter } from './options.ts'

interface PlatformOptions {
  readonly name: string
  readonly adapter: ChatAdapter
  readonly state: StateAdapter
  readonly runtime: Runtime
  readonly take: (item: IncomingItem) => Promise<void>
  readonly openForm: IncomingChatOptions['openForm']
  readonly filledIn: IncomingChatOptions['filledIn']
}

/** How long a call waits when the platform has asked for it; beyond that it fails, and is tried again later. */
const maxWaitMs = 15_000

/** An adapter that keeps a token for each workspace that the app is installed in. */
interface InstalledInWorkspaces {
  getInstallation(workspace: string): Promise<{ readonly botToken: string } | null>
  withBotToken<Result>(token: string, run: () => Result): Result
}

/** One platform: its adapter, and when it may be called. */
export class Platform {
  readonly name: string
  readonly adapter: Adapter
  readonly #options: PlatformOptions
  #chat: Promise<IncomingChat> | undefined
  /** Until then it wants no calls. */
  #notBefore = 0

  constructor(options: PlatformOptions) {
    this.name = options.name
    // An absent id is a missing member, or one that is undefined: Chat SDK does not tell them apart.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    this.adapter = options.adapter as Adapter
    // The one that an adapter has by itself writes what it is sent, with line breaks and all, past the agent's log.
    const { logger } = options.adapter as { readonly logger?: unknown }
    if (logger instanceof ConsoleLogger) {
      Object.assign(options.adapter, { logger: loggerOf(options.runtime, options.name) })
    }
    this.#options = options
  }

  /** Connects to the platform; a platform that is away now is tried again when it is needed. */
  async start(): Promise<void> {
    await this.#started().catch((error: unknown) => {
      this.#options.runtime.logger.log('warn', `${this.name} is not reached yet`, { error })
    })
  }

  async stop(): Promise<void> {
    await this.adapter.disconnect?.()
  }

  /** True while it wants no calls. */
  get isAskedToWait(): boolean {
    return this.#notBefore > elapsed(this.#options.runtime.clock)
  }

  /** Forgets what the adapter keeps of a person's direct messages: that of Teams keeps the person's id of Entra for a month. */
  async forget(thread: string): Promise<void> {
    const { conversationId } = this.adapter.decodeThreadId(thread) as { readonly conversationId?: unknown }
    if (this.adapter.name !== 'teams' || typeof conversationId !== 'string') return
    const conversation = conversationId.replace(/;messageid=\d+$/, '')
    await this.#options.state.delete(`teams:channelContext:${conversation}`)
  }

  async receive(request: Request): Promise<Response> {
    return (await this.#started()).receive(request)
  }

  /** Calls the adapter as the app of a workspace; resolves to why it did not do it, where it did not. */
  async call<Result>(
    workspace: string,
    run: (adapter: Adapter) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<{ readonly done: Result } | { readonly failure: ChatFailure }> {
    const { runtime } = this.#options
    const waitMs = this.#notBefore - elapsed(runtime.clock)
    if (waitMs > maxWaitMs) return { failure: { status: 'failed', reason: `${this.name} has asked us to wait.` } }
    if (waitMs > 0) await sleep(runtime.clock, waitMs, signal)
    try {
      await this.#started()
      return {
        done: await raceAbort(
          this.#inWorkspace(workspace, () => run(this.adapter)),
          signal,
        ),
      }
    } catch (error) {
      const failure = failureOf(this.name, error)
      if (failure.waitMs !== undefined) this.#notBefore = elapsed(runtime.clock) + failure.waitMs
      runtime.logger.log('warn', `${this.name} did not do what it was asked`, { reason: failure.reason })
      return { failure }
    }
  }

  /** Sends a message; resolves to its id. */
  async post(
    { workspace, thread }: { readonly workspace: string; readonly thread: string },
    message: AdapterPostableMessage,
    signal: AbortSignal,
  ) {
    return this.call(workspace, async (adapter) => (await adapter.postMessage(thread, message)).id, signal)
  }

  /** Puts another content into a message. */
  async edit(
    {
      workspace,
      thread,
      messageId,
    }: { readonly workspace: string; readonly thread: string; readonly messageId: string },
    message: AdapterPostableMessage,
    signal: AbortSignal,
  ) {
    return this.call(
      workspace,
      async (adapter) => {
        await adapter.editMessage(thread, messageId, message).catch((error: unknown) => {
          if (!isUnchanged(error)) throw error
        })
      },
      signal,
    )
  }

  /** An app that is in several workspaces has a token for each. */
  async #inWorkspace<Result>(workspace: string, run: () => Promise<Result>): Promise<Result> {
    if (!isInWorkspaces(this.adapter)) return run()
    const installed = await this.adapter.getInstallation(workspace)
    return installed === null ? run() : this.adapter.withBotToken(installed.botToken, run)
  }

  async #started(): Promise<IncomingChat> {
    const begun = (this.#chat ??= this.#begin())
    try {
      return await begun
    } catch (error) {
      if (this.#chat === begun) this.#chat = undefined
      throw new BeachError('UNREACHABLE', `${this.name} could not be reached.`, { cause: error })
    }
  }

  async #begin(): Promise<IncomingChat> {
    const chat = new IncomingChat({ ...this.#options, adapter: this.adapter })
    await chat.initialize()
    return chat
  }
}

/** Telegram refuses an edit that changes nothing. */
function isUnchanged(error: unknown): boolean {
  return error instanceof Error && error.message.includes('message is not modified')
}

function isInWorkspaces(adapter: Adapter): adapter is Adapter & InstalledInWorkspaces {
  return 'getInstallation' in adapter && 'withBotToken' in adapter
}
