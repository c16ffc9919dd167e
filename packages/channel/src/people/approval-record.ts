import type { Originator, Part, Principal, Sessions } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { askedApproval, type AskedApproval } from '@cool-ai/beach-protocol/approval-words'
import type { DecisionFrame } from './decided-text.ts'

/** A request for an approval, and how it was closed, as the log of its session has them. */
export interface ApprovalRecord {
  readonly part?: Part
  readonly asked?: AskedApproval
  readonly decision?: DecisionFrame
}

interface ApprovalPlace {
  readonly approvalId: string
  readonly session: string
  readonly tenant: string
  /** The channel that looks it up. */
  readonly transport: string
}

/** Looks up a request; nothing of it is there when its session or its content is gone. */
export async function approvalRecord(
  sessions: Pick<Sessions, 'history'>,
  { approvalId, session, tenant, transport }: ApprovalPlace,
): Promise<ApprovalRecord> {
  const principal: Principal = { kind: 'operator', id: transport, tenant }
  const reader: Originator = { id: `${transport}-asks`, transport: 'sse', deliveryClass: 'streaming', principal }
  let found: Pick<ApprovalRecord, 'part' | 'asked'> = {}
  for await (const frame of sessions.history(session, reader)) {
    if (frame.kind === 'decision' && frame.approvalId === approvalId) return { ...found, decision: frame }
    const asked = frame.kind === 'part' ? askedApproval(frame.part) : undefined
    if (frame.kind === 'part' && asked?.request.approvalId === approvalId) found = { part: frame.part, asked }
  }
  return defined(found)
}
