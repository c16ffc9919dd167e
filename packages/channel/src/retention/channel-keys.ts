import type { KeyRetention, RecordTimes } from '@cool-ai/beach-core/ports'
import { chatKeys } from './chat-keys.ts'
import { mailKeys } from './mail-keys.ts'
import { gatheredAskKeys } from '../people/ask-digest.ts'
import { openRunPrefix } from '../live/open-run-prefix.ts'
import { parkedPrefix, waitingPrefix } from '../people/inbox-entry.ts'

export { chatAskPrefix, chatCardPrefix, chatStatePrefix } from './chat-keys.ts'

/** Requests of OpenAI's clients, by which they are known when they come again. */
export const askedPrefix = 'openai-asked:'
/** Where conversations of chat completions stand. */
export const tipPrefix = 'openai-tip:'
/** Responses that their callers have deleted. */
export const deletedPrefix = 'openai-deleted:'

const dayMs = 24 * 60 * 60 * 1_000

/** How long a generation of webhooks' dedupe keys lasts; the last two count. */
export const seenGenerationMs = 8 * dayMs
/** What the ids of principals begin with that webhooks stand for. */
export const webhookPrefix = 'webhook:'

/** When the keys of channels may be deleted, also of channels that an agent no longer has. */
export function channelKeys(times: RecordTimes): readonly KeyRetention[] {
  return [
    ...mailKeys(times),
    ...chatKeys(times),
    // Messages that could not be handled, and that no operator has put back.
    { prefix: parkedPrefix, keepMs: times.recordsMs },
    // Messages of a channel that the agent no longer has: every other channel handles its own in minutes.
    { prefix: waitingPrefix, keepMs: times.threadsMs },
    gatheredAskKeys(times),
    // Windows last a day at most; later counts sweep them, where there are any.
    ...['email-caps:', 'phone-caps:'].map((prefix) => ({ prefix, keepMs: 2 * dayMs })),
    // Of hooks that are no longer there: after two generations nothing counts.
    { prefix: webhookPrefix, keepMs: 2 * seenGenerationMs },
    // Runs of AG-UI whose process died; others are gone when they end.
    { prefix: openRunPrefix, keepMs: dayMs },
    { prefix: askedPrefix, keepMs: dayMs },
    { prefix: tipPrefix, keepMs: times.threadsMs },
    { prefix: deletedPrefix, keepMs: times.threadsMs },
    // Short links to long texts are good for a day.
    { prefix: 'text-link:', keepMs: 2 * dayMs },
    // Links to other devices, and the marks of those that were used, are over long before this.
    { prefix: 'device-link', keepMs: dayMs },
  ]
}
