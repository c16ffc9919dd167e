import type { BoundKey, KeyRetention, RecordTimes, RetentionContext } from '@cool-ai/beach-core/ports'

/** What the adapters of work chats keep: a cell of several processes. */
export const chatStatePrefix = 'chat-state:'
/** Messages with buttons, by their platform’s ids. */
export const chatCardPrefix = 'chat-card:'
/** Messages that ask for approvals, by their sessions. */
export const chatAskPrefix = 'chat-ask:'

const dayMs = 24 * 60 * 60 * 1_000

/** When the keys of work chats may be deleted. */
export function chatKeys({ recordsMs }: RecordTimes): readonly KeyRetention[] {
  return [
    { prefix: chatStatePrefix, keepMs: dayMs, isNeeded: async ({ value }, { now }) => isKept(value, now) },
    { prefix: chatCardPrefix, keepMs: recordsMs, isNeeded: isAsked },
    { prefix: chatAskPrefix, keepMs: recordsMs, isNeeded: isAsked },
  ]
}

/** What was deleted, or is over, may go; what has no end stays. */
function isKept(value: string, now: number): boolean {
  const cell = JSON.parse(value) as { readonly value?: unknown; readonly until?: number }
  return cell.value !== undefined && (cell.until === undefined || cell.until > now)
}

/** True while its approval waits. */
async function isAsked({ value }: BoundKey, { activity }: RetentionContext): Promise<boolean> {
  const { session, ask } = JSON.parse(value) as {
    readonly session: string
    readonly ask?: { readonly approvalId: string }
  }
  return ask !== undefined && (await activity(session))?.pendingApprovals.includes(ask.approvalId) === true
}
