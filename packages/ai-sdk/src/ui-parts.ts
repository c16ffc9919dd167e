import { defined } from '@cool-ai/beach-core/runtime'
import { artifactName, artifactSchema, citationSchema, progressSchema, type StreamPart } from '@cool-ai/beach-protocol'
import type { UiPart } from './ui-message.ts'

/** A part of a message, and by what it is known when it grows or changes. */
export interface KeyedPart {
  readonly key: string
  readonly part: UiPart
}

const said: ReadonlySet<string> = new Set(['response', 'ack', 'clarify'])

/** A part of the conversation as parts of an AI SDK message; requests and calls of tools are not made here. */
export function uiPartsOf(part: StreamPart): KeyedPart[] {
  const { partId, partType, text, data } = part
  const shown = textPart(part)
  if (shown !== undefined) {
    // What a question offers to choose from is data next to its words.
    return data === undefined ? [shown] : [shown, dataPart(partId, partType, data)]
  }
  switch (partType) {
    case 'artifact':
      return [filePart(part) ?? dataPart(partId, partType, data)]
    case 'citation':
      return [sourcePart(part) ?? dataPart(partId, partType, data)]
    case 'progress': {
      const progress = progressSchema.safeParse(data).data
      // The same operation replaces what was said of it before.
      return [dataPart(progress === undefined ? partId : `progress:${progress.label}`, partType, data)]
    }
    default:
      return [dataPart(partId, partType, data ?? { text })]
  }
}

function textPart({ partId, partType, text, open, metadata }: StreamPart): KeyedPart | undefined {
  if (text === undefined || text === '') return undefined
  const type = said.has(partType) ? 'text' : partType === 'thinking' ? 'reasoning' : undefined
  if (type === undefined) return undefined
  const beach = defined({ partId, partType, origin: metadata.origin })
  const state = open ? 'streaming' : 'done'
  return { key: `${type}:${partId}`, part: { type, text, state, providerMetadata: { beach } } }
}

function filePart({ partId, data }: StreamPart): KeyedPart | undefined {
  const file = artifactSchema.safeParse(data).data
  if (file?.url === undefined) return undefined
  const { url, mimeType: mediaType = 'application/octet-stream', artifactId } = file
  const beach = defined({ partId, artifactId, name: artifactName(file) })
  return { key: partId, part: { type: 'file', url, mediaType, providerMetadata: { beach } } }
}

function sourcePart({ partId: sourceId, data }: StreamPart): KeyedPart | undefined {
  const source = citationSchema.safeParse(data).data
  if (source === undefined) return undefined
  const { url, title } = source
  if (url !== undefined) return { key: sourceId, part: { type: 'source-url', sourceId, url, ...defined({ title }) } }
  const name = title ?? source.artifactId ?? sourceId
  return {
    key: sourceId,
    part: { type: 'source-document', sourceId, mediaType: 'application/octet-stream', title: name },
  }
}

function dataPart(id: string, partType: string, data: unknown): KeyedPart {
  return { key: id, part: { type: `data-${partType}`, id, data } }
}
