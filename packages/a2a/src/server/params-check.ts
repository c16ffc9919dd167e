import { TaskState } from '@a2a-js/sdk'
import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'

// As Protocol Buffers write it: null is the same as nothing, whole numbers may be texts, unknown members are ignored.

/** The longest id that a caller may choose. */
export const maxIdLength = 256
const maxTokenLength = 2_000
const contents = ['text', 'raw', 'url', 'data'] as const

const someText = z.string('must be a text')
const text = someText.nullish()
const chosenId = someText.max(maxIdLength, `has more than ${maxIdLength} characters`)
const id = chosenId.nullish()
const required = someText.min(1, 'is empty')
const flag = z.boolean('must be true or false').nullish()
const texts = z.array(someText, 'must be a list of texts').nullish()
const modes = z
  .array(someText.max(200, 'has more than 200 characters'), 'must be a list of media types')
  .max(50, 'has more than 50 media types')
  .nullish()
const object = z.looseObject({}, 'must be an object').nullish()
const base64 = someText.regex(/^[\w+/-]*={0,2}$/, 'must be base64').nullish()
const count = z
  .union([z.int(), z.string().regex(/^-?\d{1,9}$/)], 'must be a whole number')
  .refine((value) => Number(value) >= 0, 'must be 0 or more')
  .nullish()

const states: ReadonlySet<unknown> = new Set(Object.entries(TaskState).flat())
const state = z
  .custom((value) => states.has(value), 'must be a state of a task, such as TASK_STATE_COMPLETED')
  .nullish()

function shape<Shape extends z.ZodRawShape>(given: Shape) {
  return z.looseObject(given, 'must be an object')
}

function messageOf(part: z.ZodType, role: z.ZodType) {
  const parts = z.array(part, 'must be a list of parts').min(1, 'is empty').max(100, 'has more than 100 parts')
  const about = { metadata: object, extensions: texts, referenceTaskIds: texts }
  return shape({ messageId: chosenId.min(1, 'is empty'), contextId: id, taskId: id, role, parts, ...about })
}

/** A message of Protocol Buffers, whose members may have their other names too: `message_id` is `messageId`. */
function members<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(camelCased, schema)
}

/** An object with the names of its members in camel case; where both are there, those are the ones that are read. */
function camelCased(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value)
  if (!entries.some(([name]) => name.includes('_'))) return value
  const named = entries.map(([name, member]) => [camelCase(name), member])
  return Object.fromEntries([...named, ...entries.filter(([, member]) => member !== null)])
}

function camelCase(name: string): string {
  return name.replaceAll(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase())
}

const data = z.custom((given) => given !== null, 'must not be null').optional()
const part = shape({ metadata: object, mediaType: text, filename: text, text, url: text, raw: base64, data }).refine(
  (given) => contents.filter((name) => given[name] !== undefined && given[name] !== null).length === 1,
  { error: `needs exactly one of ${contents.join(', ')}` },
)
const role = z.literal(['ROLE_USER', 1], 'must be ROLE_USER, since the message comes from the caller')
const authentication = shape({ scheme: text, credentials: text }).nullish()
const pushConfig = shape({ id: text, url: text, token: text, authentication })
const configuration = shape({
  acceptedOutputModes: modes,
  historyLength: count,
  returnImmediately: flag,
  taskPushNotificationConfig: members(pushConfig).nullish(),
})
const sendMessage = z.looseObject({
  tenant: text,
  message: members(messageOf(members(part), role)),
  metadata: object,
  configuration: members(configuration).nullish(),
})
const task = z.looseObject({ tenant: text, id: text, historyLength: count, metadata: object })
const taskConfig = z.looseObject({ tenant: text, taskId: text, id: text })

const paramsSchemas = {
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
    pageToken: someText.max(maxTokenLength, 'is none that was given here').nullish(),
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

/** What JSON-RPC calls the operations. */
export type OperationName = keyof typeof paramsSchemas

/** Refuses parameters whose JSON is not right; the SDK would silently make something of them. */
export function checkedParams(operation: OperationName, params: object): object {
  requireParams(operation, paramsSchemas[operation], camelCased(params))
  return params
}

const legacyPart = z.discriminatedUnion(
  'kind',
  [
    z.looseObject({ kind: z.literal('text'), text: someText, metadata: object }),
    z.looseObject({ kind: z.literal('data'), data: shape({}), metadata: object }),
    z.looseObject({
      kind: z.literal('file'),
      metadata: object,
      file: shape({ uri: text, bytes: base64, mimeType: text, name: text }).refine(
        ({ uri, bytes }) => (uri === undefined) !== (bytes === undefined),
        'needs either uri or bytes',
      ),
    }),
  ],
  { error: 'must have a `kind`: text, file or data' },
)
const legacyPushConfig = pushConfig.extend({
  url: required,
  authentication: shape({ schemes: texts, credentials: text }).nullish(),
})
const legacyConfiguration = shape({
  acceptedOutputModes: modes,
  historyLength: count,
  blocking: flag,
  pushNotificationConfig: legacyPushConfig.nullish(),
})
const legacySendMessage = z.looseObject({
  message: messageOf(legacyPart, z.literal('user', 'must be user, since the message comes from the caller')),
  metadata: object,
  configuration: legacyConfiguration.nullish(),
})
const legacyTask = z.looseObject({ id: required, historyLength: count, metadata: object })
const legacyPushSet = z.looseObject({ taskId: required, pushNotificationConfig: legacyPushConfig })

const legacySchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['message/send', legacySendMessage],
  ['message/stream', legacySendMessage],
  ['tasks/get', legacyTask],
  ['tasks/cancel', legacyTask],
  ['tasks/resubscribe', legacyTask],
  ['tasks/pushNotificationConfig/set', legacyPushSet],
  ['tasks/pushNotificationConfig/get', legacyTask.extend({ pushNotificationConfigId: text })],
  ['tasks/pushNotificationConfig/list', legacyTask],
  ['tasks/pushNotificationConfig/delete', legacyTask.extend({ pushNotificationConfigId: required })],
  ['agent/getAuthenticatedExtendedCard', z.looseObject({})],
])

export const legacyMethods: readonly string[] = [...legacySchemas.keys()]

/** Refuses parameters of a method of 0.3 that are not right; the SDK's translation would stumble over some of them. */
export function checkLegacyParams(method: string, params: unknown): void {
  const schema = legacySchemas.get(method)
  if (schema !== undefined) requireParams(method, schema, params)
}

function requireParams(method: string, schema: z.ZodType, params: unknown): void {
  const result = schema.safeParse(params)
  if (result.success) return
  const problems = result.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new BeachError('BAD_REQUEST', `The parameters of ${method} are not right. ${problems.join('; ')}.`)
}
