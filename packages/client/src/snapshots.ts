import type { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import type { Snapshot } from './conversation.ts'

/** Gives snapshots of a conversation: the same one for as long as nothing has changed. */
export function snapshots(
  stream: EnvelopeStream,
  rest: () => Pick<Snapshot, 'connection' | 'pending'>,
): () => Snapshot {
  let last: Snapshot | undefined
  let streamChanged = true
  stream.on('change', () => (streamChanged = true))
  return () => {
    const { connection, pending } = rest()
    if (last !== undefined && !streamChanged && last.connection === connection && last.pending === pending) return last
    const { parts, turns, approvals, state } = stream
    last = {
      parts: kept(last?.parts, parts),
      turns: kept(last?.turns, turns),
      approvals: last?.approvals.size === approvals.size ? last.approvals : new Map(approvals),
      state,
      connection,
      pending,
    }
    streamChanged = false
    return last
  }
}

function kept<Item>(before: readonly Item[] | undefined, now: readonly Item[]): readonly Item[] {
  if (before === undefined || before.length !== now.length) return now
  return now.every((item, index) => item === before[index]) ? before : now
}
