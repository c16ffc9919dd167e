import { visibleLines, visibleText, type Snapshot, type StreamPart } from '@cool-ai/beach-client'
import { fields, isFields, text } from './fields.ts'
import { peerName, peerOf, toolTitle, type PeerNames } from './peers.ts'

export type Decision = 'granted' | 'denied'

/** How an approval ended: `expired` counts as denied, `void` means that the decision is no longer needed. */
type Outcome = Decision | 'expired' | 'void'

/** A call that waits, or has waited, for a decision. Every text in it can be shown to the approver. */
export interface Approval {
  readonly approvalId: string
  readonly turnId: string
  readonly toolName: string
  readonly args: readonly { readonly name: string; readonly value: string }[]
  /** Who wants it: the actor, and the other agent that it speaks for. */
  readonly asker: string
  /** What there is to know besides, line by line. */
  readonly notice?: readonly string[]
  readonly expiresAt?: number
  /** True when only an operator may decide. */
  readonly forOperators: boolean
  /** How it ended; absent while it can be decided. */
  readonly outcome?: Outcome
}

/** The approvals of a conversation, oldest first. Of two parts with the same id the first counts. */
export function approvalsOf(
  { parts, approvals }: Pick<Snapshot, 'parts' | 'approvals'>,
  names: PeerNames = {},
): readonly Approval[] {
  const found = new Map<string, Approval>()
  for (const part of parts) {
    const asked = approvalIn(part, names)
    if (asked === undefined || found.has(asked.approvalId)) continue
    const outcome = approvals.get(asked.approvalId)
    found.set(asked.approvalId, { ...asked, ...(outcome !== undefined && { outcome }) })
  }
  return [...found.values()]
}

/** The approval that a part asks for. */
export function approvalIn(part: StreamPart, names: PeerNames = {}): Approval | undefined {
  const { role, partType, turnId, data, metadata } = part
  if (role !== 'agent' || partType !== 'approval-request' || turnId === undefined) return undefined
  const { approvalId, toolName, args, handler, expiresAt } = fields(data)
  const id = text(approvalId)
  if (id === undefined) return undefined
  const peer = peerOf(part)
  const actor = visibleText(text(handler) ?? 'the agent')
  const expiry = Date.parse(text(expiresAt) ?? '')
  const notice = text(metadata.notice)
  return {
    approvalId: id,
    turnId,
    toolName: visibleText(toolTitle(text(toolName) ?? 'an unnamed tool', names)),
    args: argumentsOf(args),
    asker: peer === undefined ? actor : `${actor}, for ${visibleText(peerName(peer, names))}`,
    ...(!Number.isNaN(expiry) && { expiresAt: expiry }),
    ...(notice !== undefined && { notice: notice.split('\n').map(visibleText) }),
    forOperators: metadata.level === 'admin',
  }
}

function argumentsOf(args: unknown): Approval['args'] {
  if (!isFields(args)) return []
  return Object.entries(args).map(([name, value]) => ({ name: visibleText(name), value: inFull(value) }))
}

const maxLineLength = 60

/** A value in full: the approver must see all of it, invisible characters by their codes. */
function inFull(value: unknown): string {
  if (typeof value === 'string') return visibleLines(value)
  const line = JSON.stringify(value) ?? 'undefined'
  return visibleLines(line.length <= maxLineLength ? line : JSON.stringify(value, null, 2))
}
