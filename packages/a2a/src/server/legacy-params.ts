import * as z from 'zod'
import { base64, count, flag, id, messageId, object, partsOf, requireParams, text, texts } from './param-types.ts'

const required = z.string('must be a text').min(1, 'is empty')

const part = z.discriminatedUnion(
  'kind',
  [
    z.looseObject({ kind: z.literal('text'), text: z.string('must be a text'), metadata: object }),
    z.looseObject({ kind: z.literal('data'), data: z.looseObject({}, 'must be an object'), metadata: object }),
    z.looseObject({
      kind: z.literal('file'),
      metadata: object,
      file: z
        .looseObject({ uri: text, bytes: base64, mimeType: text, name: text }, 'must be an object')
        .refine(({ uri, bytes }) => (uri === undefined) !== (bytes === undefined), 'needs either uri or bytes'),
    }),
  ],
  { error: 'must have a `kind`: text, file or data' },
)

const message = z.looseObject(
  {
    messageId,
    contextId: id,
    taskId: id,
    role: z.literal('user', 'must be user, since the message comes from the caller'),
    parts: partsOf(part),
    metadata: object,
    extensions: texts,
    referenceTaskIds: texts,
  },
  'must be an object',
)

const pushConfig = z.looseObject(
  {
    id: text,
    url: required,
    token: text,
    authentication: z.looseObject({ schemes: texts, credentials: text }, 'must be an object').nullish(),
  },
  'must be an object',
)

const configuration = z.looseObject(
  {
    acceptedOutputModes: texts,
    historyLength: count,
    blocking: flag,
    pushNotificationConfig: pushConfig.nullish(),
  },
  'must be an object',
)

const sendMessage = z.looseObject({ message, metadata: object, configuration: configuration.nullish() })
const task = z.looseObject({ id: required, historyLength: count, metadata: object })
const taskConfig = task.extend({ pushNotificationConfigId: text })

/** What the parameters of the methods of protocol 0.3 must be. */
const schemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['message/send', sendMessage],
  ['message/stream', sendMessage],
  ['tasks/get', task],
  ['tasks/cancel', task],
  ['tasks/resubscribe', task],
  ['tasks/pushNotificationConfig/set', z.looseObject({ taskId: required, pushNotificationConfig: pushConfig })],
  ['tasks/pushNotificationConfig/get', taskConfig],
  ['tasks/pushNotificationConfig/list', task],
  ['tasks/pushNotificationConfig/delete', task.extend({ pushNotificationConfigId: required })],
  ['agent/getAuthenticatedExtendedCard', z.looseObject({})],
])

export const legacyMethods: readonly string[] = [...schemas.keys()]

/** Refuses parameters of a method of 0.3 that are not right; the SDK's translation would stumble over some of them. */
export function checkLegacyParams(method: string, params: unknown): void {
  const schema = schemas.get(method)
  if (schema !== undefined) requireParams(method, schema, params)
}
