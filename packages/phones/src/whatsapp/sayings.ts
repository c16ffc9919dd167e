import {
  type AskPut,
  type Block,
  type FileReader,
  type FileSource,
  findFile,
  namedFile,
  oneLine,
  shortened,
} from '@cool-ai/beach-channel/people'
import type { StoredArtifact } from '@cool-ai/beach-core/ports'
import type { ArtifactReference } from '@cool-ai/beach-protocol'
import { askOf } from '../people/phone-sender.ts'
import { askContents, choiceContents, listContents, textContents, type AskBlock, type Content } from './contents.ts'
import { mediaContent, mediaKindOf } from './media.ts'
import { whatsAppLimits } from './options.ts'

/**
 * Uploads a file to WhatsApp: its id there, `refused` when WhatsApp does not accept it, or why it cannot be done now.
 */
export type Upload<Stop> = (stored: StoredArtifact) => Promise<{ readonly id: string } | 'refused' | Stop>

/** The messages for a block: contents, or a file whose content is made when it is its turn. */
export type BlockSaying = { readonly content: Content; readonly ask?: AskBlock } | { readonly file: ArtifactReference }

/** A block as messages. */
export function sayingsOf(block: Block): BlockSaying[] {
  switch (block.kind) {
    case 'text':
      return textContents(block.text).map((content) => ({ content }))
    case 'list':
      return listContents(block).map((content) => ({ content }))
    case 'choice':
      return choiceContents(block).map((content) => ({ content }))
    case 'ask':
      return askContents(block).map((content) => ({ content, ask: block }))
    case 'file':
      return [{ file: block.file }]
  }
}

/** A file as such where WhatsApp takes it, otherwise by a link, otherwise by its name. */
export async function fileContent<Stop extends { readonly stop: unknown }>(
  file: ArtifactReference,
  reader: FileReader,
  source: FileSource,
  upload: Upload<Stop>,
): Promise<Content | Stop> {
  const stored = await findFile(source.artifacts, file.artifactId, reader)
  const kind = stored && mediaKindOf(stored)
  if (stored !== undefined && kind !== undefined) {
    const uploaded = await upload(stored)
    if (uploaded !== 'refused') return 'id' in uploaded ? mediaContent(kind, uploaded.id, file) : uploaded
  }
  const body = shortened(await linkedFile(file, reader, source), whatsAppLimits.text)
  return { type: 'text', text: { body, preview_url: false } }
}

/** A file by its name, with a link to it where there is one. */
export function linkedFile(file: ArtifactReference, reader: FileReader, source: FileSource) {
  return namedFile(source, file, oneLine(file.name ?? 'File').slice(0, 500), reader)
}

export function askOfBlock({ asked }: AskBlock, reader: FileReader): AskPut {
  const { expiresAt } = asked.request
  return askOf(asked, reader, expiresAt === undefined ? undefined : Date.parse(expiresAt))
}
