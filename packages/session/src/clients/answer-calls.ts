import type { Originator, Principal } from '@cool-ai/beach-core'
import { sliceState, type EventDraft, type SessionState } from '@cool-ai/beach-core/log'
import type { ClientAnswered, ClientResult } from '@cool-ai/beach-core/ports'
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
    drafts.push({ type: 'toolFinished', turnId, callId, outcome, client, payload: { value, by, hash } })
    return 'taken'
  })
  return { answered, drafts }
}

/** The calls whose clients did not answer in time: they have failed. */
export function expiredCalls(state: SessionState, now: number): EventDraft[] {
  const { turn } = sliceState(turnSlice, state)
  if (turn === undefined) return []
  return pendingCalls(turn)
    .filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
    .map(({ callId, client = '' }): EventDraft => {
      const payload = { value: 'The client has not run it in time.' }
      return { type: 'toolFinished', turnId: turn.turnId, callId, outcome: 'failed', client, payload }
    })
}

/** By what the result of a call is known when it comes again; empty for one that came otherwise. */
function resultOf({ outcome, resultHash = '' }: ToolEntry): string | undefined {
  return outcome === undefined ? undefined : resultHash
}
