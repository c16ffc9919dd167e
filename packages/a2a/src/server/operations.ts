import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message as A2aMessage,
  SendMessageRequest,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
  type AgentCard,
  type GetExtendedAgentCardRequest,
  type StreamResponse,
} from '@a2a-js/sdk'
import { ExtendedAgentCardNotConfiguredError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import { BeachError, type Principal, type Sessions } from '@cool-ai/beach-core'
import { agentCardToJson } from '@cool-ai/beach-protocol/agent-card'
import type { A2aTasks } from './a2a-tasks.ts'
import { asGuest, type Caller } from './caller.ts'
import type { Guests } from './guests.ts'
import { listTasks } from './list-tasks.ts'
import type { TaskReading } from './task-reading.ts'
import { checkedParams, type OperationName } from './params-check.ts'
import type { PushConfigs } from './push-configs.ts'

export type StreamEvents = AsyncGenerator<StreamResponse, void, undefined>

export interface OperationsOptions {
  readonly sessions: Sessions
  readonly reading: TaskReading
  readonly tasks: A2aTasks
  readonly pushConfigs: PushConfigs
  readonly card: () => AgentCard
  readonly extendedCard: () => AgentCard | undefined
  readonly extendedFor?: ((principal: Principal) => boolean) | undefined
  readonly guests?: Guests | undefined
}

/** The operations of A2A, with the SDK's types; every binding and version calls these. */
export class Operations {
  readonly #options: OperationsOptions

  constructor(options: OperationsOptions) {
    this.#options = options
  }

  get card(): AgentCard {
    return this.#options.card()
  }

  async sendMessage(request: SendMessageRequest, caller: Caller): Promise<Task | A2aMessage> {
    lengthOf(request.configuration?.historyLength)
    return this.#options.tasks.send(request, await this.#within(caller, request.message))
  }

  async *sendStreamingMessage(request: SendMessageRequest, caller: Caller): StreamEvents {
    this.#requireStreaming()
    lengthOf(request.configuration?.historyLength)
    yield* this.#options.tasks.stream(request, await this.#within(caller, request.message))
  }

  async *subscribeToTask({ id }: SubscribeToTaskRequest, caller: Caller): StreamEvents {
    this.#requireStreaming()
    yield* this.#options.tasks.subscribe(id, await this.#within(caller, { taskId: id }))
  }

  async getTask({ id, historyLength }: GetTaskRequest, caller: Caller): Promise<Task> {
    return this.#options.tasks.get(id, await this.#within(caller, { taskId: id }), lengthOf(historyLength))
  }

  async listTasks(request: ListTasksRequest, caller: Caller): Promise<ListTasksResponse> {
    const { sessions, reading } = this.#options
    const historyLength = lengthOf(request.historyLength)
    const own = await this.#within(caller, { contextId: request.contextId })
    // A guest who names no context has no identity yet, and no tasks; the parameters are checked all the same.
    return listTasks(sessions, reading, { ...request, historyLength }, own)
  }

  async cancelTask({ id }: CancelTaskRequest, caller: Caller): Promise<Task> {
    return this.#options.tasks.cancel(id, await this.#within(caller, { taskId: id }))
  }

  async createPushConfig(config: TaskPushNotificationConfig, caller: Caller): Promise<TaskPushNotificationConfig> {
    this.#options.pushConfigs.require()
    const own = await this.#within(caller, config)
    const to = await this.#options.tasks.check(config.taskId, own)
    return this.#options.pushConfigs.create(config, own, to)
  }

  async getPushConfig(
    { taskId, id }: GetTaskPushNotificationConfigRequest,
    caller: Caller,
  ): Promise<TaskPushNotificationConfig> {
    return this.#options.pushConfigs.get(taskId, id, await this.#ofTask(taskId, caller))
  }

  async listPushConfigs(
    { taskId }: ListTaskPushNotificationConfigsRequest,
    caller: Caller,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const configs = await this.#options.pushConfigs.list(taskId, await this.#ofTask(taskId, caller))
    return { configs, nextPageToken: '' }
  }

  async deletePushConfig({ taskId, id }: DeleteTaskPushNotificationConfigRequest, caller: Caller): Promise<void> {
    await this.#options.pushConfigs.remove(taskId, id, await this.#ofTask(taskId, caller))
  }

  async getExtendedAgentCard(_: GetExtendedAgentCardRequest, caller: Caller): Promise<AgentCard> {
    const { extendedFor } = this.#options
    const extendedCard = this.#options.extendedCard()
    if (this.card.capabilities?.extendedAgentCard !== true) {
      throw new UnsupportedOperationError('This agent has no extended card.')
    }
    if (caller.isGuest === true || extendedFor?.(caller.principal) === false) {
      throw new BeachError('UNAUTHENTICATED', 'The extended card requires a credential.')
    }
    if (extendedCard === undefined) throw new ExtendedAgentCardNotConfiguredError('There is no extended card.')
    return extendedCard
  }

  /** The caller of an operation on push notification configs, which an agent without them has for no task. */
  async #ofTask(taskId: string, caller: Caller): Promise<Caller> {
    this.#options.pushConfigs.require()
    const own = await this.#within(caller, { taskId })
    await this.#options.tasks.check(taskId, own)
    return own
  }

  /** The caller as whom it is where it wants to be: without a credential that follows from the id which it names. */
  async #within(
    caller: Caller,
    named: { readonly contextId?: string; readonly taskId?: string } = {},
  ): Promise<Caller> {
    const { guests } = this.#options
    const { contextId = '', taskId = '' } = named
    if (caller.isGuest !== true || guests === undefined) return caller
    if (taskId !== '') return asGuest(caller, await guests.ofTask(taskId))
    return contextId === '' ? caller : asGuest(caller, await guests.named(contextId))
  }

  #requireStreaming(): void {
    if (this.card.capabilities?.streaming !== true) {
      throw new UnsupportedOperationError('This agent does not stream. Use SendMessage.')
    }
  }
}

