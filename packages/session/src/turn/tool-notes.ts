import type { EventDraft, SessionEvent } from '@cool-ai/beach-core/log'

const prefix = 'tool:'

/** What a tool notes for its next run, as an entry of the log that no listener is shown. */
export function noteDraft(turnId: string, callId: string, value: unknown): EventDraft {
  return { type: 'actorNoted', turnId, kind: `${prefix}${callId}`, payload: { value } }
}

/** The call that noted this; undefined for a note of an actor's own. */
export function notingCall({ kind }: Extract<SessionEvent, { type: 'actorNoted' }>): string | undefined {
  return kind.startsWith(prefix) ? kind.slice(prefix.length) : undefined
}
