import type { ToolCall } from '@cool-ai/beach-core'
import type { EventDraft } from '@cool-ai/beach-core/log'
import type { ToolEntry } from '../turn/turn-slice.ts'

/** A call at its place in a turn. */
interface PlacedCall {
  readonly call: ToolCall
  readonly callId: string
  readonly hash: string
  readonly before: ToolEntry | undefined
}

/** How long a call waits for its client, when the client's channel does not say. */
const defaultWaitMs = 60 * 60 * 1_000

/** Puts the calls of clients' tools on record, which is how their clients learn of them. */
export function callDrafts(turnId: string, calls: readonly PlacedCall[], now: number): EventDraft[] {
  return calls.flatMap(({ call: { name, args, client }, callId, hash, before }): EventDraft[] => {
    if (client === undefined || before !== undefined) return []
    const { originatorId, timeoutMs = defaultWaitMs } = client
    const place = { turnId, callId, name, hash, idempotent: false }
    const waits = originatorId === undefined ? undefined : { client: originatorId, expiresAt: now + timeoutMs }
    return [{ type: 'toolStarted', ...place, ...waits, payload: { args } }]
  })
}

/** True for a call that a client has to run, and has not yet. */
export function isWithClient({ call, before }: PlacedCall): boolean {
  if (call.client === undefined || before?.outcome !== undefined) return false
  return before === undefined ? call.client.originatorId !== undefined : before.client !== undefined
}

export function notOffered(name: string): string {
  return `No client of this conversation offers the tool '${name}' now.`
}
