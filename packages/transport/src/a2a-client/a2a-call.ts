import type { SendMessageResult, StreamResponse } from '@a2a-js/sdk'
import { ServiceParameters, withA2AExtensions, type Client, type RequestOptions } from '@a2a-js/sdk/client'
import { BeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import type { CallResult, CallTask, PeerPart } from './call-result.ts'
import type { CallLimits } from './limits.ts'
import { isPassing, isUnsupported, peerFailure } from './peer-failure.ts'
import { TaskFold } from './task-fold.ts'
import { toA2aMessage, type OutgoingMessage } from './to-a2a-message.ts'
import { orAborted, untilAborted } from './until-aborted.ts'

/** What one call of a peer needs. */
export interface A2aCallOptions {
  readonly peer: string
  readonly client: Client
  /** True when the peer's card says that it streams. */
  readonly streams: boolean
  /** True when the peer takes the same message twice for one: then it may be sent again. */
  readonly dedupes: boolean
  readonly runtime: Runtime
  readonly limits: CallLimits
  readonly signal: AbortSignal
  /** The status of the last response. */
  readonly status: () => number | undefined
  readonly onPart?: ((part: PeerPart) => void | Promise<void>) | undefined
  readonly onTask?: ((task: CallTask) => void | Promise<void>) | undefined
}

/** What is sent, or the task that is gone on with. */
export type A2aRequest = { readonly message: OutgoingMessage } | { readonly task: CallTask }

// A connection that brings nothing is made again this often in a row.
const mostFailures = 4
const firstDelayMs = 250
const firstPollMs = 250
const longestPollMs = 2_000
const longestSilenceMs = 30_000

/** One call of a peer by A2A, from the message to the state in which the peer waits for nothing but us. */
export class A2aCall {
  readonly #options: A2aCallOptions
  readonly #fold: TaskFold
  #known: CallTask | undefined
  #goesOnWith: string | undefined
  #canFollow: boolean
  #failures = 0
  #polls = 0

  constructor(options: A2aCallOptions) {
    this.#options = options
    this.#fold = new TaskFold(options.peer, options.limits)
    this.#canFollow = options.streams
  }

  /** The peer's task, as soon as it is known. */
  get task(): CallTask | undefined {
    return this.#fold.task ?? this.#known
  }

  async run(request: A2aRequest): Promise<CallResult> {
    if ('task' in request) this.#known = request.task
    else this.#goesOnWith = request.message.taskId
    for (;;) {
      const before = this.#fold.events
      const failure = await this.#attempt(request)
      if (failure === undefined && this.#fold.state !== undefined) return this.#fold.result()
      if (failure !== undefined && !(failure instanceof BeachError)) throw failure
      if (failure !== undefined && !isPassing(failure)) throw failure
      const isPolling = failure === undefined && !this.#canFollow && this.task !== undefined
      if (this.#fold.events > before) this.#failures = 0
      if (isPolling) await this.#pause(Math.min(firstPollMs * 1.5 ** this.#polls++, longestPollMs))
      else await this.#again(failure)
    }
  }

  /** Ends the peer's work; whether that reaches it is not waited for longer than the signal allows. */
  async cancel(signal: AbortSignal): Promise<void> {
    const id = this.task?.taskId ?? this.#goesOnWith
    if (id === undefined) return
    const asked = this.#options.client.cancelTask({ id, tenant: '', metadata: {} }, this.#request(signal))
    await orAborted(asked, signal)
  }

  /** One connection; gives back what broke it, or nothing when it has ended by itself. */
  async #attempt(request: A2aRequest): Promise<unknown> {
    const { signal, peer, status } = this.#options
    try {
      if ('message' in request && this.#fold.task === undefined) await this.#send(request.message)
      else await this.#goOn()
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      return error instanceof ListenerFailed ? error.cause : peerFailure(error, peer, status())
    }
  }

  async #send(message: OutgoingMessage): Promise<void> {
    const { client, signal, streams } = this.#options
    // Who does not stream answers at once with a task, which is then asked for: it can be cancelled, and found again.
    const returnImmediately = !streams && message.taskId === undefined
    const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately }
    const params = { tenant: '', message: toA2aMessage(message), configuration, metadata: undefined }
    if (!streams) return this.#take(toEvent(await orAborted(client.sendMessage(params, this.#request()), signal)))
    // The first thing said of a task that waited for this message may be that it waits.
    await this.#follow((options) => client.sendMessageStream(params, options), message.taskId !== undefined)
  }

  /** The task as it stands and, where that is not its end and the peer lets us, what follows. */
  async #goOn(): Promise<void> {
    const { client, signal } = this.#options
    const { task } = this
    if (task === undefined) return
    const params = { id: task.taskId, tenant: '' }
    const found = await orAborted(client.getTask(params, this.#request()), signal)
    await this.#take({ payload: { $case: 'task', value: found } })
    if (this.#fold.state !== undefined || !this.#canFollow) return
    try {
      await this.#follow((options) => client.resubscribeTask(params, options), false)
    } catch (error) {
      if (!isUnsupported(error)) throw error
      this.#canFollow = false
    }
    // What was missed between two connections is in the task.
    if (this.#fold.state !== undefined) {
      const whole = await orAborted(client.getTask(params, this.#request()), signal)
      await this.#take({ payload: { $case: 'task', value: whole } })
    }
  }

  async #follow(open: (options: RequestOptions) => AsyncGenerator<StreamResponse>, wasWaiting: boolean): Promise<void> {
    const { signal, runtime } = this.#options
    const connection = new AbortController()
    const stream = open(this.#request(AbortSignal.any([signal, connection.signal])))
    // A server may lose the last event, and a connection may be dead without a word; the task can be asked for instead.
    const quietMs = () => (this.task === undefined ? undefined : longestSilenceMs)
    let isFirst = true
    try {
      for await (const event of untilAborted(stream, { signal, clock: runtime.clock, quietMs })) {
        await this.#take(event)
        const mayBeOld = isFirst && wasWaiting && event.payload?.$case === 'task'
        isFirst = false
        if (this.#fold.state !== undefined && !mayBeOld) return
      }
    } finally {
      connection.abort()
    }
  }

  async #take(event: StreamResponse): Promise<void> {
    const { onPart, onTask } = this.#options
    const isKnown = this.task !== undefined
    const news = this.#fold.take(event)
    try {
      if (!isKnown && this.task !== undefined) await onTask?.(this.task)
      for (const part of news) await onPart?.(part)
    } catch (error) {
      throw new ListenerFailed(error)
    }
  }

  /** Waits before the next connection, or gives up. */
  async #again(failure: BeachError | undefined): Promise<void> {
    const { peer, dedupes, runtime } = this.#options
    const isLost = this.task === undefined && !dedupes
    if (isLost || this.#failures >= mostFailures) {
      if (failure !== undefined) throw failure
      throw new BeachError('UNREACHABLE', `The agent '${peer}' has ended its answer in the middle.`, {
        details: { peer },
      })
    }
    const delay = firstDelayMs * 2 ** this.#failures++
    await this.#pause(delay * (0.5 + runtime.random()))
  }

  async #pause(ms: number): Promise<void> {
    const { runtime, signal } = this.#options
    await sleep(runtime.clock, ms, signal)
    signal.throwIfAborted()
  }

  #request(signal: AbortSignal = this.#options.signal): RequestOptions {
    return { signal, serviceParameters: ServiceParameters.create(withA2AExtensions(BEACH_EXTENSION_URI)) }
  }
}

/** Whoever listens to the parts has failed; that is not the peer's fault. */
class ListenerFailed extends Error {
  constructor(cause: unknown) {
    super('A listener failed.', { cause })
  }
}

function toEvent(result: SendMessageResult): StreamResponse {
  return 'messageId' in result
    ? { payload: { $case: 'message', value: result } }
    : { payload: { $case: 'task', value: result } }
}
