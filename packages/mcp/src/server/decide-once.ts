import { requireDecided } from '@cool-ai/beach-channel'
import { BeachError, type Part, type Sessions } from '@cool-ai/beach-core'
import type { ApprovalAnswer, ApprovalOutcome } from '@cool-ai/beach-core/ports'
import type { Conversation } from './conversations.ts'

/**
 * Decides an approval by an `approval-response` part. The same decision again is no other one, so that its caller can ask
 * again what came of it; another one than that which was made is refused.
 */
export async function decideOnce(
  part: Part,
  conversation: Conversation,
  sessions: Sessions,
): Promise<Pick<ApprovalAnswer, 'approvalId'>> {
  const { session, principal, to: from } = conversation
  const taken = await sessions.take(session, { parts: [part], from }, principal)
  if (taken.kind !== 'decided') {
    throw new BeachError('BAD_REQUEST', 'This decides no approval: it must be a part of the type approval-response.')
  }
  const { answer, decided } = taken
  if (decided !== 'already') requireDecided(decided)
  else requireSame(answer, await outcomeOf(answer.approvalId, conversation, sessions))
  return answer
}

function requireSame({ decision }: ApprovalAnswer, outcome: ApprovalOutcome | undefined): void {
  if (outcome === decision) return
  if (outcome === 'expired') requireDecided('expired')
  if (outcome === undefined || outcome === 'void') requireDecided('already')
  const message = `This approval has been ${outcome} already, and that stands. It cannot be ${decision} any more.`
  throw new BeachError('ALREADY_DECIDED', message)
}

/** How an approval of the last turns has ended. */
async function outcomeOf(approvalId: string, { session, to }: Conversation, sessions: Sessions) {
  for await (const frame of sessions.history(session, to)) {
    if (frame.kind === 'decision' && frame.approvalId === approvalId) return frame.outcome
  }
  return undefined
}
