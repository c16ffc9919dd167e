import { BeachError, type Part } from '@cool-ai/beach-core'
import * as z from 'zod'

const dateTime = z.iso.datetime({ offset: true })

/** The `data` of an approval-request part: a tool call that waits for a decision. */
export const approvalRequestSchema = z.object({
  approvalId: z.string().min(1).describe('Correlates request and response; unique in the session.'),
  toolName: z.string().min(1),
  toolCallId: z.string().min(1).describe("The model's own identifier of the tool call."),
  args: z.record(z.string(), z.unknown()),
  handler: z.string().describe('The actor that asked for the tool.'),
  turn: z.string(),
  session: z.string(),
  expiresAt: dateTime.exactOptional().describe('The request is denied by itself after this.'),
})

/** A call that waits for an approver. */
export type ApprovalRequest = z.infer<typeof approvalRequestSchema>

/** The `data` of an approval-response part: what was decided. */
export const approvalResponseSchema = z.object({
  approvalId: z.string().min(1),
  decision: z.enum(['granted', 'denied']),
  reason: z.string().exactOptional(),
  decidedBy: z.string().exactOptional().describe('A user, a policy, or an auto-approval rule.'),
  decidedAt: dateTime,
})

/** What a caller sends to decide an approval; by whom and when follows from the call. */
export const approvalAnswerSchema = z.object({
  approvalId: z.string().min(1).max(300),
  decision: z.enum(['granted', 'denied']),
  reason: z.string().max(2_000).exactOptional(),
  args: z.record(z.string(), z.unknown()).exactOptional().describe('Arguments of the call that are to be others.'),
  allow: z
    .strictObject({ upTo: z.number().positive().exactOptional() })
    .exactOptional()
    .describe('The tool is allowed for the rest of the session, up to this sum.'),
})

type ApprovalAnswer = z.infer<typeof approvalAnswerSchema>

/** The decision in the parts of a caller; undefined when there is none, an error when it is malformed or not alone. */
export function approvalAnswerIn(parts: readonly Part[]): ApprovalAnswer | undefined {
  const response = parts.find(({ metadata }) => metadata.partType === 'approval-response')
  if (response === undefined) return undefined
  const answer = parts.length === 1 ? approvalAnswerSchema.safeParse(response.data).data : undefined
  if (answer !== undefined) return answer
  const message =
    'An approval-response must be alone in its message and have `approvalId` and `decision`, granted or denied.'
  throw new BeachError('INVALID_PART', message)
}

/** The decision of an approver. */
export type ApprovalResponse = z.infer<typeof approvalResponseSchema>
