import type { AuthoredPart } from '@cool-ai/beach-core'
import type { ApprovalAnswer } from '@cool-ai/beach-core/ports'
import { approvalAnswerIn, approvalAnswerSchema, toWirePart } from '@cool-ai/beach-protocol'

/**
 * The `approval-response` part of a payload `{ "approvalId", "decision", "reason" }`, alone or as `data` of such a part;
 * undefined for every other payload. Whose decision it is follows from the hook, whatever the payload says.
 */
export function approvalReply(payload: unknown): readonly AuthoredPart[] | undefined {
  const reply = approvalAnswerSchema.safeParse(payload).data ?? approvalAnswerSchema.safeParse(dataOf(payload)).data
  return reply && [{ partType: 'approval-response', data: reply }]
}

/** The decision in a message; undefined for one that is none. */
export function approvalAnswer(parts: readonly AuthoredPart[]): ApprovalAnswer | undefined {
  return parts.some(isReply) ? approvalAnswerIn(parts.map(toWirePart)) : undefined
}

function dataOf(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('data' in payload)) return undefined
  return isReply(payload) ? payload.data : undefined
}

function isReply(part: object): boolean {
  const own = 'partType' in part ? part.partType : undefined
  const metadata = 'metadata' in part ? part.metadata : undefined
  const inner =
    typeof metadata === 'object' && metadata !== null && 'partType' in metadata ? metadata.partType : undefined
  return (own ?? inner) === 'approval-response'
}
