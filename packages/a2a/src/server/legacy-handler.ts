import { LegacyJsonRpcTransportHandler, LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { A2AError } from '@a2a-js/sdk/errors'
import { ServerCallContext } from '@a2a-js/sdk/server'
import type { ErrorRuntime } from '@cool-ai/beach-channel/http'
import type { BeachError } from '@cool-ai/beach-core'
import type { Caller } from './caller.ts'
import type { Operations, StreamEvents } from './operations.ts'
import { noteA2aError, toA2aError } from './wire-errors.ts'

type RequestHandler = ConstructorParameters<typeof LegacyJsonRpcTransportHandler>[0]

const callerKey = 'beach.caller'
const errorKey = 'beach.errorId'

/** The SDK's translation of protocol 0.3, on our operations. */
export interface Legacy {
  readonly jsonRpc: LegacyJsonRpcTransportHandler
  readonly rest: LegacyRestTransportHandler
  contextOf(caller: Caller): ServerCallContext
  /** The id of the error that this call has ended with, as an error of JSON-RPC has it. */
  errorData(context: ServerCallContext): { readonly data?: { readonly errorId: unknown } }
}

export function legacyHandlers(operations: Operations, runtime: ErrorRuntime): Legacy {
  const handler = requestHandler(operations, runtime)
  return {
    jsonRpc: new LegacyJsonRpcTransportHandler(handler),
    rest: new LegacyRestTransportHandler(handler),
    contextOf: (caller) => {
      return new ServerCallContext({ requestedVersion: '0.3', state: new Map([[callerKey, caller]]) })
    },
    errorData: ({ state }) => (state.has(errorKey) ? { data: { errorId: state.get(errorKey) } } : {}),
  }
}

function requestHandler(operations: Operations, runtime: ErrorRuntime): RequestHandler {
  const seen = (error: unknown, { state }: ServerCallContext): A2AError => {
    state.set(errorKey, noteA2aError(error, runtime))
    return wrapped(toA2aError(error))
  }
  type Run<Params, Result> = (params: Params, caller: Caller) => Result
  const call = <Params, Result>(run: Run<Params, Promise<Result>>) => {
    return (params: Params, context: ServerCallContext) =>
      run(params, callerOf(context)).catch((error: unknown) => {
        throw seen(error, context)
      })
  }
  const stream = <Params>(run: Run<Params, StreamEvents>) =>
    async function* (params: Params, context: ServerCallContext): StreamEvents {
      try {
        yield* run(params, callerOf(context))
      } catch (error) {
        throw seen(error, context)
      }
    }
  return {
    getAgentCard: async () => operations.card,
    getAuthenticatedExtendedAgentCard: call((params, caller) => operations.getExtendedAgentCard(params, caller)),
    sendMessage: call((params, caller) => operations.sendMessage(params, caller)),
    sendMessageStream: stream((params, caller) => operations.sendStreamingMessage(params, caller)),
    getTask: call((params, caller) => operations.getTask(params, caller)),
    cancelTask: call((params, caller) => operations.cancelTask(params, caller)),
    createTaskPushNotificationConfig: call((params, caller) => operations.createPushConfig(params, caller)),
    getTaskPushNotificationConfig: call((params, caller) => operations.getPushConfig(params, caller)),
    listTaskPushNotificationConfigs: call((params, caller) => operations.listPushConfigs(params, caller)),
    deleteTaskPushNotificationConfig: call((params, caller) => operations.deletePushConfig(params, caller)),
    resubscribe: stream((params, caller) => operations.subscribeToTask(params, caller)),
    listTasks: call((params, caller) => operations.listTasks(params, caller)),
  }
}

/** Protocol 0.3 has fewer kinds of errors: what has none of its own keeps its sentence. */
function wrapped(error: A2AError | BeachError): A2AError {
  return error instanceof A2AError ? error : new A2AError(error.message)
}

function callerOf(context: ServerCallContext): Caller {
  return context.state.get(callerKey) as Caller
}
