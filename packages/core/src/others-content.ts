import type { Part } from './part.ts'

/**
 * What of a message its sender passes on without having written it. Channels mark such parts; actors get them as data,
 * never as the sender's words.
 */
export type OthersContent =
  | 'quoted'
  | 'forwarded'
  | 'subject'
  | 'signature'
  /** Two forms of one message that do not say the same. */
  | 'disagreeing'
  | 'file-name'
  | 'place'

/** A part with content that its sender passes on. */
export function othersPart(text: string, others: OthersContent): Part {
  return { text, metadata: { partType: 'message', origin: { others } } }
}

/** What a part of others is; undefined for a part that its sender has written. */
export function othersContentOf({ metadata: { origin } }: Part): string | undefined {
  if (typeof origin !== 'object' || origin === null || !('others' in origin)) return undefined
  return typeof origin.others === 'string' ? origin.others : 'unknown'
}
