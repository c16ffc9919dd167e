import type { Part } from '@cool-ai/beach-core'
import { peerOf } from '@cool-ai/beach-core/ports'

const words: ReadonlySet<string> = new Set(['ack', 'thinking', 'response', 'clarify', 'error'])

/**
 * True for what a peer says while it has the turn. Listeners to a stream hear it as it comes; an answer that is sent as a
 * whole is the actor's own.
 */
export function isPeerWords(part: Part): boolean {
  return words.has(part.metadata.partType) && peerOf(part) !== undefined
}

/** True for a surface that a peer has made. */
export function isPeerSurface(part: Part): boolean {
  return part.metadata.partType === 'a2ui-surface' && peerOf(part) !== undefined
}
