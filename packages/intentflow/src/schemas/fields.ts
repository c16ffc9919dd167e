import * as z from 'zod'
import { jsonProblem, recordProblem, flowLimits, forbiddenKeys } from './json-problem.ts'

/** An id of an instance, an event, an action, a flow or a state. */
export const idSchema: z.ZodString = z
  .string()
  .min(1)
  .max(flowLimits.idLength)
  .refine((id) => !forbiddenKeys.has(id), { error: 'This word is not allowed as an id.' })

export const textSchema: z.ZodString = z.string().max(flowLimits.textLength)

/** The place of an event among those of its instance; that of the render is 0. */
export const seqSchema: z.ZodInt = z.int().nonnegative()

/** Milliseconds since 1970. */
export const timeSchema: z.ZodNumber = z.number().nonnegative()

/**
 * An object of JSON values with at most so many bytes. It is looked at as it came: a schema of keys would pass over
 * `__proto__` in silence, where it is to be refused.
 */
export function jsonRecord(maxBytes: number): z.ZodType<Record<string, unknown>, Record<string, unknown>> {
  return checked(z.unknown(), (value) => recordProblem(value, maxBytes)).meta({ type: 'object' }) as z.ZodType<
    Record<string, unknown>,
    Record<string, unknown>
  >
}

/** Any JSON value with at most so many bytes. */
export function jsonValue(maxBytes: number): z.ZodUnknown {
  return checked(z.unknown(), (value) => (value === undefined ? 'is missing' : jsonProblem(value, maxBytes)))
}

/** A schema whose values must also satisfy a rule that says in a sentence what is wrong. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  problemOf: (value: z.output<Schema>) => string | undefined,
): Schema {
  return schema.superRefine((value, context) => {
    const problem = problemOf(value)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
}

/** What every payload of a server carries besides its own fields; always written by us, optional when read. */
export const serverFields = {
  v: z.literal(1).exactOptional().describe('The version of the payloads.'),
  eventId: idSchema.exactOptional().describe('Unique; what has been seen under it need not be looked at again.'),
  at: timeSchema.exactOptional().describe('When it happened, in milliseconds since 1970.'),
  inReplyTo: idSchema.exactOptional().describe('The eventId of the client event that led to it.'),
}

/** As serverFields, for payloads that concern one instance. */
export const instanceFields = {
  ...serverFields,
  instanceId: idSchema,
  seq: seqSchema.exactOptional().describe('0 for the render, one more for each further event of the instance.'),
}

/** What every payload of a client carries; without an eventId nothing can be deduplicated. */
export const clientFields = {
  v: z.literal(1).exactOptional(),
  eventId: idSchema.exactOptional().describe('Chosen by the client, the same when it sends again.'),
  expectedSeq: seqSchema.exactOptional().describe('Refuses the event if the instance has moved on from this seq.'),
  sentAt: timeSchema.exactOptional(),
}

/** A payload in AG-UI's envelope. */
export const envelope = <Name extends string, Value extends z.ZodType>(name: Name, value: Value) =>
  z.object({ type: z.literal('CUSTOM'), name: z.literal(name), value })
