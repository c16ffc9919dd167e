import { BeachError, type Part } from '@cool-ai/beach-core'
import { z } from 'zod'

const partBody = z
  .strictObject({
    text: z.string().min(1, 'must not be empty').optional(),
    data: z.unknown().optional(),
    metadata: z.looseObject({ partType: z.string().min(1).max(200).optional() }).optional(),
  })
  .refine((part) => (part.text === undefined) !== (part.data === undefined), 'needs either `text` or `data`')

const messageBody = z
  .strictObject({
    text: z.string().trim().min(1, 'must not be empty').optional(),
    parts: z.array(partBody).min(1).max(100).optional(),
  })
  .refine((body) => (body.text === undefined) !== (body.parts === undefined), 'needs either `text` or `parts`')

/** The parts of a posted message. What a person says is of type `message` unless it says otherwise. */
export function parseMessage(body: unknown): Part[] {
  const result = messageBody.safeParse(body ?? {})
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${['body', ...issue.path].join('.')}: ${issue.message}`)
    throw new BeachError('BAD_REQUEST', `This is not a message. ${problems.join('; ')}.`)
  }
  const { text, parts } = result.data
  if (text !== undefined) return [{ text, metadata: { partType: 'message' } }]
  return (parts ?? []).map((part) => ({
    ...(part.text !== undefined && { text: part.text }),
    ...(part.data !== undefined && { data: part.data }),
    metadata: { ...part.metadata, partType: part.metadata?.partType ?? 'message' },
  }))
}
