import * as z from 'zod'
import { actionPayloadSchema } from './action-payload.ts'
import { envelope } from './fields.ts'
import {
  dismissPayloadSchema,
  errorPayloadSchema,
  propsUpdatePayloadSchema,
  renderPayloadSchema,
  transitionPayloadSchema,
} from './server-payloads.ts'

/** What servers send, in AG-UI's envelope. */
export const serverEventSchema = z.discriminatedUnion('name', [
  envelope('intentflow.render', renderPayloadSchema),
  envelope('intentflow.transition', transitionPayloadSchema),
  envelope('intentflow.props_update', propsUpdatePayloadSchema),
  envelope('intentflow.dismiss', dismissPayloadSchema),
  envelope('intentflow.error', errorPayloadSchema),
  envelope('intentflow.action', actionPayloadSchema),
])

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
