import type { Part as A2aPart } from '@a2a-js/sdk'
import type { LinkOf } from '@cool-ai/beach-channel/live'
import type { Originator, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { artifactSchema, basicCatalogId, readA2uiMessages, type A2uiMessage } from '@cool-ai/beach-protocol'

/** What is needed to write a part for a caller. */
export interface PartReader {
  readonly to: Pick<Originator, 'catalogs'>
  readonly partTypes: PartTypeRegistry
  readonly linkOf?: LinkOf | undefined
  /** The bytes of a file; undefined for one that is not there, or is too large to send. */
  readonly bytesOf?: ((artifactId: string) => Promise<Uint8Array | undefined>) | undefined
  /** True where files go with the message as bytes, as far as they are not too large. */
  readonly hasBytes?: boolean
}

/** A part as A2A has it; one with text and data becomes two. All of its metadata goes along. */
export async function outboundParts(part: Part, reader: PartReader): Promise<A2aPart[]> {
  if (isFile(part)) return [await fileOf(part, reader)]
  return withoutLink(part, reader)
}

/** The same for each of several parts; there is nothing to wait for where none of them needs a link. */
export function allOutboundParts(parts: readonly Part[], reader: PartReader): A2aPart[][] | Promise<A2aPart[][]> {
  if (parts.some(isFile)) return Promise.all(parts.map((part) => outboundParts(part, reader)))
  return parts.map((part) => withoutLink(part, reader))
}

function isFile({ metadata }: Part): boolean {
  return metadata.partType === 'artifact'
}

function withoutLink(part: Part, reader: PartReader): A2aPart[] {
  return wordsFor(part, reader) ?? plainParts(part)
}

/** True for a surface of which this reader gets the text. */
export function isShownInWords(part: Part, reader: PartReader): boolean {
  return wordsFor(part, reader) !== undefined
}

/** A surface as text, for clients that cannot show it. */
function wordsFor(part: Part, { to, partTypes }: PartReader): A2aPart[] | undefined {
  if (part.metadata.partType !== 'a2ui-surface' || to.catalogs === undefined) return undefined
  const known = new Set(to.catalogs.map(catalogName))
  if (catalogsOf(messagesOf(part.data)).every((id) => known.has(catalogName(id)))) return undefined
  const text = partTypes.get(part.metadata.partType)?.toText?.(part)
  return text === undefined ? undefined : [textPart(text, metadataOf(part))]
}

/** A part as A2A has it, where no link has to be made for it. */
export function plainParts(part: Part): A2aPart[] {
  if (part.metadata.partType === 'a2ui-surface') return [surfaceOf(part)]
  const parts: A2aPart[] = []
  if (part.text !== undefined) parts.push(textPart(part.text, metadataOf(part)))
  if (part.data !== undefined) parts.push(dataPart(part.data, metadataOf(part)))
  return parts
}

export function textPart(text: string, metadata: A2aPart['metadata']): A2aPart {
  return { content: { $case: 'text', value: text }, metadata, filename: '', mediaType: '' }
}

function dataPart(data: unknown, metadata: A2aPart['metadata'], mediaType = 'application/json'): A2aPart {
  return { content: { $case: 'data', value: data }, metadata, filename: '', mediaType }
}

/** What is remembered of a message that came by A2A is ours, and goes nowhere. */
function metadataOf({ metadata }: Part): Record<string, unknown> {
  const { a2a: _, ...rest } = metadata
  return rest
}

/** The media type of A2UI's extension was renamed with version 0.9.1. */
function surfaceOf(part: Part): A2aPart {
  const messages = messagesOf(part.data)
  const mediaType = isBefore091(messages) ? 'application/json+a2ui' : 'application/a2ui+json'
  return dataPart(messages, { ...metadataOf(part), mimeType: mediaType }, mediaType)
}

function messagesOf(data: unknown): A2uiMessage[] {
  // What an actor says is checked when it is said; what is in an old log goes out as it is.
  return readA2uiMessages(data) ?? [data as A2uiMessage]
}

function catalogsOf(messages: readonly A2uiMessage[]): string[] {
  return messages.flatMap(({ createSurface }) => {
    const isSurface = typeof createSurface === 'object' && createSurface !== null && 'catalogId' in createSurface
    return isSurface && typeof createSurface.catalogId === 'string' ? createSurface.catalogId : []
  })
}

// A2UI's own catalog has had two names.
const olderCatalogId = 'https://a2ui.org/specification/v0_9/basic_catalog.json'

function catalogName(id: string): string {
  return id === olderCatalogId ? basicCatalogId : id
}

function isBefore091(messages: readonly A2uiMessage[]): boolean {
  return messages.every(({ version }) => /^v?0\.[0-8]$|^v?0\.9(\.0)?$/.test(version))
}

async function fileOf(part: Part, { linkOf, bytesOf, hasBytes = false }: PartReader): Promise<A2aPart> {
  const result = artifactSchema.safeParse(part.data)
  if (!result.success) return dataPart(part.data, metadataOf(part))
  const { artifactId, mimeType, name = '', url } = result.data
  const bytes = hasBytes && url === undefined ? await bytesOf?.(artifactId) : undefined
  if (bytes !== undefined) {
    const content = { $case: 'raw', value: Buffer.from(bytes) } as const
    return { content, metadata: { ...metadataOf(part), artifactId }, filename: name, mediaType: mimeType }
  }
  const link = url ?? (await linkOf?.(artifactId))
  if (link === undefined) return dataPart(part.data, metadataOf(part))
  const metadata = { ...metadataOf(part), artifactId }
  return { content: { $case: 'url', value: link }, metadata, filename: name, mediaType: mimeType }
}
