import type { Part as A2aPart } from '@a2a-js/sdk'
import type { LinkOf } from '@cool-ai/beach-channel/live'
import type { AttachFile } from '@cool-ai/beach-channel'
import type { Originator, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  a2uiExtensionUris,
  artifactName,
  artifactSchema,
  decideDelivery,
  knowsCatalogs,
  readA2uiMessages,
  type A2uiMessage,
  type ArtifactReference,
} from '@cool-ai/beach-protocol'
import { acceptedForms, wordsOf, type FormReader } from './accepted-forms.ts'
import { dataPart, metadataOf, textPart } from './part-forms.ts'

/** What is needed to write a part for a caller. */
export interface PartReader extends FormReader {
  readonly to: Pick<Originator, 'transport' | 'deliveryClass' | 'catalogs' | 'consumes'>
  readonly partTypes: PartTypeRegistry
  readonly linkOf?: LinkOf | undefined
  /** Gives the bytes of files that go along; without it files are linked. */
  readonly attach?: AttachFile | undefined
  /** The extensions of A2A that the caller has activated. */
  readonly extensions?: readonly string[] | undefined
}

interface WritingOptions {
  /** True for what the caller must be told, whatever it takes. */
  readonly isNeeded?: boolean | undefined
}

/** A part as A2A has it, in a form that the caller takes; one with text and data becomes two. All of its metadata goes along. */
export async function outboundParts(part: Part, reader: PartReader, options: WritingOptions = {}): Promise<A2aPart[]> {
  return isFile(part) ? fileParts(part, reader, options) : withoutLink(part, reader, options)
}

/** The same for each of several parts; there is nothing to wait for where none of them needs a link. */
export function allOutboundParts(
  parts: readonly Part[],
  reader: PartReader,
  options: WritingOptions = {},
): A2aPart[][] | Promise<A2aPart[][]> {
  return parts.some(isFile) ? oneByOne(parts, reader, options) : parts.map((part) => withoutLink(part, reader, options))
}

/** One after the other: the first files are those whose bytes go along. */
async function oneByOne(parts: readonly Part[], reader: PartReader, options: WritingOptions): Promise<A2aPart[][]> {
  const written: A2aPart[][] = []
  for (const part of parts) written.push(await outboundParts(part, reader, options))
  return written
}

function isFile({ metadata }: Part): boolean {
  return metadata.partType === 'artifact'
}

function withoutLink(part: Part, reader: PartReader, { isNeeded = false }: WritingOptions): A2aPart[] {
  const own = surfaceWords(part, reader) ?? plainParts(part, reader)
  return acceptedForms(own, part, { words: () => wordsOf(part, reader), isNeeded }, reader)
}

/** True for a surface of which this reader gets the text. */
export function isShownInWords(part: Part, reader: PartReader): boolean {
  return !withoutLink(part, reader, {}).some(isSurface)
}

/** A surface as text, for clients that do not know its catalog; nothing of one that has no words, such as new data. */
function surfaceWords(part: Part, { to, partTypes }: PartReader): A2aPart[] | undefined {
  if (part.metadata.partType !== 'a2ui-surface' || knowsCatalogs(part, to)) return undefined
  const text = partTypes.get(part.metadata.partType)?.toText?.(part)
  return text === undefined ? [] : [textPart(text, metadataOf(part))]
}

/** A part as A2A has it, where no link has to be made for it, and every form is taken. */
export function plainParts(part: Part, { extensions }: Pick<PartReader, 'extensions'> = {}): A2aPart[] {
  if (part.metadata.partType === 'a2ui-surface') return [surfaceOf(part, extensions)]
  const parts: A2aPart[] = []
  if (part.text !== undefined) parts.push(textPart(part.text, metadataOf(part)))
  if (part.data !== undefined) parts.push(dataPart(part.data, metadataOf(part)))
  return parts
}