function lengthOf(historyLength: number | undefined): number | undefined {
  if (historyLength === undefined || (Number.isInteger(historyLength) && historyLength >= 0)) return historyLength
  throw new BeachError('BAD_REQUEST', 'historyLength is a whole number, 0 or more.')
}

/** An operation by its JSON: what its parameters are, and what its result is. */
export interface JsonOperation {
  readonly run: (operations: Operations, params: object, caller: Caller) => Promise<unknown>
}

/** A streaming operation by its JSON. */
export interface JsonStream {
  readonly stream: (operations: Operations, params: object, caller: Caller) => StreamEvents
}

const unchecked: Readonly<Record<OperationName, JsonOperation | JsonStream>> = {
  SendMessage: {
    run: async (own, params, caller) => {
      const sent = await own.sendMessage(SendMessageRequest.fromJSON(params), caller)
      return 'messageId' in sent ? { message: A2aMessage.toJSON(sent) } : { task: Task.toJSON(sent) }
    },
  },
  SendStreamingMessage: {
    stream: (own, params, caller) => own.sendStreamingMessage(SendMessageRequest.fromJSON(params), caller),
  },
  SubscribeToTask: {
    stream: (own, params, caller) => own.subscribeToTask(SubscribeToTaskRequest.fromJSON(params), caller),
  },
  GetTask: {
    run: async (own, params, caller) => Task.toJSON(await own.getTask(GetTaskRequest.fromJSON(params), caller)),
  },
  ListTasks: {
    run: async (own, params, caller) => {
      const request = ListTasksRequest.fromJSON(params)
      const response = await own.listTasks(request, caller)
      // All four are required, and the SDK leaves out what is empty; so it does with artifacts that were asked for.
      const empty = { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 }
      const written = { ...empty, ...(ListTasksResponse.toJSON(response) as { tasks?: object[] }) }
      if (request.includeArtifacts !== true) return written
      return { ...written, tasks: written.tasks.map((task) => ({ artifacts: [], ...task })) }
    },
  },
  CancelTask: {
    run: async (own, params, caller) => Task.toJSON(await own.cancelTask(CancelTaskRequest.fromJSON(params), caller)),
  },
  CreateTaskPushNotificationConfig: {
    run: async (own, params, caller) => {
      const config = TaskPushNotificationConfig.fromJSON(params)
      return TaskPushNotificationConfig.toJSON(await own.createPushConfig(config, caller))
    },
  },
  GetTaskPushNotificationConfig: {
    run: async (own, params, caller) => {
      const request = GetTaskPushNotificationConfigRequest.fromJSON(params)
      return TaskPushNotificationConfig.toJSON(await own.getPushConfig(request, caller))
    },
  },
  ListTaskPushNotificationConfigs: {
    run: async (own, params, caller) => {
      const response = await own.listPushConfigs(ListTaskPushNotificationConfigsRequest.fromJSON(params), caller)
      return { configs: [], ...(ListTaskPushNotificationConfigsResponse.toJSON(response) as object) }
    },
  },
  DeleteTaskPushNotificationConfig: {
    run: async (own, params, caller) => {
      await own.deletePushConfig(DeleteTaskPushNotificationConfigRequest.fromJSON(params), caller)
      return null
    },
  },
  GetExtendedAgentCard: {
    run: async (own, _, caller) => agentCardToJson(await own.getExtendedAgentCard({ tenant: '' }, caller)),
  },
}

/** The operations by the names that JSON-RPC calls them by, with a look at their parameters first; REST uses the same. */
export const jsonOperations = Object.fromEntries(
  Object.entries(unchecked).map(([name, operation]) => [name, checked(name as OperationName, operation)]),
) as typeof unchecked

function checked(name: OperationName, operation: JsonOperation | JsonStream): JsonOperation | JsonStream {
  return 'run' in operation
    ? { run: async (own, params, caller) => operation.run(own, checkedParams(name, params), caller) }
    : { stream: (own, params, caller) => operation.stream(own, checkedParams(name, params), caller) }
}
