import { plainWords, type CallablePeer } from '@cool-ai/beach-channel/peers'
import { partTypeRegistry, type AuthoredPart, type Part } from '@cool-ai/beach-core'
import type { PartOrigin } from '@cool-ai/beach-core/ports'
import type { PartTypeEntry } from '@cool-ai/beach-core/registries'
import { defined } from '@cool-ai/beach-core/runtime'
import { artifactSchema, citationSchema, progressSchema } from '@cool-ai/beach-protocol'
import { digest } from './conversation-id.ts'

const maxTextLength = 64 * 1024
const maxDataBytes = 64 * 1024
// A question is told once, with its conversation, when the peer waits for the answer.
const words: ReadonlySet<string> = new Set(['ack', 'thinking', 'response', 'error'])

/** What is asked of a registry of part types. */
export interface PartTypeLookup {
  get(partType: string): PartTypeEntry | undefined
}

/**
 * What of a peer's part people here are shown while it works; undefined when nothing. `slots` are those of its data,
 * `partTypes` those that are known here.
 */
export type ShowPart = (
  part: Part,
  peer: CallablePeer,
  slots?: ReadonlySet<string>,
  partTypes?: PartTypeLookup,
) => AuthoredPart | undefined

/** The name that people know a peer by. */
export function nameOf({ id, card }: CallablePeer): string {
  return plainWords(card.displayName ?? card.name, 80) || id
}

/**
 * A peer's part as it is passed on: of the same type, with the peer named in its metadata. Its data is in slots of its
 * own, so that it overwrites nothing of ours. Its surfaces get ids of their own before they are shown, and what it
 * proposes for the state is for the router to accept or refuse. Decisions and requests never come through, nor what is
 * said to models alone.
 */
export const shownPart: ShowPart = (part, peer, slots = new Set(), partTypes = partTypeRegistry) => {
  const { text, data, metadata } = part
  const { partType } = metadata
  const whose: PartOwner = { id: peer.id, name: nameOf(peer), origin: originOf(part, peer) }
  const { origin } = whose
  if (words.has(partType)) return shownWords(partType, text, origin)
  switch (partType) {
    case 'progress': {
      const progress = progressSchema.safeParse(data).data
      if (progress === undefined) return undefined
      const label = `${whose.name}: ${plainWords(progress.label, 200)}`
      return { partType, data: { ...progress, label }, metadata: { origin } }
    }
    case 'artifact':
      return shownArtifact(part, whose)
    case 'citation':
      return shownCitation(part, whose, slots)
    case 'domain-data':
      return shownData(part, whose)
    case 'a2ui-surface':
      return shownSurface(part, whose)
    case 'setState':
      return data === undefined || isLarge(data) ? undefined : { partType, data, metadata: { origin } }
    default:
      return shownOther(part, whose, partTypes.get(partType))
  }
}

function originOf({ metadata }: Part, peer: CallablePeer): PartOrigin {
  return { ...(metadata.origin as PartOrigin | undefined), peer: peer.id, name: nameOf(peer) }
}

function shownWords(partType: string, text = '', origin: PartOrigin): AuthoredPart | undefined {
  const said = text.slice(0, maxTextLength)
  return said.trim() === '' ? undefined : { partType, text: said, metadata: { origin } }
}

function shownData({ data, metadata }: Part, { id, origin }: PartOwner): AuthoredPart | undefined {
  if (data === undefined || data === null || isLarge(data)) return undefined
  const { kind, slotKey, mergeStrategy } = metadata
  const place = { slotKey: slotHere(id, slotKey), kind, mergeStrategy }
  return { partType: 'domain-data', data, metadata: defined({ origin, ...place }) }
}

/** A surface or, where the peer gives it in words because its catalog is not known here, what it says. */
function shownSurface({ text, data, metadata }: Part, { id, origin }: PartOwner): AuthoredPart | undefined {
  if (data === undefined && text !== undefined) return shownWords('response', text, origin)
  if (typeof data !== 'object' || data === null || isLarge(data)) return undefined
  const { slotKey } = metadata
  const slot = slotKey === undefined ? undefined : slotHere(id, slotKey)
  return { partType: 'a2ui-surface', data, metadata: defined({ origin, slotKey: slot }) }
}

/**
 * A part of a type that is not one of the protocol's. It stays what it is, whether the application here knows the type or
 * only the peer does. A type that only tools and slices may say here comes as data of that kind: what it does would not
 * be the peer's to say.
 */
function shownOther(part: Part, whose: PartOwner, entry: PartTypeEntry | undefined): AuthoredPart | undefined {
  const { text, data, metadata } = part
  const { partType, kind, slotKey, mergeStrategy } = metadata
  if (entry?.isCanonical === true || partType === 'message' || isLarge([text, data])) return undefined
  if (entry?.saidBy === 'tools' || entry?.deliveryRules.streaming === 'inbound-only') {
    return shownData({ data, metadata: { partType, kind: partType, slotKey: partType } }, whose)
  }
  const slot = slotKey === undefined ? undefined : slotHere(whose.id, slotKey)
  const { origin } = whose
  return defined({ partType, text, data, metadata: defined({ origin, kind, slotKey: slot, mergeStrategy }) })
}

function isLarge(data: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(data) ?? '') > maxDataBytes
}

const maxLinkLength = 2_000

interface PartOwner {
  readonly id: string
  readonly name: string
  readonly origin: PartOrigin
}

/** A file of a peer's, by its name and where it can be had. Its bytes stay out: there is nothing here that keeps them. */
function shownArtifact({ data }: Part, { id, name, origin }: PartOwner): AuthoredPart | undefined {
  const given = artifactSchema.safeParse(withoutOtherLinks(data)).data
  if (given === undefined) return undefined
  const { url, artifactId, mimeType, sizeBytes, sha256 } = given
  const file = defined({
    artifactId: artifactId && foreignArtifact(id, artifactId),
    mimeType: mimeType && plainWords(mimeType, 100),
    sizeBytes,
    name: `${name}: ${plainWords(given.name ?? '', 200) || 'a file'}`,
    url,
    sha256: /^[0-9a-f]{64}$/i.test(sha256 ?? '') ? sha256 : undefined,
  })
  return { partType: 'artifact', data: file, metadata: { origin } }
}

/** A source of a peer's, for what it says in its data, which has other slots here. */
function shownCitation(
  { data }: Part,
  { id, name, origin }: PartOwner,
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
  return { partType: 'citation', data: source, metadata: { origin } }
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