/** The activated extensions that parts are written by. */
export function extensionsOf(written: readonly A2aPart[], { extensions = [] }: PartReader): string[] {
  const surface = written.find(isSurface)
  const spoken = surface && a2uiExtension(messagesOf(surface.content?.value), extensions)
  return spoken === undefined ? [] : [spoken]
}

const [version09, version091] = a2uiExtensionUris

/** The version of A2UI's extension that messages are sent by: their own, if the caller has activated that. */
function a2uiExtension(messages: readonly A2uiMessage[], extensions: readonly string[]): string | undefined {
  const own = isBefore091(messages) ? version09 : version091
  return extensions.includes(own) ? own : a2uiExtensionUris.find((uri) => extensions.includes(uri))
}

// The media type of A2UI's extension was renamed with version 0.9.1.
const earlierSurfaceType = 'application/json+a2ui'
const surfaceType = 'application/a2ui+json'

function isSurface({ mediaType }: A2aPart): boolean {
  return mediaType === surfaceType || mediaType === earlierSurfaceType
}

function surfaceOf(part: Part, extensions: readonly string[] = []): A2aPart {
  const messages = messagesOf(part.data)
  const isEarlier = isBefore091(messages) && a2uiExtension(messages, extensions) !== version091
  const mediaType = isEarlier ? earlierSurfaceType : surfaceType
  return dataPart(messages, { ...metadataOf(part), mimeType: mediaType }, mediaType)
}

function messagesOf(data: unknown): A2uiMessage[] {
  // What an actor says is checked when it is said; what is in an old log goes out as it is.
  return readA2uiMessages(data) ?? [data as A2uiMessage]
}

function isBefore091(messages: readonly A2uiMessage[]): boolean {
  return messages.every(({ version }) => /^v?0\.[0-8]$|^v?0\.9(\.0)?$/.test(version))
}

/**
 * A file: its bytes where they go along, else a link to it. For a caller that does not take its type it is named, with the
 * link.
 */
async function fileParts(part: Part, reader: PartReader, { isNeeded = false }: WritingOptions): Promise<A2aPart[]> {
  const file = artifactSchema.safeParse(part.data).data
  if (file === undefined) return withoutLink(part, reader, { isNeeded })
  const attached = await attachedPart(part, file, reader)
  if (attached !== undefined) return [attached]
  const link = file.url ?? (file.artifactId === undefined ? undefined : await reader.linkOf?.(file.artifactId))
  const words = () => [artifactName(file), link].filter(Boolean).join(': ')
  const forms = { words, json: { ...file, ...defined({ url: link }) }, isNeeded }
  const own = link === undefined ? dataPart(part.data, metadataOf(part)) : linkPart(link, part, file)
  return acceptedForms([own], part, forms, reader)
}

/** The file with its bytes, where files are attached for this caller and this one fits. */
async function attachedPart(part: Part, file: ArtifactReference, reader: PartReader): Promise<A2aPart | undefined> {
  const { attach, accepts, to, partTypes } = reader
  const { artifactId } = file
  if (attach === undefined || artifactId === undefined || decideDelivery(part, to, partTypes) !== 'attach')
    return undefined
  if (accepts?.(file.mimeType ?? 'application/octet-stream') === false) return undefined
  const found = await attach(artifactId)
  if (found === undefined) return undefined
  const { artifact, bytes } = found
  const { name = artifact.name, mimeType = artifact.mimeType } = file
  return {
    content: { $case: 'raw', value: bytes },
    metadata: fileMetadata(part, file),
    filename: name,
    mediaType: mimeType,
  }
}

function linkPart(link: string, part: Part, file: ArtifactReference): A2aPart {
  const { name = '', mimeType = '' } = file
  return {
    content: { $case: 'url', value: link },
    metadata: fileMetadata(part, file),
    filename: name,
    mediaType: mimeType,
  }
}

function fileMetadata(part: Part, { artifactId }: ArtifactReference): Record<string, unknown> {
  return { ...metadataOf(part), ...defined({ artifactId }) }
}
