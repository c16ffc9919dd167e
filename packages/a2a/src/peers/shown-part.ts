import { plainWords, type CallablePeer } from '@cool-ai/beach-channel/peers'
import type { AuthoredPart, Part } from '@cool-ai/beach-core'
import { progressSchema } from '@cool-ai/beach-protocol'
import { shownArtifact, shownCitation, slotHere } from './shown-reference.ts'

const maxTextLength = 4_000
const maxDataBytes = 64 * 1024
// A question is told once, with its conversation, when the peer waits for the answer.
const words: ReadonlySet<string> = new Set(['ack', 'thinking', 'response', 'error'])

/** What of a peer's part people here are shown while it works; undefined when nothing. `slots` are those of its data. */
export type ShowPart = (part: Part, peer: CallablePeer, slots?: ReadonlySet<string>) => AuthoredPart | undefined

/** The name that people know a peer by. */
export function nameOf({ id, card }: CallablePeer): string {
  return plainWords(card.displayName ?? card.name, 80) || id
}

/**
 * Its words are not our answer, so they come as thoughts with its name; its data comes in a slot of its own, so that it
 * overwrites nothing of ours. Its files and sources come under its name; its own part types come as data of that kind, since
 * what they do here would not be its to say. What acts (states, decisions, requests, surfaces) never comes through.
 */
export const shownPart: ShowPart = (part, peer, slots = new Set()) => {
  const { text, data, metadata } = part
  const { partType, origin, kind, slotKey, mergeStrategy } = metadata
  if (words.has(partType)) {
    const said = text === undefined ? '' : text.trim().slice(0, maxTextLength)
    return said === '' ? undefined : { partType: 'thinking', text: `${nameOf(peer)}: ${said}`, metadata: { origin } }
  }
  if (partType === 'progress') {
    const progress = progressSchema.safeParse(data).data
    if (progress === undefined) return undefined
    const label = `${nameOf(peer)}: ${plainWords(progress.label, 200)}`
    return { partType, data: { ...progress, label }, metadata: { origin } }
  }
  if (data === undefined || data === null) return undefined
  const whose = { id: peer.id, name: nameOf(peer) }
  if (partType === 'artifact') return shownArtifact(part, whose)
  if (partType === 'citation') return shownCitation(part, whose, slots)
  if (isLarge(data)) return undefined
  if (isNamespaced(partType)) {
    const place = { slotKey: slotHere(peer.id, partType), kind: partType }
    return { partType: 'domain-data', data, metadata: { origin, ...place } }
  }
  if (partType !== 'domain-data') return undefined
  const slot = slotHere(peer.id, slotKey)
  const more = { ...(kind !== undefined && { kind }), ...(mergeStrategy !== undefined && { mergeStrategy }) }
  return { partType, data, metadata: { origin, slotKey: slot, ...more } }
}

/** Whether a part type is an application's own, such as `ta.flights`. */
function isNamespaced(partType: string): boolean {
  return /^[a-z][\w-]*\.[\w.-]+$/i.test(partType)
}

function isLarge(data: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(data) ?? '') > maxDataBytes
}
