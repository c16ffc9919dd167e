import * as z from 'zod'
import { jsonProblem, flowLimits } from './json-problem.ts'
import { checked, idSchema, seqSchema, serverFields, textSchema } from './fields.ts'

/** A link that may be opened or shared: nothing but https, and no credentials in it. */
const httpsUrlSchema = checked(z.string().max(2_048), (url) => {
  if (!URL.canParse(url)) return 'is no URL'
  const { protocol, username, password } = new URL(url)
  if (protocol !== 'https:') return 'must be an https URL'
  return username + password === '' ? undefined : 'must not contain credentials'
})

const reason = textSchema.exactOptional()

/** What each action can be told. Further keys are kept, for clients that know them. */
const configs = {
  biometric_auth: z.looseObject({
    reason: textSchema.min(1).describe('Shown to the user.'),
    fallback: z.enum(['passcode', 'none']).exactOptional(),
  }),
  camera_capture: z.looseObject({
    reason,
    mode: z.enum(['photo', 'video', 'code']).exactOptional(),
    facing: z.enum(['user', 'environment']).exactOptional(),
    maxBytes: z.int().positive().exactOptional(),
  }),
  location_request: z.looseObject({
    reason,
    accuracy: z.enum(['low', 'high']).exactOptional(),
    maxAgeMs: z.int().nonnegative().exactOptional(),
  }),
  share: checked(
    z.looseObject({
      title: textSchema.exactOptional(),
      text: textSchema.exactOptional(),
      url: httpsUrlSchema.exactOptional(),
    }),
    ({ title, text, url }) => ((title ?? text ?? url) === undefined ? 'needs a title, a text or a url' : undefined),
  ),
  open_url: z.looseObject({ url: httpsUrlSchema, label: textSchema.exactOptional() }),
  copy_to_clipboard: z.looseObject({ text: z.string().max(16_384), label: textSchema.exactOptional() }),
  haptic_feedback: z.looseObject({
    style: z.enum(['light', 'medium', 'heavy', 'success', 'warning', 'error']).exactOptional(),
  }),
  notification: z.looseObject({
    title: textSchema.min(1),
    body: textSchema.exactOptional(),
    tag: idSchema.exactOptional(),
    url: httpsUrlSchema.exactOptional(),
  }),
}

/** What a client can be asked to do with its device. */
export type ActionType = keyof typeof configs

export const actionTypes = Object.keys(configs) as [ActionType, ...ActionType[]]

const common = {
  instanceId: idSchema.exactOptional(),
  responseRequired: z.boolean(),
  timeoutMs: z.int().positive().exactOptional().describe('How long an answer is waited for.'),
}

const written = {
  ...serverFields,
  ...common,
  actionId: idSchema.exactOptional().describe('What the response is to name.'),
  seq: seqSchema.exactOptional(),
}

function actionOf<Type extends ActionType, Config extends z.ZodType>(action: Type, config: Config) {
  const bounded = checked(config, (value) => jsonProblem(value, flowLimits.contextBytes))
  return z.object({ action: z.literal(action), config: bounded, ...written })
}

/** `intentflow.action`: the client is asked for something that its device can do. */
export const actionPayloadSchema = z.discriminatedUnion('action', [
  actionOf('biometric_auth', configs.biometric_auth),
  actionOf('camera_capture', configs.camera_capture),
  actionOf('location_request', configs.location_request),
  actionOf('share', configs.share),
  actionOf('open_url', configs.open_url),
  actionOf('copy_to_clipboard', configs.copy_to_clipboard),
  actionOf('haptic_feedback', configs.haptic_feedback),
  actionOf('notification', configs.notification),
])

/** Asks a client to do something, such as to open an address. */
export type ActionPayload = z.infer<typeof actionPayloadSchema>

/** An action as a handler asks for it; the server adds ids and times. */
export type ActionRequest = {
  [Type in ActionType]: {
    readonly action: Type
    readonly config: z.infer<(typeof configs)[Type]>
    readonly instanceId?: string | undefined
    /** Whether the client must answer; false when left out. */
    readonly responseRequired?: boolean | undefined
    readonly timeoutMs?: number | undefined
    /** The event that the instance gets with the response as its payload, once there is one. */
    readonly event?: string | undefined
  }
}[ActionType]
