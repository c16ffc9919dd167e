import type { SendMessageResult, StreamResponse, Task } from '@a2a-js/sdk'
import { ServiceParameters, withA2AExtensions, type Client, type RequestOptions } from '@a2a-js/sdk/client'
import { A2AError } from '@a2a-js/sdk/errors'
import { retryAfterMs } from '@cool-ai/beach-channel/guarded-fetch'
import {
  isPassing,
  isRefusal,
  peerFailure,
  untouchedFor,
  type CallLimits,
  type CallResult,
  type CallTask,
  type FailedResponse,
  type IsOver,
  type PeerPart,
  type PeerResponse,
} from '@cool-ai/beach-channel/peers'
import { BeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import { elapsed, raceAbort } from '@cool-ai/beach-core/runtime'
import { noting, taskIdIn, untilAborted, type Opening } from './opening.ts'
import { stillWaits, TaskFold } from './task-fold.ts'
import { waitsForUs } from './task-state.ts'
import { toA2aMessage, type OutgoingMessage } from './to-a2a-message.ts'

/** What one call of a peer needs. */
export interface A2aCallOptions {
  readonly peer: string
  readonly client: Client
  readonly streams: boolean
  /** True when the peer takes the same message twice for one: then it may be sent again. */
  readonly dedupes: boolean
  /** Whether the peer's turn is over in a turn state that it names. */
  readonly isOver: IsOver
  readonly runtime: Runtime
  readonly limits: CallLimits
  readonly signal: AbortSignal
  readonly endsAt: number
  /** The head of the last response. */
  readonly response: () => PeerResponse | undefined
  readonly onBusy?: ((ms: number) => void | Promise<void>) | undefined
  readonly onPart?: ((part: PeerPart) => void | Promise<void>) | undefined
  readonly onTask?: ((task: CallTask) => void | Promise<void>) | undefined
  /** The extensions of A2A that the call is made by. */
  readonly extensions: readonly string[]
}

/** What is sent, or the task that is gone on with. */
export type A2aRequest = { readonly message: OutgoingMessage } | { readonly task: CallTask }

// A peer that has nothing of ours yet is tried this often in a row.
const maxFailures = 4
const firstDelayMs = 250
const maxDelayMs = 5_000
const firstRefusalMs = 1_000
const maxRefusalMs = 30_000
const firstPollMs = 250
const maxPollMs = 2_000
const maxSilenceMs = 30_000

/** One call of a peer by A2A, from the message to the state in which the peer waits for nothing but us. */
export class A2aCall {
  readonly #options: A2aCallOptions
  readonly #fold: TaskFold
  #known: CallTask | undefined
  #goesOnWith: string | undefined
  #message: OutgoingMessage | undefined
  /** Whether the message was sent to a task that waited, and may or may not have arrived. */
  #isUnsure = false
  #opening: Opening | undefined
  #canFollow: boolean
  #failures = 0
  /** Since when no connection has brought anything. */
  #goneSince: number | undefined
  #refusals = 0
  #polls = 0

  constructor(options: A2aCallOptions) {
    this.#options = options
    this.#fold = new TaskFold(options.peer, options.limits, options.isOver)
    this.#canFollow = options.streams
  }

  get task(): CallTask | undefined {
    return this.#fold.task ?? this.#known
  }

  async run(request: A2aRequest): Promise<CallResult> {
    if ('task' in request) this.#known = request.task
    else {
      this.#goesOnWith = request.message.taskId
      this.#message = request.message
    }
    for (;;) {
      const before = this.#fold.events
      const failure = await this.#attempt(request)
      if (failure === undefined && this.#fold.state !== undefined) return this.#fold.result()
      if (failure !== undefined && !(failure instanceof BeachError)) throw failure
      if (failure !== undefined && !isPassing(failure)) throw failure
      const isPolling = failure === undefined && !this.#canFollow && this.task !== undefined
      if (this.#fold.events > before && !this.#isUnsure) this.#noteActivity()
      if (isPolling) await this.#pause(Math.min(firstPollMs * 1.5 ** this.#polls++, maxPollMs))
      else await this.#again(failure)
    }
  }

  /** Ends the peer's work; whether that reaches it is not waited for longer than the signal allows. */
  async cancel(signal: AbortSignal): Promise<void> {
    const id = this.task?.taskId ?? this.#goesOnWith ?? (await this.#named(signal))
    if (id === undefined) return
    const asked = this.#options.client.cancelTask({ id, tenant: '', metadata: {} }, this.#request(signal))
    await raceAbort(asked, signal)
  }

  /** Lets go of a connection that was only kept to learn what there is to cancel. */
  leave(): void {
    this.#opening?.stop()
  }

  /**
   * The task of a message that was on its way when the call was given up: as the answer that is still awaited names it
   * or, where the same message twice is one, as the answer to the message sent again does.
   */
  async #named(signal: AbortSignal): Promise<string | undefined> {
    const { client, dedupes } = this.#options
    try {
      const id = await raceAbort(this.#opening?.named ?? Promise.resolve(undefined), signal)
      if (id !== undefined) return id
    } catch {
      signal.throwIfAborted()
    }
    if (!dedupes || this.#opening === undefined || this.#message === undefined) return undefined
    const again = client.sendMessage(sendParams(this.#message, true), this.#request(signal))
    return taskIdIn(toEvent(await raceAbort(again, signal)))
  }

  /** One connection; gives back what broke it, or nothing when it has ended by itself. */
  async #attempt(request: A2aRequest): Promise<unknown> {
    const { signal } = this.#options
    const wasUnsure = this.#isUnsure
    try {
      if ('message' in request && (this.#isUnsure || this.#fold.task === undefined)) await this.#tell(request.message)
      else await this.#continueCall()
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ListenerFailed) return error.cause
      const failure = this.#failure(error)
      // Whatever the peer says now, it may have acted on what it was told before.
      if (wasUnsure && !isPassing(failure)) throw this.#lost(failure)
      return failure
    }
  }

  #failure(error: unknown): BeachError {
    const { peer, runtime, response } = this.#options
    const last = response()
    const wait = retryAfterMs(last?.retryAfter, runtime.clock.now())
    return a2aFailure(error, peer, last && { status: last.status, retryAfterMs: wait })
  }

  /**
   * Sends the message. Where the outcome of sending it before is not known, its task is asked for first: a task that does
   * not wait for it any more has it.
   */
  async #tell(message: OutgoingMessage): Promise<void> {
    const { peer, dedupes } = this.#options
    const wasUnsure = this.#isUnsure
    if (wasUnsure && this.#goesOnWith !== undefined) {
      const found = await this.#ask(this.#goesOnWith)
      if (!stillWaits(found, message, this.#options)) {
        this.#isUnsure = false
        return this.#goOnFrom(found)
      }
      // It may have the message all the same, and only not have begun with it.
      if (!dedupes) throw new BeachError('UNREACHABLE', `The agent '${peer}' still waits for what it was told.`)
    }
    this.#isUnsure = this.#goesOnWith !== undefined
    try {
      await this.#send(message)
    } catch (error) {
      // A peer that refuses a request has not looked at its content.
      if (untouchedFor(this.#failure(error)) !== undefined) this.#isUnsure = wasUnsure
      throw error
    }
  }

  async #send(message: OutgoingMessage): Promise<void> {
    const { client, signal, streams } = this.#options
    // A peer that does not stream answers at once with a task, which is then asked for: it can be cancelled, and found again.
    const params = sendParams(message, !streams && message.taskId === undefined)
    const connection = new AbortController()
    const options = this.#request(connection.signal)
    const stop = () => connection.abort()
    try {
      if (!streams) {
        const sending = client.sendMessage(params, options).then(toEvent)
        this.#opens(sending.then(taskIdIn), stop)
        const answer = await raceAbort(sending, signal)
        this.#isUnsure = false
        await this.#take(answer)
        return
      }
      const { events, named } = noting(client.sendMessageStream(params, options))
      this.#opens(named, stop)
      // The first thing said of a task that waited for this message may be that it waits.
      await this.#follow(events, message.taskId !== undefined)
    } finally {
      // A caller that gives up before the task is named still needs its name, to cancel it.
      if (!signal.aborted || this.task !== undefined) stop()
    }
  }

  #opens(named: Promise<string | undefined>, stop: () => void): void {
    named.catch(() => {})
    this.#opening = { named, stop }
  }

  /** The task as it stands and, where that is not its end and the peer lets us, what follows. */
  async #continueCall(): Promise<void> {
    const { task } = this
    if (task !== undefined) await this.#goOnFrom(await this.#ask(task.taskId))
  }

  async #goOnFrom(found: Task): Promise<void> {
    const { client, signal } = this.#options
    const params = { id: found.id, tenant: '' }
    await this.#take({ payload: { $case: 'task', value: found } })
    if (this.#fold.state !== undefined || !this.#canFollow) return
    try {
      const connection = new AbortController()
      const options = this.#request(AbortSignal.any([signal, connection.signal]))
      try {
        await this.#follow(client.resubscribeTask(params, options), false)
      } finally {
        connection.abort()
      }
    } catch (error) {
      if (!isUnsupported(error)) throw error
      this.#canFollow = false
    }
    // What was missed between two connections is in the task.
    if (this.#fold.state !== undefined) {
      await this.#take({ payload: { $case: 'task', value: await this.#ask(found.id) } })
    }
  }

  async #ask(id: string): Promise<Task> {
    const { client, signal } = this.#options
    return raceAbort(client.getTask({ id, tenant: '' }, this.#request()), signal)
  }

  async #follow(stream: AsyncGenerator<StreamResponse>, wasWaiting: boolean): Promise<void> {
    const { signal, runtime } = this.#options
    // A server may lose the last event, and a connection may be dead without a word; the task can be asked for instead.
    const quietMs = () => (this.task === undefined ? undefined : maxSilenceMs)
    let isFirst = true
    for await (const event of untilAborted(stream, { signal, clock: runtime.clock, quietMs })) {
      const mayBeOld = isFirst && wasWaiting && event.payload?.$case === 'task'
      isFirst = false
      const isOld = await this.#take(event, mayBeOld)
      const { state } = this.#fold
      if (isOld) continue
      this.#isUnsure = false
      if (state !== undefined) return
    }
  }

  /** A task that still waits for what was just sent has nothing new: what it made was told by the call before. True for such a one. */
  async #take(event: StreamResponse, mayBeOld = false): Promise<boolean> {
    const { onPart, onTask } = this.#options
    const isKnown = this.task !== undefined
    const news = this.#fold.take(event)
    const isOld = mayBeOld && waitsForUs(this.#fold.state)
    try {
      if (!isKnown && this.task !== undefined) await onTask?.(this.task)
      const { contextId } = this.#fold
      for (const part of isOld ? [] : news) await onPart?.(contextId === undefined ? part : { ...part, contextId })
    } catch (error) {
      throw new ListenerFailed(error)
    }
    return isOld
  }

  async #again(failure: BeachError | undefined): Promise<void> {
    const { peer, dedupes, runtime } = this.#options
    const untouched = failure && isRefusal(failure) ? untouchedFor(failure) : undefined
    if (failure !== undefined && untouched !== undefined) return this.#whenWelcome(failure, untouched)
    if (this.#isGivenUp(dedupes)) {
      if (this.#hasTask) throw this.#lost(failure)
      if (failure !== undefined) throw failure
      throw new BeachError('UNREACHABLE', `The agent '${peer}' has ended its answer in the middle.`, {
        details: { peer },
      })
    }
    const delay = Math.min(firstDelayMs * 2 ** this.#failures++, maxDelayMs)
    await this.#pause(delay * (0.5 + runtime.random()))
  }

  #noteActivity(): void {
    this.#failures = this.#refusals = 0
    this.#goneSince = undefined
  }

  /** Whether the peer has taken something of ours, which it may go on with once it is back. */
  get #hasTask(): boolean {
    return this.task !== undefined || this.#goesOnWith !== undefined
  }

  #isGivenUp(dedupes: boolean): boolean {
    const { runtime, limits } = this.#options
    if (!this.#hasTask) return !dedupes || this.#failures >= maxFailures
    const now = elapsed(runtime.clock)
    this.#goneSince ??= now
    return now - this.#goneSince >= limits.absenceMs
  }

  #lost(cause: BeachError | undefined): BeachError {
    const { peer } = this.#options
    const what = this.#isUnsure
      ? `The connection to the agent '${peer}' broke when it was told this, and what has become of it is not known:`
      : `The agent '${peer}' has taken this and cannot be reached any more:`
    const message = `${what} it may have done it, or may do it when it is back. Do not simply ask again.`
    const { taskId = this.#goesOnWith, contextId = this.#message?.contextId } = this.task ?? {}
    return new BeachError('UNREACHABLE', message, { cause, details: { peer, taskId, contextId, outcome: 'unknown' } })
  }

  /**
   * Waits as long as the peer wants and, if that is not enough, longer each time. There is no point in waiting beyond
   * the call's end.
   */
  async #whenWelcome(failure: BeachError, ms: number): Promise<void> {
    const { runtime, endsAt, onBusy } = this.#options
    this.#opening = undefined
    const least = Math.min(firstRefusalMs * 2 ** this.#refusals++, maxRefusalMs)
    const delay = Math.ceil(Math.max(ms, least) * (1 + runtime.random() / 4))
    if (elapsed(runtime.clock) + delay >= endsAt) throw failure
    await onBusy?.(delay)
    await this.#pause(delay)
  }

  async #pause(ms: number): Promise<void> {
    const { runtime, signal } = this.#options
    await sleep(runtime.clock, ms, signal)
    signal.throwIfAborted()
  }

  #request(signal: AbortSignal = this.#options.signal): RequestOptions {
    const { extensions } = this.#options
    return { signal, serviceParameters: ServiceParameters.create(withA2AExtensions(...extensions)) }
  }
}

/** The listener of the parts has failed; that is not the peer's fault. */
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

function sendParams(message: OutgoingMessage, returnImmediately: boolean) {
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately }
  return { tenant: '', message: toA2aMessage(message), configuration, metadata: undefined }
}

/** What went wrong with a peer, in our words, with the reason that A2A has for it. */
function a2aFailure(cause: unknown, peer: string, response: FailedResponse | undefined): BeachError {
  return peerFailure(cause, peer, response, a2aErrorOf(cause)?.reason)
}

/** Whether the peer does not let its tasks be followed, so that they must be asked for. */
function isUnsupported(error: unknown): boolean {
  return a2aErrorOf(error)?.reason === 'UNSUPPORTED_OPERATION'
}

function a2aErrorOf(error: unknown): A2AError | undefined {
  if (error instanceof A2AError) return error
  return error instanceof Error && error.cause instanceof A2AError ? error.cause : undefined
}
