import {
  TaskState,
  type Message as A2aMessage,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk'
import { TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import { until } from '@cool-ai/beach-channel/live'
import { fromMessageMetadata } from '@cool-ai/beach-channel/peers'
import type { Originator, Runtime, Sessions } from '@cool-ai/beach-core'
import type { Caller } from './caller.ts'
import type { Intake, Sent } from './intake.ts'
import { taskEvents } from './task-events.ts'
import type { TaskProjection } from './task-projection.ts'
import { placeAfter, type TaskReading } from './task-reading.ts'
import { toAnswer, toTask } from './to-task.ts'

export interface A2aTasksOptions {
  readonly runtime: Runtime
  readonly sessions: Sessions
  readonly reading: TaskReading
  readonly intake: Intake
  readonly gatherMs: number
}

/** The operations on tasks. A task is a projection of its session's log: nothing of it is kept anywhere else. */
export class A2aTasks {
  readonly #options: A2aTasksOptions

  constructor(options: A2aTasksOptions) {
    this.#options = options
  }

  /**
   * Sends a message and waits until the task is over or asks something, unless the caller does not want to wait. A
   * completed answer is one message for callers that take it so; what can be gone on with is always a task.
   */
  async send(request: SendMessageRequest, caller: Caller): Promise<Task | A2aMessage> {
    const sent = await this.#options.intake.take(request, caller, 'buffered')
    const { configuration } = request
    if (configuration?.returnImmediately === true) return sent.now()
    if (!hasEnded(sent)) await this.#untilItRests(sent, caller)
    const { projection, reader } = sent
    const answer = takesMessage(request, projection) ? await toAnswer(projection, reader) : undefined
    return answer ?? toTask(projection, reader, { historyLength: configuration?.historyLength })
  }

  async *stream(request: SendMessageRequest, caller: Caller): AsyncGenerator<StreamResponse, void, undefined> {
    const sent = await this.#options.intake.take(request, caller, 'streaming')
    const task = await sent.now()
    yield { payload: { $case: 'task', value: task } }
    if (hasEnded(sent) && !sent.projection.isHeld) return
    yield* this.#events(sent, caller)
  }

  /** Refuses a task that does not exist, or is another caller's; gives whom it is said to, with what they consume. */
  async check(taskId: string, caller: Caller): Promise<Originator> {
    return (await this.#options.reading.find(taskId, caller, 'buffered')).reader.to
  }

  async get(taskId: string, caller: Caller, historyLength?: number): Promise<Task> {
    const { projection, reader } = await this.#options.reading.find(taskId, caller, 'buffered')
    return toTask(projection, reader, { historyLength })
  }

  /** Gives the task as it is, and then what happens to it; nothing in between is lost. */
  async *subscribe(taskId: string, caller: Caller): AsyncGenerator<StreamResponse, void, undefined> {
    const { projection, reader } = await this.#options.reading.find(taskId, caller, 'streaming')
    if (projection.isTerminal) throw new UnsupportedOperationError('This task is over. Get it with GetTask.')
    const from = placeAfter(projection)
    yield { payload: { $case: 'task', value: await toTask(projection, reader) } }
    yield* this.#events({ projection, reader, from }, caller)
  }

  /** Cancels what works on the task, wherever it runs, and waits until that has ended. */
  async cancel(taskId: string, caller: Caller): Promise<Task> {
    const { projection, reader } = await this.#options.reading.find(taskId, caller, 'buffered')
    if (projection.isTerminal) throw new TaskNotCancelableError('This task is over already.')
    const { session } = projection.place
    if (projection.isSettled && projection.turnId !== undefined) {
      const isWithdrawn = await this.#options.sessions.withdraw(session, projection.turnId, caller.principal)
      if (!isWithdrawn) throw new TaskNotCancelableError('Something has come in this context since the task has asked.')
      return this.get(taskId, caller)
    }
    const from = placeAfter(projection)
    let asked: string | undefined
    const ask = async () => {
      if (projection.turnId === undefined || asked === projection.turnId) return
      asked = projection.turnId
      await this.#options.sessions.cancel(session, asked, caller.principal)
    }
    await ask()
    await this.#follow({ projection, reader, from }, caller, async () => {
      if (projection.isTerminal) return true
      await ask()
      return false
    })
    if (!projection.isCancelled) {
      throw new TaskNotCancelableError('This task had ended before it could be cancelled.')
    }
    return toTask(projection, reader)
  }

  /** Follows until the task rests again: one that asked something has been answered just now. */
  #untilItRests(sent: Sent, caller: Caller): Promise<void> {
    const { projection } = sent
    let hasMoved = !projection.rests
    return this.#follow(sent, caller, () => {
      hasMoved ||= !projection.rests
      return hasMoved && projection.rests
    })
  }

  /** Folds what comes until `done` says so, or the caller has gone. */
  async #follow(
    { projection, reader, from }: Pick<Sent, 'projection' | 'reader' | 'from'>,
    { signal }: Caller,
    done: () => boolean | Promise<boolean>,
  ): Promise<void> {
    for await (const frame of this.#options.sessions.follow(projection.place.session, reader.to, from, signal)) {
      projection.apply(frame)
      const isDone = done()
      if (typeof isDone === 'boolean' ? isDone : await isDone) return
    }
  }

  #events({ projection, reader, from }: Pick<Sent, 'projection' | 'reader' | 'from'>, { signal }: Caller) {
    const end = until(signal)
    const frames = this.#options.sessions.follow(projection.place.session, reader.to, from, end.signal)
    const { runtime, gatherMs } = this.#options
    return taskEvents(projection, frames, reader, { clock: runtime.clock, gatherMs, end: end.now })
  }
}

function takesMessage({ message }: SendMessageRequest, { state }: TaskProjection): boolean {
  return fromMessageMetadata(message?.metadata).answer === 'message' && state === TaskState.TASK_STATE_COMPLETED
}

/** The same message has come before, and nothing more comes of it by itself. */
function hasEnded({ isRepeat, projection }: Sent): boolean {
  return isRepeat && projection.rests
}
