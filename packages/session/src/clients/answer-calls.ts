import type { Originator, Principal } from '@cool-ai/beach-core'
import { sliceState, type EventDraft, type SessionState } from '@cool-ai/beach-core/log'
import { originName, type ClientAnswered, type ClientResult } from '@cool-ai/beach-core/ports'
import { contentHash } from '@cool-ai/beach-core/runtime'
import { pendingCalls, turnSlice, type ToolEntry } from '../turn/turn-slice.ts'

/** What the results of clients come to, and the events that put those on record that count. */
export function answerDrafts(
  state: SessionState,
  results: readonly ClientResult[],
  { id: client }: Originator,
  { by, now }: { readonly by: Principal; readonly now: number },
): { readonly answered: readonly ClientAnswered[]; readonly drafts: EventDraft[] } {
  const drafts: EventDraft[] = []
  const taken = new Map<string, string>()
  const answered = results.map(({ callId, outcome, value }): ClientAnswered => {
    const hash = contentHash([outcome, value])
    const { turn, recent } = sliceState(turnSlice, state)
    const call = turn?.tools.find((tool) => tool.callId === callId)
    if (turn === undefined || call === undefined) {
      return recent.some(({ turnId }) => callId.startsWith(`${turnId}.`) && turnId !== turn?.turnId)
        ? 'over'
        : 'notFound'
    }
    if (call.client !== client) return 'notFound'
    const before = taken.get(callId) ?? resultOf(call)
    if (before !== undefined) return before === hash ? 'taken' : 'already'
    if (turn.cancelled) return 'over'
    if (call.expiresAt !== undefined && call.expiresAt <= now) return 'expired'
    taken.set(callId, hash)
    const { turnId } = turn
    const origins = [originName(`client-tool:${call.name}`)]
    drafts.push({ type: 'toolFinished', turnId, callId, outcome, client, origins, payload: { value, by, hash } })
    return 'taken'
  })
  return { answered, drafts }
}

/** The calls whose clients did not answer in time: they have failed. */
export function expiredCalls(state: SessionState, now: number): EventDraft[] {
  const isLate = ({ expiresAt }: ToolEntry) => expiresAt !== undefined && expiresAt <= now
  return failedCalls(state, isLate, 'The client has not run it in time.')
}

/** The calls of clients that are no longer in the session: no result can come for them. */
export function leftCalls(state: SessionState, originatorIds: ReadonlySet<string>): EventDraft[] {
  const hasLeft = ({ client }: ToolEntry) => client !== undefined && originatorIds.has(client)
  return failedCalls(state, hasLeft, 'The client has left the conversation.')
}

function failedCalls(state: SessionState, isFailed: (call: ToolEntry) => boolean, value: string): EventDraft[] {
  const { turn } = sliceState(turnSlice, state)
  if (turn === undefined) return []
  const { turnId } = turn
  return pendingCalls(turn)
    .filter(isFailed)
    .map(({ callId, client = '' }): EventDraft => {
      return { type: 'toolFinished', turnId, callId, outcome: 'failed', client, payload: { value } }
    })
}

/** By what the result of a call is known when it comes again; empty for one that came otherwise. */
function resultOf({ outcome, resultHash = '' }: ToolEntry): string | undefined {
  return outcome === undefined ? undefined : resultHash
}
