import type { Part } from '@cool-ai/beach-core'
import * as z from 'zod'

/** How a part with a slot key joins what already stands in that slot. */
export const mergeStrategySchema = z.enum(['replace', 'append', 'deep-merge'])

const metadataSchema = z.looseObject({
  partType: z.string().min(1).describe('A registered part type.'),
  slotKey: z.string().min(1).exactOptional().describe('The stable identity of the slot that the data belongs to.'),
  mergeStrategy: mergeStrategySchema.exactOptional(),
  kind: z.string().min(1).exactOptional().describe('The kind of a domain-data part; chooses its surface template.'),
})

/** A part in wire form. Whether its type is registered and its content right is for `parsePart`. */
export const partSchema = z
  .object({
    text: z.string().exactOptional(),
    data: z.unknown().exactOptional(),
    metadata: metadataSchema,
  })
  .meta({
    description: 'A part of an envelope: text or data, and metadata that says what it is.',
    anyOf: [{ required: ['text'] }, { required: ['data'] }],
  }) satisfies z.ZodType<Part>

/** A part in either form that an author may write; `toWirePart` makes one of both and wants a type from either place. */
export const authoredPartSchema = z
  .object({
    partType: z.string().min(1).exactOptional(),
    text: z.string().exactOptional(),
    data: z.unknown().exactOptional(),
    metadata: metadataSchema.partial({ partType: true }).exactOptional(),
  })
  .meta({
    description: 'A part as an author may write it: with partType on the part itself or in its metadata.',
    anyOf: [
      { required: ['partType'] },
      { required: ['metadata'], properties: { metadata: { required: ['partType'] } } },
    ],
  })
