import type { SessionLog } from '@cool-ai/beach-core/log'
import type { PendingApproval } from '@cool-ai/beach-core/ports'
import { askedApproval, type AskedApproval } from '@cool-ai/beach-protocol/approval-words'
import { readTurnEvents } from '../turn/turn-material.ts'
import type { OpenTurn } from '../turn/turn-slice.ts'

/** A request of an open turn, as the log has it. */
export interface FoundRequest extends Pick<PendingApproval, 'approvalId' | 'turnId' | 'part'> {
  readonly partId: string
  readonly asked: AskedApproval
}

/** The part that asks for an approval; undefined when it was erased. */
export async function findRequest(
  log: SessionLog,
  session: string,
  { turnId, messages }: Pick<OpenTurn, 'turnId' | 'messages'>,
  approvalId: string,
): Promise<FoundRequest | undefined> {
  for (const { event } of await readTurnEvents(log, session, turnId, messages[0]?.seq ?? 1)) {
    if (event.type !== 'partReceived' || event.turnId !== turnId || event.payload === undefined) continue
    const { partId, payload } = event
    const { part } = payload
    const asked = askedApproval(part)
    if (asked?.request.approvalId === approvalId) return { approvalId, turnId, partId, part, asked }
  }
  return undefined
}
