import { defined } from '@cool-ai/beach-core/runtime'
import { askedApproval, type EditableArgument, type Fact } from '@cool-ai/beach-protocol/approval-words'
import type { StreamDecision, StreamPart } from '@cool-ai/beach-protocol/stream'
import { visibleLines, visibleText } from '@cool-ai/beach-protocol/visible-text'
import type { Snapshot } from '../conversation.ts'
import { peerName, peerOf, toolTitle, type PeerNames } from './peers.ts'

/** What an approver decides. */
export type Decision = 'granted' | 'denied'

/** How an approval ended: `expired` counts as denied, `void` means that the decision is no longer needed. */
type Outcome = Decision | 'expired' | 'void'

interface Pair {
  readonly name: string
  readonly value: string
}

/** A call that waits, or has waited, for a decision. Every text in it can be shown to the approver. */
export interface Approval {
  readonly approvalId: string
  readonly turnId: string
  /** What would be done, as one sentence. */
  readonly title: string
  readonly summary?: string
  readonly details: readonly Pair[]
  readonly args: readonly Pair[]
  readonly risk?: 'low' | 'medium' | 'high'
  /** Who wants it: the actor, and the other agent that it speaks for. */
  readonly asker: string
  /** What there is to know besides, line by line. */
  readonly notice: readonly string[]
  readonly expiresAt?: number
  /** True when only an operator may decide. */
  readonly forOperators: boolean
  /** The arguments that may be changed before approving. */
  readonly editable: readonly EditableArgument[]
  /** Whether it can be allowed for the rest of the conversation, and what it costs. */
  readonly allowForSession: boolean
  readonly amount?: { readonly value: number; readonly currency: string }
  /** How it ended; absent while it can be decided. */
  readonly outcome?: Outcome
  /** By which channel, when, and with what changed; absent while it can be decided. */
  readonly decided?: Pick<StreamDecision, 'via' | 'at' | 'args'>
}

/** The approvals of a conversation, oldest first. Of two parts with the same id the first counts. */
export function approvalsOf(
  { parts, approvals, decisions }: Pick<Snapshot, 'parts' | 'approvals'> & Partial<Pick<Snapshot, 'decisions'>>,
  names: PeerNames = {},
): readonly Approval[] {
  const found = new Map<string, Approval>()
  for (const part of parts) {
    const asked = approvalIn(part, names)
    if (asked === undefined || found.has(asked.approvalId)) continue
    const outcome = approvals.get(asked.approvalId)
    const decided = decisions?.get(asked.approvalId)
    found.set(asked.approvalId, { ...asked, ...defined({ outcome, decided }) })
  }
  return [...found.values()]
}

/** The approval that a part asks for. */
export function approvalIn(part: StreamPart, names: PeerNames = {}): Approval | undefined {
  const { role, turnId } = part
  const asked = role === 'agent' ? askedApproval(part) : undefined
  if (asked === undefined || turnId === undefined) return undefined
  const { request, isAdmin, risk, title, summary, details, notice } = asked
  const peer = peerOf(part)
  const actor = visibleText(request.handler)
  const expiry = Date.parse(request.expiresAt ?? '')
  return {
    approvalId: request.approvalId,
    turnId,
    title: toolTitle(title, names),
    details: details.map(pairOf),
    args: asked.arguments.map(pairOf),
    asker: peer === undefined ? actor : `${actor}, for ${visibleText(peerName(peer, names))}`,
    notice,
    editable: asked.editable,
    allowForSession: asked.allowForSession,
    forOperators: isAdmin,
    ...defined({ summary, risk, expiresAt: Number.isNaN(expiry) ? undefined : expiry, amount: asked.amount }),
  }
}

function pairOf({ label, value, given }: Fact): Pair {
  return { name: label, value: isPlain(given) ? value : inFull(given, value) }
}

function isPlain(given: unknown): boolean {
  return typeof given === 'number' || typeof given === 'boolean' || given === undefined
}

const maxLineLength = 60

/** A value in full: the approver must see all of it, invisible characters by their codes. */
function inFull(given: unknown, line: string): string {
  if (typeof given === 'string') return visibleLines(given)
  return line.length <= maxLineLength ? line : visibleLines(JSON.stringify(given, null, 2))
}
