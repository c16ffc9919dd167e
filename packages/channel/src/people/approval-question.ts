import { createHash } from 'node:crypto'
import { othersPart, type Part, type Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { encodeId } from '@cool-ai/beach-core/runtime'
import { approvalQuestion, type AskedApproval } from '@cool-ai/beach-protocol'

/** Whether the answer to a request asks something, in whatever language. */
export function isQuestion(text: string): boolean {
  return /[?？؟⸮¿]/.test(text)
}

/**
 * The session in which an approver asks about a request: one of their own, since the one that waits for the decision
 * answers nothing until then, and need not be theirs to see.
 */
export function questionSession(approvalId: string, principal: Principal): string {
  const key = JSON.stringify(['question', principal.tenant, principalKey(principal), approvalId])
  return `sess_${encodeId(createHash('sha256').update(key).digest().subarray(0, 16))}`
}

/** What an actor is told of the request that a question is about. */
export function requestContext(asked: AskedApproval): Part {
  const about = 'The sender was asked to approve this, has not decided, and has a question about it.'
  const how = 'They decide by answering the request with yes or no, not here.'
  return othersPart(`${about}\n\n${approvalQuestion(asked)}\n\n${how}`, 'request')
}
