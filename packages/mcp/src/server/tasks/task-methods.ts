import type { ErrorRuntime } from '@cool-ai/beach-channel/http'
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ClientCapabilities,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { AskCall } from '../ask-tool.ts'
import { protocolError } from '../wire-errors.ts'
import type { CallTasks } from './call-tasks.ts'
import { tasksExtension } from './task-shape.ts'

const params = z.object({ taskId: z.string().min(1).max(300) })

export interface TaskServing {
  readonly tasks: CallTasks
  readonly callOf: (context: ServerContext) => Promise<AskCall>
  /** Counts a request among the caller's open ones; returns what to call when it is answered. */
  readonly enter: () => () => void
  readonly runtime: ErrorRuntime
}

/** Serves the methods of the tasks extension. */
export function serveTasks(server: Server, { tasks, callOf, enter, runtime }: TaskServing): void {
  const method = (name: string, serve: (taskId: string, call: AskCall) => Promise<Result>) =>
    server.setRequestHandler(name, { params }, async ({ taskId }, context): Promise<Result> => {
      requireTasks(context)
      let leave = () => {}
      try {
        leave = enter()
        return await serve(taskId, await callOf(context))
      } catch (error) {
        throw protocolError(error, runtime)
      } finally {
        leave()
      }
    })
  method('tasks/get', async (taskId, call) => ({ ...(await tasks.get(taskId, call)) }))
  method('tasks/update', async (taskId, call) => {
    await tasks.update(taskId, call)
    return {}
  })
  method('tasks/cancel', async (taskId, call) => {
    await tasks.cancel(taskId, call)
    return {}
  })
}

/** True when this request says that its client takes tasks: since 2026-07-28 each request says what its client can do. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined
  return declaresTasks(envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined)
}

/** True for capabilities that name the extension. */
export function declaresTasks(capabilities: ClientCapabilities | undefined): boolean {
  const settings: unknown = capabilities?.extensions?.[tasksExtension]
  return typeof settings === 'object' && settings !== null
}

function requireTasks(context: ServerContext): void {
  // Earlier revisions have other methods of these names, which are not served.
  if (context.mcpReq.envelope === undefined) {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
  }
  if (takesTasks(context)) return
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } })
}
