import * as z from 'zod'
import { checked, clientFields, envelope, idSchema, jsonRecord, textSchema } from './fields.ts'
import { flowLimits } from './json-problem.ts'

/** `intentflow.event`: the user did something in a flow. */
export const eventPayloadSchema = z.object({
  ...clientFields,
  instanceId: idSchema,
  event: idSchema,
  payload: jsonRecord(flowLimits.contextBytes).exactOptional(),
})

/** A client's event for a flow. */
export type EventPayload = z.infer<typeof eventPayloadSchema>

/** `intentflow.action_response`: what came of an action. What a device says of its user proves nothing. */
export const actionResponsePayloadSchema = z.object({
  ...clientFields,
  instanceId: idSchema.exactOptional(),
  actionId: idSchema,
  success: z.boolean(),
  result: jsonRecord(flowLimits.propsBytes).exactOptional(),
  error: z.object({ code: idSchema, message: textSchema }).exactOptional(),
})

/** What came of an action of a client. */
export type ActionResponsePayload = z.infer<typeof actionResponsePayloadSchema>

const dismissRequestReasons = ['user_cancelled', 'navigation', 'timeout'] as const

/** `intentflow.dismiss_request`: the user wants out of a flow. */
export const dismissRequestPayloadSchema = z.object({
  ...clientFields,
  instanceId: idSchema,
  reason: z.enum(dismissRequestReasons),
})

/** A client asks for a flow to end. */
export type DismissRequestPayload = z.infer<typeof dismissRequestPayloadSchema>

/** `intentflow.invoke`: a flow is asked for by its id, without words. */
export const invokePayloadSchema = z.object({
  ...clientFields,
  intentId: idSchema,
  entities: jsonRecord(flowLimits.contextBytes).exactOptional(),
})

/** A client asks for a flow to begin. */
export type InvokePayload = z.infer<typeof invokePayloadSchema>

/** What clients send, in AG-UI's envelope. */
export const clientEventSchema = z.discriminatedUnion('name', [
  envelope('intentflow.event', eventPayloadSchema),
  envelope('intentflow.action_response', actionResponsePayloadSchema),
  envelope('intentflow.dismiss_request', dismissRequestPayloadSchema),
  envelope('intentflow.invoke', invokePayloadSchema),
])

/** An event that a client sends. */
export type ClientEvent = z.infer<typeof clientEventSchema>

export const clientEventNames = clientEventSchema.options.map(({ shape }) => shape.name.value)

const versionsSchema = few(z.record(idSchema, z.string().max(64)))
const seqsSchema = few(z.record(idSchema, z.int().nonnegative()))

function few<Schema extends z.ZodRecord>(schema: Schema): Schema {
  return checked(schema, (value) =>
    Object.keys(value).length > flowLimits.known ? `may have at most ${flowLimits.known} keys` : undefined,
  )
}

/** All that a client can say of flows in one request: `forwardedProps.intentflow`, and the body of the POST. */
export const intentFlowSaidSchema = z.object({
  v: z.literal(1).exactOptional(),
  events: z.array(clientEventSchema).max(flowLimits.events).exactOptional(),
  invoke: invokePayloadSchema.exactOptional(),
  client: z
    .object({ v: z.number().exactOptional(), flows: versionsSchema.exactOptional() })
    .exactOptional()
    .describe('The versions of the flows that the client can show.'),
  ack: seqsSchema.exactOptional().describe('The last seq that the client has of each instance.'),
  known: z
    .array(z.object({ instanceId: idSchema, seq: z.int().nonnegative() }))
    .max(flowLimits.known)
    .exactOptional()
    .describe('What the client believes to be open; the answer brings what differs.'),
  subscribe: z.boolean().exactOptional(),
  look: z.object({ instanceId: idSchema }).exactOptional(),
  resume: z
    .array(
      z.object({
        interruptId: idSchema,
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().exactOptional(),
      }),
    )
    .max(flowLimits.events)
    .exactOptional(),
})

/** What a client sends to the slice of flows. */
export type IntentFlowSaid = z.infer<typeof intentFlowSaidSchema>
