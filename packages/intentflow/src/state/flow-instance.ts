import * as z from 'zod'
import { idSchema, jsonRecord, seqSchema, timeSchema } from '../schemas/fields.ts'
import { flowLimits } from '../schemas/json-problem.ts'
import { displayModes, followUpSchema, priorities } from '../schemas/server-payloads.ts'

/** An instance as a snapshot has it; other servers leave out what they do not know. */
const flowInstanceSchema = z.object({
  intentId: idSchema,
  version: z.string().default('1.0.0').describe('The version of the flow that it began with, and stays with.'),
  // Empty only if a foreign server does not say in which state its flows begin.
  state: z.string().max(flowLimits.idLength),
  props: jsonRecord(flowLimits.propsBytes),
  context: jsonRecord(flowLimits.contextBytes).default({}),
  displayMode: z.enum(displayModes).default('inline'),
  priority: z.enum(priorities).default('normal'),
  dismissable: z.boolean().default(true),
  streaming: z.literal(true).exactOptional(),
  parentInstanceId: idSchema.exactOptional(),
  seq: seqSchema.default(0).describe('The place of its last event.'),
  createdAt: timeSchema.default(0),
  updatedAt: timeSchema.default(0),
  expiresAt: timeSchema.exactOptional(),
  // What its last transition suggested to come next; null once a later one suggests nothing.
  followUp: followUpSchema.nullable().exactOptional(),
})

/** A flow that is open, as server and client know it: everything that is needed to show it again. */
export type FlowInstance = Readonly<z.infer<typeof flowInstanceSchema>>

/** The open flows of a session, by instance id. */
export type ActiveFlows = Readonly<Record<string, FlowInstance>>

/** `activeFlows` of a state snapshot. */
export const activeFlowsSchema: z.ZodType<ActiveFlows> = z.record(idSchema, flowInstanceSchema)
