import { TaskState } from '@a2a-js/sdk'
import * as z from 'zod'
import {
  base64,
  camelCased,
  count,
  flag,
  id,
  members,
  messageId,
  object,
  partsOf,
  requireParams,
  text,
  texts,
} from './param-types.ts'

const maxTokenLength = 2_000
const contents = ['text', 'raw', 'url', 'data'] as const

const states: ReadonlySet<unknown> = new Set(Object.entries(TaskState).flat())
const state = z
  .custom((value) => states.has(value), 'must be a state of a task, such as TASK_STATE_COMPLETED')
  .nullish()

const part = z
  .looseObject(
    {
      metadata: object,
      mediaType: text,
      filename: text,
      text,
      url: text,
      raw: base64,
      data: z.custom((data) => data !== null, 'must not be null').optional(),
    },
    'must be an object',
  )
  .refine((given) => contents.filter((name) => given[name] !== undefined && given[name] !== null).length === 1, {
    error: `needs exactly one of ${contents.join(', ')}`,
  })

const message = members(
  z.looseObject(
    {
      messageId,
      contextId: id,
      taskId: id,
      role: z.literal(['ROLE_USER', 1], 'must be ROLE_USER, since the message comes from the caller'),
      parts: partsOf(members(part)),
      metadata: object,
      extensions: texts,
      referenceTaskIds: texts,
    },
    'must be an object',
  ),
)

const pushConfig = z.looseObject(
  {
    id: text,
    url: text,
    token: text,
    authentication: z.looseObject({ scheme: text, credentials: text }, 'must be an object').nullish(),
  },
  'must be an object',
)

const configuration = members(
  z.looseObject(
    {
      acceptedOutputModes: texts,
      historyLength: count,
      returnImmediately: flag,
      taskPushNotificationConfig: members(pushConfig).nullish(),
    },
    'must be an object',
  ),
)

const sendMessage = z.looseObject({ tenant: text, message, metadata: object, configuration: configuration.nullish() })
const task = z.looseObject({ tenant: text, id: text, historyLength: count, metadata: object })
const taskConfig = z.looseObject({ tenant: text, taskId: text, id: text })

/** What the parameters of each operation must be, as far as they are there. */
export const paramsSchemas = {
  SendMessage: sendMessage,
  SendStreamingMessage: sendMessage,
  SubscribeToTask: task,
  GetTask: task,
  CancelTask: task,
  ListTasks: z.looseObject({
    tenant: text,
    contextId: id,
    status: state,
    pageSize: count,
    pageToken: z.string('must be a text').max(maxTokenLength, 'is none that was given here').nullish(),
    historyLength: count,
    statusTimestampAfter: text,
    includeArtifacts: flag,
  }),
  CreateTaskPushNotificationConfig: pushConfig.extend({ tenant: text, taskId: text }),
  GetTaskPushNotificationConfig: taskConfig,
  ListTaskPushNotificationConfigs: taskConfig.extend({ pageSize: count, pageToken: text }),
  DeleteTaskPushNotificationConfig: taskConfig,
  GetExtendedAgentCard: z.looseObject({ tenant: text }),
} as const

/** Refuses parameters whose JSON is not right; the SDK would silently make something of them. */
export function checkParams(operation: keyof typeof paramsSchemas, params: unknown): void {
  requireParams(operation, paramsSchemas[operation], camelCased(params))
}
