import { BeachError, type Part } from '@cool-ai/beach-core'
import { peerOrigin, type PartOrigin } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { plainWords } from './plain-words.ts'

/** A part as a peer gives it, in the form of A2A. */
export interface GivenPart {
  readonly content?:
    | { readonly $case: 'text' | 'url'; readonly value: string }
    | { readonly $case: 'raw'; readonly value: Uint8Array }
    | { readonly $case: 'data'; readonly value: unknown }
    | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly filename: string
  readonly mediaType: string
}

/** The default type of a part. */
export interface PartDefaults {
  readonly id: string
  readonly text: string
  readonly origin: PartOrigin
  readonly depth: number
  /** Metadata of the whole artifact. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

const typeName = /^[A-Za-z][\w.-]{0,99}$/

/** A foreign part in our form, whatever its type; undefined when it has no content. */
export function fromPeerPart(given: GivenPart, defaults: PartDefaults): Part | undefined {
  const { content } = given
  switch (content?.$case) {
    case 'text':
      return { text: content.value, metadata: metadataOf(given, defaults, defaults.text) }
    case 'data':
      return { data: checked(content.value, defaults.depth), metadata: metadataOf(given, defaults, dataTypeOf(given)) }
    case 'url':
    case 'raw':
      return { data: fileOf(given, defaults.id), metadata: metadataOf(given, defaults, 'artifact') }
    case undefined:
      return undefined
  }
}

/** A part that names no type of ours may be a surface by the media type of A2UI's own extension. */
function dataTypeOf({ metadata, mediaType }: GivenPart): string {
  const type = metadata?.mimeType ?? mediaType
  return type === 'application/json+a2ui' || type === 'application/a2ui+json' ? 'a2ui-surface' : 'domain-data'
}

function metadataOf(given: GivenPart, defaults: PartDefaults, otherwise: string): Part['metadata'] {
  const said = { ...defaults.metadata, ...given.metadata }
  checked(said, defaults.depth)
  const { partType } = said
  const known = typeof partType === 'string' && typeName.test(partType) ? partType : otherwise
  const { actor } = said
  const name = typeof actor === 'string' ? plainWords(actor, 40) || undefined : undefined
  return { ...said, partType: known, origin: { ...defaults.origin, ...defined({ actor: name, from: sourceIn(said) }) } }
}

/** The agent that the peer has a part from, where the peer passes another agent's part on. */
function sourceIn(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const origin = peerOrigin({ metadata: { ...metadata, partType: '' } })
  return origin === undefined ? undefined : plainWords(typeof origin.name === 'string' ? origin.name : origin.peer, 80)
}

/** A file, or a link to one, in the form of an artifact; its bytes are kept next to it. */
function fileOf({ content, mediaType, filename }: GivenPart, id: string): Record<string, unknown> {
  const file = defined({
    artifactId: id,
    mimeType: mediaType || 'application/octet-stream',
    name: filename || undefined,
  })
  if (content?.$case === 'raw') {
    return { ...file, sizeBytes: content.value.length, bytes: Buffer.from(content.value).toString('base64') }
  }
  const url = content?.$case === 'url' && /^https?:\/\//i.test(content.value) ? { url: content.value } : undefined
  return url === undefined ? { ...file, sizeBytes: 0 } : { ...file, ...url }
}

/** Bounds the depth, without recursion: a peer chose it. */
function checked(root: unknown, max: number): unknown {
  const rest: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }]
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    const { value, depth } = item
    if (typeof value !== 'object' || value === null) continue
    if (depth > max) throw new BeachError('PEER_PROTOCOL', `The peer's data is nested deeper than ${max} levels.`)
    for (const child of Object.values(value)) rest.push({ value: child, depth: depth + 1 })
  }
  return root
}
