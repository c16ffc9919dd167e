import { plainWords, type CallablePeer } from '@cool-ai/beach-channel/peers'
import type { AuthoredPart, Part } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { artifactSchema, citationSchema, progressSchema } from '@cool-ai/beach-protocol'
import { digest } from './conversation-id.ts'

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
  const place = { slotKey: slotHere(peer.id, slotKey), kind, mergeStrategy }
  return { partType, data, metadata: defined({ origin, ...place }) }
}

/** Whether a part type is an application's own, such as `ta.flights`. */
function isNamespaced(partType: string): boolean {
  return /^[a-z][\w-]*\.[\w.-]+$/i.test(partType)
}

function isLarge(data: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(data) ?? '') > maxDataBytes
}

const maxLinkLength = 2_000

interface ReferenceOwner {
  readonly id: string
  readonly name: string
}

/** A file of a peer's, by its name and where it can be had. Its bytes stay out: there is nothing here that keeps them. */
function shownArtifact({ data, metadata }: Part, { id, name }: ReferenceOwner): AuthoredPart | undefined {
  const given = artifactSchema.safeParse(withoutOtherLinks(data)).data
  if (given === undefined) return undefined
  const { url, sizeBytes, sha256 } = given
  const file = defined({
    artifactId: foreignArtifact(id, given.artifactId),
    mimeType: plainWords(given.mimeType, 100),
    sizeBytes,
    name: `${name}: ${plainWords(given.name ?? '', 200) || 'a file'}`,
    url,
    sha256: /^[0-9a-f]{64}$/i.test(sha256 ?? '') ? sha256 : undefined,
  })
  return { partType: 'artifact', data: file, metadata: { origin: metadata.origin } }
}

/** A source of a peer's, for what it says in its data, which has other slots here. */
function shownCitation(
  { data, metadata }: Part,
  { id, name }: ReferenceOwner,
  slots: ReadonlySet<string>,
): AuthoredPart | undefined {
  const given = citationSchema.safeParse(withoutOtherLinks(data)).data
  if (given === undefined || given.path.length > maxLinkLength) return undefined
  const { path, title, url, artifactId, quote, retrievedAt } = given
  const source = defined({
    path: pathHere(path, id, slots),
    title: `${name}: ${plainWords(title ?? '', 200) || 'a source'}`,
    url,
    artifactId: artifactId === undefined ? undefined : foreignArtifact(id, artifactId),
    quote: quote === undefined ? undefined : plainWords(quote, 1_000),
    retrievedAt,
  })
  return { partType: 'citation', data: source, metadata: { origin: metadata.origin } }
}

/** The slot of a peer's data here, where it overwrites nothing of ours. */
function slotHere(peer: string, slotKey?: string): string {
  return slotKey === undefined ? `peers.${peer}` : `peers.${peer}.${slotKey}`
}

/** A path into the peer's data, as it leads into ours: its slots are slots of their own here, its other data is in one. */
function pathHere(path: string, peer: string, slots: ReadonlySet<string>): string {
  const [, first = '', ...rest] = path.split('/')
  const slotKey = first.replaceAll('~1', '/').replaceAll('~0', '~')
  if (slots.has(slotKey)) return ['', escaped(slotHere(peer, slotKey)), ...rest].join('/')
  return `/${escaped(slotHere(peer))}${path}`
}

function escaped(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** An id that is none of ours: by ours, links to files are made. */
function foreignArtifact(peer: string, artifactId: string): string {
  return `peers.${peer}.${digest(artifactId)}`
}

/** Without a link that would lead to this server, or nowhere. */
function withoutOtherLinks(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('url' in data)) return data
  const { url, ...rest } = data
  const isFine =
    typeof url === 'string' && url.length <= maxLinkLength && /^https?:\/\//i.test(url) && URL.canParse(url)
  return isFine ? data : rest
}
