import type { KeyRetention } from '@cool-ai/beach-core/ports'

/** How long a generation of what webhooks have taken lasts; the last two count. */
export const seenGenerationMs = 8 * 24 * 60 * 60 * 1_000
export const webhookPrefix = 'webhook:'

/** Of hooks that are no longer there: after two generations nothing counts. */
export const seenDeliveryKeys: KeyRetention = { prefix: webhookPrefix, keepMs: 2 * seenGenerationMs }
