import * as z from 'zod'
import { actionPayloadSchema } from './action-payload.ts'
import {
  actionResponsePayloadSchema,
  clientEventSchema,
  dismissRequestPayloadSchema,
  eventPayloadSchema,
  intentFlowSaidSchema,
  invokePayloadSchema,
} from './client-payloads.ts'
import {
  serverEventSchema,
  dismissPayloadSchema,
  errorPayloadSchema,
  patchOperationSchema,
  propsUpdatePayloadSchema,
  renderPayloadSchema,
  transitionPayloadSchema,
} from './server-payloads.ts'

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' })
  return rest
}

const schemas = {
  RenderPayload: renderPayloadSchema,
  TransitionPayload: transitionPayloadSchema,
  PropsUpdatePayload: propsUpdatePayloadSchema,
  PatchOperation: patchOperationSchema,
  DismissPayload: dismissPayloadSchema,
  ErrorPayload: errorPayloadSchema,
  ActionPayload: actionPayloadSchema,
  EventPayload: eventPayloadSchema,
  ActionResponsePayload: actionResponsePayloadSchema,
  DismissRequestPayload: dismissRequestPayloadSchema,
  InvokePayload: invokePayloadSchema,
  ClientEvent: clientEventSchema,
  ServerEvent: serverEventSchema,
  IntentFlowSaid: intentFlowSaidSchema,
} as const

type Schemas = Readonly<Record<keyof typeof schemas, JsonSchema>>

/** The JSON Schema of every payload, by the name of its type. */
export const intentFlowJsonSchemas: Schemas = /* @__PURE__ */ titled()

function titled(): Schemas {
  const entries = Object.entries(schemas).map(([title, schema]): [string, JsonSchema] => [
    title,
    { title, ...jsonSchemaOf(schema) },
  ])
  return Object.fromEntries(entries) as Schemas
}
