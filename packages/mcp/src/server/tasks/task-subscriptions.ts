import { textEvents, type Heartbeats } from '@cool-ai/beach-channel/live'
import { isBeachError } from '@cool-ai/beach-core'
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolErrorCode,
  SUBSCRIPTION_ID_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { AskCall } from '../ask-tool.ts'
import type { Caller } from '../caller.ts'
import type { CallTasks } from './call-tasks.ts'
import { declaresTasks } from './task-methods.ts'
import { tasksExtension, type DetailedTask } from './task-shape.ts'

/** So many tasks can be listened to at once; others are not in what the server acknowledges. */
const maxTasks = 50

const listenShape = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.literal('subscriptions/listen'),
  params: z.looseObject({
    notifications: z.looseObject({ taskIds: z.array(z.string().max(300)) }),
    _meta: z.looseObject({}),
  }),
})

export interface Listening {
  readonly tasks: CallTasks
  readonly caller: Caller
  readonly ending: AbortSignal
  readonly heartbeats: Heartbeats
  /** Counts the stream; returns what to call when it is over. */
  readonly enter: () => () => void
}

/**
 * Answers a request to be told of tasks, by `notifications/tasks` whenever one has changed, until all of them are over.
 * Undefined for any other request, which is the SDK's to answer.
 */
export async function listenToTasks(
  request: Request,
  body: unknown,
  listening: Listening,
): Promise<Response | undefined> {
  const parsed = listenShape.safeParse(body)
  // What its headers say differently is refused by the SDK.
  if (!parsed.success || request.headers.get('mcp-method') !== parsed.data.method) return undefined
  const { id, params } = parsed.data
  const capabilities = params._meta[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  if (!declaresTasks(capabilities)) {
    const missing = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } }
    const { code, message, data } = new MissingRequiredClientCapabilityError(missing)
    return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status: 400 })
  }
  const onEnd = listening.enter()
  const end = new AbortController()
  const signal = AbortSignal.any([request.signal, listening.ending, end.signal])
  const context = { mcpReq: { _meta: params._meta, signal } } as unknown as ServerContext
  const call: AskCall = { caller: listening.caller, context, capabilities }
  const texts = subscription(id, params.notifications.taskIds, listening.tasks, call, signal)
  return textEvents(request, texts, {
    heartbeats: listening.heartbeats,
    onError: () => eventOf({ id, error: { code: ProtocolErrorCode.InternalError, message: 'Subscribe again.' } }),
    onEnd: () => {
      end.abort()
      onEnd()
    },
  })
}

async function* subscription(
  id: string | number,
  wanted: readonly string[],
  tasks: CallTasks,
  call: AskCall,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id }
  const followed = await followable(wanted, tasks, call, signal)
  const taskIds = [...followed.keys()]
  const notifications = taskIds.length > 0 ? { taskIds } : {}
  yield eventOf({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } })
  for await (const task of merged([...followed.values()])) {
    yield eventOf({ method: 'notifications/tasks', params: { ...task, _meta } })
  }
  yield eventOf({ id, result: { resultType: 'complete', _meta } })
}

/** Those of the tasks that are the caller's, each with how it stands now and what becomes of it. */
async function followable(wanted: readonly string[], tasks: CallTasks, call: AskCall, signal: AbortSignal) {
  const followed = new Map<string, AsyncGenerator<DetailedTask, void, undefined>>()
  for (const taskId of new Set(wanted.slice(0, maxTasks))) {
    try {
      followed.set(taskId, await tasks.follow(taskId, call, signal))
    } catch (error) {
      if (!isBeachError(error, 'NOT_FOUND') && !isBeachError(error, 'EXPIRED')) throw error
    }
  }
  return followed
}

/** What several sources give, as it comes. */
async function* merged<Item>(sources: readonly AsyncGenerator<Item, void, undefined>[]): AsyncGenerator<Item> {
  const next = async (source: AsyncGenerator<Item, void, undefined>) => ({ source, result: await source.next() })
  const waiting = new Map(sources.map((source) => [source, next(source)]))
  while (waiting.size > 0) {
    const { source, result } = await Promise.race(waiting.values())
    if (result.done === true) {
      waiting.delete(source)
      continue
    }
    waiting.set(source, next(source))
    yield result.value
  }
}

function eventOf(message: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message })
}
