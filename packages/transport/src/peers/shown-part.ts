import type { AuthoredPart, Part } from '@cool-ai/beach-core'
import { progressSchema } from '@cool-ai/beach-protocol'
import type { CallablePeer } from './peers.ts'
import { plainWords } from './plain-words.ts'

const longestText = 4_000
const mostDataBytes = 64 * 1024
// A question is told once, with its conversation, when the peer waits for the answer.
const words: ReadonlySet<string> = new Set(['ack', 'thinking', 'response', 'error'])

/** What of a peer's part people here are shown while it works; undefined when nothing. */
export type ShowPart = (part: Part, peer: CallablePeer) => AuthoredPart | undefined

/** The name that people know a peer by. */
export function nameOf({ id, card }: CallablePeer): string {
  return plainWords(card.displayName ?? card.name, 80) || id
}

/**
 * Its words are not our answer, so they come as thoughts with its name; its data comes in a slot of its own, so that it
 * overwrites nothing of ours. What acts (states, decisions, requests, surfaces) never comes through.
 */
export const shownPart: ShowPart = ({ text, data, metadata }, peer) => {
  const { partType, origin, kind, slotKey, mergeStrategy } = metadata
  if (words.has(partType)) {
    const said = text === undefined ? '' : text.trim().slice(0, longestText)
    return said === '' ? undefined : { partType: 'thinking', text: `${nameOf(peer)}: ${said}`, metadata: { origin } }
  }
  if (partType === 'progress') {
    const progress = progressSchema.safeParse(data).data
    if (progress === undefined) return undefined
    const label = `${nameOf(peer)}: ${plainWords(progress.label, 200)}`
    return { partType, data: { ...progress, label }, metadata: { origin } }
  }
  if (partType !== 'domain-data' || data === undefined || data === null || isLarge(data)) return undefined
  const slot = slotKey === undefined ? `peers.${peer.id}` : `peers.${peer.id}.${slotKey}`
  const more = { ...(kind !== undefined && { kind }), ...(mergeStrategy !== undefined && { mergeStrategy }) }
  return { partType, data, metadata: { origin, slotKey: slot, ...more } }
}

function isLarge(data: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(data) ?? '') > mostDataBytes
}
