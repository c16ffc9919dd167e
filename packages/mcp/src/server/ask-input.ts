import { BeachError, type Part, type PartTypeRegistry, type Runtime } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { parsePart } from '@cool-ai/beach-protocol'
import { z } from 'zod'
import { dataModelKey } from './request-meta.ts'

/** What the conversational tool takes. */
export const askInput = z.object({
  message: z.string().trim().min(1).describe('What you want to say to the agent.'),
  conversationId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The conversation to go on with, as an earlier result named it; leave it out to begin a new one.'),
  action: z
    .object({
      name: z.string(),
      surfaceId: z.string(),
      sourceComponentId: z.string(),
      timestamp: z.string().optional(),
      context: z.record(z.string(), z.unknown()).optional(),
    })
    .optional()
    .describe(
      'For programs that show the surfaces of a result: what the user did on one, as A2UI says it. It is sent in place ' +
        'of the message, which then only describes it.',
    ),
})

const responsePart = z.object({
  data: z
    .record(z.string(), z.unknown())
    .describe('`approvalId`, `decision` and an optional `reason`, `args` and `allow`.'),
  metadata: z.looseObject({ partType: z.literal('approval-response') }),
})

const approvalId = z.string().min(1).max(300).describe('The approval, as the result that asked for it named it.')
const decision = z
  .enum(['granted', 'denied'])
  .describe('What the user decided. Never decide for them: ask, and pass on what they say.')

/** What the tool takes that decides an approval. */
export const resumeInput = z
  .object({
    conversationId: z.string().min(1).max(200).describe('The conversation in which the approval was asked for.'),
    approvalId: approvalId.optional(),
    decision: decision.optional(),
    reason: z.string().max(2_000).optional().describe('Why, in the words of the user.'),
    args: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Arguments that the user wants to be others, of those that the request lets be changed.'),
    allow: z
      .strictObject({ upTo: z.number().positive().exactOptional() })
      .optional()
      .describe('Only where the request offers it, and the user says so: calls of this kind need no further approval.'),
    parts: z
      .array(responsePart)
      .length(1)
      .optional()
      .describe('For programs: the decision as a part of the type approval-response, in place of the fields above.'),
  })
  .refine(({ parts, conversationId: _, ...fields }) => {
    if (parts === undefined) return fields.approvalId !== undefined && fields.decision !== undefined
    return Object.values(fields).every((field) => field === undefined)
  }, 'needs either `approvalId` and `decision`, or `parts` with an approval-response')

/** The decision as a part: who has decided, and when, is not for the caller to say. */
export function decisionPart({ parts, ...fields }: Omit<z.infer<typeof resumeInput>, 'conversationId'>): Part {
  const data = parts?.[0]?.data ?? fields
  const { approvalId: id, decision: made, reason, args, allow } = data
  const answer = defined({ approvalId: id, decision: made, reason, args, allow })
  return { data: answer, metadata: { partType: 'approval-response' } }
}

export const askSchema = jsonSchema(askInput)
export const resumeSchema = jsonSchema(resumeInput)

/** The arguments, or an error that says what is wrong with them. */
export function parsed<Schema extends z.ZodType>(schema: Schema, args: unknown): z.infer<Schema> {
  const result = schema.safeParse(args ?? {})
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`)
  throw new BeachError('BAD_REQUEST', `${problems.join('; ')}.`)
}

function jsonSchema(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  return rest as { type: 'object' } & Record<string, unknown>
}

/** What the user did on a surface, as a part. */
export function actionPart(
  { context = {}, timestamp, ...action }: NonNullable<z.infer<typeof askInput>['action']>,
  meta: Readonly<Record<string, unknown>> | undefined,
  { partTypes, runtime }: { readonly partTypes: PartTypeRegistry; readonly runtime: Runtime },
): Part {
  const at = timestamp ?? new Date(runtime.clock.now()).toISOString()
  const model = meta?.[dataModelKey]
  const data = { version: 'v0.9', action: { ...action, timestamp: at, context } }
  const metadata = { partType: 'a2ui-action', ...defined({ a2uiClientDataModel: model }) }
  return parsePart({ data, metadata }, partTypes)
}
