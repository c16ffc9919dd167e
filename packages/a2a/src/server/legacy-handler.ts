import type { StreamResponse } from '@a2a-js/sdk'
import { LegacyJsonRpcTransportHandler, LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { A2AError } from '@a2a-js/sdk/errors'
import { ServerCallContext } from '@a2a-js/sdk/server'
import type { BeachError, Logger } from '@cool-ai/beach-core'
import type { Caller } from './caller.ts'
import type { Operations } from './operations.ts'
import { toA2aError } from './wire-errors.ts'

type RequestHandler = ConstructorParameters<typeof LegacyJsonRpcTransportHandler>[0]

const callerKey = 'beach.caller'

/** The SDK's translation of protocol 0.3, on our operations. */
export interface Legacy {
  readonly jsonRpc: LegacyJsonRpcTransportHandler
  readonly rest: LegacyRestTransportHandler
  contextOf(caller: Caller): ServerCallContext
}

export function legacyHandlers(operations: Operations, logger: Logger): Legacy {
  const handler = requestHandler(operations, logger)
  return {
    jsonRpc: new LegacyJsonRpcTransportHandler(handler),
    rest: new LegacyRestTransportHandler(handler),
    contextOf: (caller) => {
      return new ServerCallContext({ requestedVersion: '0.3', state: new Map([[callerKey, caller]]) })
    },
  }
}

function requestHandler(operations: Operations, logger: Logger): RequestHandler {
  const seen = (error: unknown): A2AError => wrapped(toA2aError(error, logger))
  const guarded = async <Value>(run: () => Promise<Value>): Promise<Value> => {
    try {
      return await run()
    } catch (error) {
      throw seen(error)
    }
  }
  async function* guardedStream(
    run: () => AsyncGenerator<StreamResponse, void, undefined>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      yield* run()
    } catch (error) {
      throw seen(error)
    }
  }
  return {
    getAgentCard: async () => operations.card,
    getAuthenticatedExtendedAgentCard: (params, context) =>
      guarded(() => operations.getExtendedAgentCard(params, callerOf(context))),
    sendMessage: (params, context) => guarded(() => operations.sendMessage(params, callerOf(context))),
    sendMessageStream: (params, context) =>
      guardedStream(() => operations.sendStreamingMessage(params, callerOf(context))),
    getTask: (params, context) => guarded(() => operations.getTask(params, callerOf(context))),
    cancelTask: (params, context) => guarded(() => operations.cancelTask(params, callerOf(context))),
    createTaskPushNotificationConfig: (params, context) =>
      guarded(() => operations.createPushConfig(params, callerOf(context))),
    getTaskPushNotificationConfig: (params, context) =>
      guarded(() => operations.getPushConfig(params, callerOf(context))),
    listTaskPushNotificationConfigs: (params, context) =>
      guarded(() => operations.listPushConfigs(params, callerOf(context))),
    deleteTaskPushNotificationConfig: (params, context) =>
      guarded(() => operations.deletePushConfig(params, callerOf(context))),
    resubscribe: (params, context) => guardedStream(() => operations.subscribeToTask(params, callerOf(context))),
    listTasks: (params, context) => guarded(() => operations.listTasks(params, callerOf(context))),
  }
}

/** Protocol 0.3 has fewer kinds of errors: what has none of its own keeps its sentence. */
function wrapped(error: A2AError | BeachError): A2AError {
  return error instanceof A2AError ? error : new A2AError(error.message)
}

function callerOf(context: ServerCallContext): Caller {
  return context.state.get(callerKey) as Caller
}
