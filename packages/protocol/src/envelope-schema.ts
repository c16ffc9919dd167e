import { BeachError, type Envelope, type EnvelopeMeta } from '@cool-ai/beach-core'
import * as z from 'zod'
import { authoredPartSchema, partSchema } from './part-schema.ts'
import { problemsOf } from './problems.ts'
import { toReaderPart, type ReaderPart } from './reader-part.ts'
import { toWirePart } from './parse-part.ts'
import { turnStateOf } from './turn-state.ts'

const metaSchema = z.looseObject({
  sessionId: z.string().min(1),
  turnId: z.string().min(1),
  eventId: z.string().min(1).exactOptional(),
  originatorId: z.string().exactOptional(),
  producedAt: z.iso.datetime({ offset: true }),
  turnState: z.string().exactOptional(),
  conversationState: z.string().exactOptional().describe('The same as turnState, by its other name.'),
  finalizedBy: z.string().exactOptional().describe('How the turn came to its end; absent while it has not.'),
})

/** The schema of an envelope. */
export const envelopeSchema = z
  .object({ role: z.literal('agent'), parts: z.array(partSchema), meta: metaSchema })
  .describe('The answer of an agent: parts, and what is true of all of them.') satisfies z.ZodType<Envelope>

// Others write parts in the author's form, and correlate by an event instead of a turn.
const readSchema = z.object({
  role: z.literal('agent'),
  parts: z.array(authoredPartSchema),
  meta: metaSchema.partial({ turnId: true }),
})

/** An envelope as readers get it: `partType` on the parts too, and the turn state under both of its names. */
export interface ReadEnvelope extends Envelope {
  readonly parts: readonly ReaderPart[]
}

/** Reads a foreign envelope; parts of types that are not registered here are kept as they are. */
export function parseEnvelope(value: unknown): ReadEnvelope {
  const result = readSchema.safeParse(value)
  if (!result.success) throw invalidEnvelope(problemsOf(result.error, 'envelope'))
  const { role, parts, meta } = result.data
  return { role, parts: parts.map((part) => toReaderPart(toWirePart(part))), meta: readMeta(meta) }
}

function readMeta(meta: z.infer<typeof readSchema>['meta']): EnvelopeMeta {
  const turnId = meta.turnId ?? meta.eventId
  if (turnId === undefined) throw invalidEnvelope(['envelope.meta: neither turnId nor eventId is given'])
  const turnState = turnStateOf(meta)
  return { ...meta, turnId, ...(turnState === undefined ? {} : { turnState, conversationState: turnState }) }
}

function invalidEnvelope(problems: readonly string[]): BeachError {
  return new BeachError('INVALID_PART', problems.join('\n'), { details: { problems } })
}
