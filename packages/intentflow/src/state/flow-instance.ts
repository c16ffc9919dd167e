import * as z from 'zod'
import { idSchema, jsonRecord, seqSchema, timeSchema } from '../schemas/fields.ts'
import { flowLimits } from '../schemas/limits.ts'
import {
  displayModes,
  followUpSchema,
  priorities,
  type DisplayMode,
  type FollowUp,
  type Priority,
} from '../schemas/server-payloads.ts'

/** A flow that is open, as server and client know it: everything that is needed to show it again. */
export interface FlowInstance {
  readonly intentId: string
  /** The version of the flow that it began with, and stays with. */
  readonly version: string
  /** Empty only if a foreign server does not say in which state its flows begin. */
  readonly state: string
  readonly props: Readonly<Record<string, unknown>>
  readonly context: Readonly<Record<string, unknown>>
  readonly displayMode: DisplayMode
  readonly priority: Priority
  readonly dismissable: boolean
  readonly streaming?: true
  readonly parentInstanceId?: string
  /** The place of its last event. */
  readonly seq: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt?: number
  /** What its last transition suggested to come next; null once a later one suggests nothing. */
  readonly followUp?: FollowUp | null
}

/** The open flows of a session, by instance id. */
export type ActiveFlows = Readonly<Record<string, FlowInstance>>

/** An instance as a snapshot has it; other servers leave out what they do not know. */
export const flowInstanceSchema: z.ZodType<FlowInstance> = z.object({
  intentId: idSchema,
  version: z.string().default('1.0.0'),
  state: z.string().max(flowLimits.idLength),
  props: jsonRecord(flowLimits.propsBytes),
  context: jsonRecord(flowLimits.contextBytes).default({}),
  displayMode: z.enum(displayModes).default('inline'),
  priority: z.enum(priorities).default('normal'),
  dismissable: z.boolean().default(true),
  streaming: z.literal(true).exactOptional(),
  parentInstanceId: idSchema.exactOptional(),
  seq: seqSchema.default(0),
  createdAt: timeSchema.default(0),
  updatedAt: timeSchema.default(0),
  expiresAt: timeSchema.exactOptional(),
  followUp: followUpSchema.nullable().exactOptional(),
})

/** `activeFlows` of a state snapshot. */
export const activeFlowsSchema: z.ZodType<ActiveFlows> = z.record(idSchema, flowInstanceSchema)
