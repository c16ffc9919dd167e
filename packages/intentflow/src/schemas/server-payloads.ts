import * as z from 'zod'
import { errorCategories, errorCodeNames } from './flow-error.ts'
import {
  checked,
  idSchema,
  instanceFields,
  jsonRecord,
  jsonValue,
  serverFields,
  seqSchema,
  textSchema,
  timeSchema,
  envelope,
} from './fields.ts'
import { flowLimits } from './json-problem.ts'
import { pathProblem } from './patch-path.ts'
import { actionPayloadSchema } from './action-payload.ts'

export const displayModes = ['inline', 'modal', 'fullscreen', 'sheet'] as const
/** How a flow is shown. */
export type DisplayMode = (typeof displayModes)[number]

export const priorities = ['normal', 'high'] as const
/** How urgent a flow is. */
export type Priority = (typeof priorities)[number]

/** `intentflow.render`: show a flow. */
export const renderPayloadSchema = z.object({
  ...instanceFields,
  intentId: idSchema,
  version: idSchema.exactOptional().describe('The version of the flow that the instance is of.'),
  props: jsonRecord(flowLimits.propsBytes),
  initialState: idSchema.exactOptional().describe('Written only where the flow does not begin in its initial state.'),
  state: idSchema.exactOptional().describe('The state that the instance is in now.'),
  context: jsonRecord(flowLimits.contextBytes).exactOptional(),
  displayMode: z.enum(displayModes),
  priority: z.enum(priorities).exactOptional(),
  parentInstanceId: idSchema.exactOptional(),
  streaming: z.boolean().exactOptional(),
  dismissable: z.boolean().exactOptional().describe('Whether the user can dismiss it; true when left out.'),
  expiresAt: timeSchema.exactOptional(),
})

/** A flow is to be shown. */
export type RenderPayload = z.infer<typeof renderPayloadSchema>

/** What is suggested to come after a flow. */
export const followUpSchema = z.object({
  intentId: idSchema,
  props: jsonRecord(flowLimits.propsBytes).exactOptional(),
})

/** The flow that follows another. */
export type FollowUp = z.infer<typeof followUpSchema>

/** `intentflow.transition`: an instance is in another state. */
export const transitionPayloadSchema = z.object({
  ...instanceFields,
  toState: idSchema,
  context: jsonRecord(flowLimits.contextBytes).exactOptional().describe('Merged with the existing one, key by key.'),
  followUp: followUpSchema.exactOptional(),
})

/** A flow has gone into another state. */
export type TransitionPayload = z.infer<typeof transitionPayloadSchema>

/** One change inside the props. Its path is `items[0].quantity`, or a JSON Pointer. */
export const patchOperationSchema = checked(
  z.object({
    op: z.enum(['set', 'delete', 'append', 'prepend']),
    path: checked(z.string().min(1).max(1_024), pathProblem),
    value: jsonValue(flowLimits.propsBytes).exactOptional(),
  }),
  ({ op, value }) => (op !== 'delete' && value === undefined ? `needs a value to ${op}` : undefined),
)

/** A change of a flow's props. */
export type PatchOperation = z.infer<typeof patchOperationSchema>

/** `intentflow.props_update`: the props have changed; exactly one of `patch` and `operations`. */
export const propsUpdatePayloadSchema = checked(
  z.object({
    ...instanceFields,
    patch: jsonRecord(flowLimits.propsBytes).exactOptional().describe('Merged with the props, key by key.'),
    operations: z.array(patchOperationSchema).min(1).max(flowLimits.operations).exactOptional(),
  }),
  ({ patch, operations }) =>
    (patch === undefined) === (operations === undefined) ? 'needs exactly one of patch and operations' : undefined,
)

/** A flow's props have changed. */
export type PropsUpdatePayload = z.infer<typeof propsUpdatePayloadSchema>

const dismissReasons = ['completed', 'cancelled', 'replaced', 'timeout', 'error'] as const
/** Why a flow has ended. */
export type DismissReason = (typeof dismissReasons)[number]

/** `intentflow.dismiss`: the flow is over. */
export const dismissPayloadSchema = z.object({
  ...instanceFields,
  reason: z.enum(dismissReasons),
  result: jsonRecord(flowLimits.contextBytes).exactOptional(),
})

/** A flow has ended, and why. */
export type DismissPayload = z.infer<typeof dismissPayloadSchema>

/** What the user can do about an error. `retry` sends the event of `inReplyTo` again, under a new eventId. */
const recoverySchema = z.object({
  action: z.enum(['retry', 'modify', 'dismiss', 'navigate']),
  label: textSchema.exactOptional(),
  intentId: idSchema.exactOptional().describe('Where to navigate to.'),
  instanceId: idSchema.exactOptional().describe('Which flow to modify or dismiss.'),
})

/** What a client can do after an error. */
export type Recovery = z.infer<typeof recoverySchema>

/** `intentflow.error`: something about flows went wrong. */
export const errorPayloadSchema = z.object({
  ...serverFields,
  code: z.enum(errorCodeNames),
  message: textSchema.min(1),
  category: z.enum(errorCategories).exactOptional(),
  title: textSchema.exactOptional(),
  instanceId: idSchema.exactOptional(),
  seq: seqSchema.exactOptional(),
  details: jsonRecord(flowLimits.contextBytes).exactOptional(),
  recoverable: z.boolean(),
  retryAfter: z.number().nonnegative().exactOptional().describe('Seconds until it makes sense to try again.'),
  recovery: z.array(recoverySchema).max(10).exactOptional(),
})

/** An error of a flow, and how to recover. */
export type ErrorPayload = z.infer<typeof errorPayloadSchema>

/** What servers send, in AG-UI's envelope. */
export const serverEventSchema = z.discriminatedUnion('name', [
  envelope('intentflow.render', renderPayloadSchema),
  envelope('intentflow.transition', transitionPayloadSchema),
  envelope('intentflow.props_update', propsUpdatePayloadSchema),
  envelope('intentflow.dismiss', dismissPayloadSchema),
  envelope('intentflow.error', errorPayloadSchema),
  envelope('intentflow.action', actionPayloadSchema),
])

/** An event that the server sends. */
export type ServerEvent = z.infer<typeof serverEventSchema>
export type ServerEventName = ServerEvent['name']

/** An event of AG-UI whose meaning is the application's. */
export interface AGUICustomEvent {
  type: 'CUSTOM'
  name: string
  value: unknown
  timestamp?: number
}

/** Any event of IntentFlow; its name says what its value is. */
export interface IntentFlowEvent {
  type: 'CUSTOM'
  name: string
  value: unknown
}
