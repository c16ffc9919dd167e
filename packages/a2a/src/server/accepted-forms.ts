import type { Part as A2aPart } from '@a2a-js/sdk'
import type { Originator, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import type { Accepts } from './media-types.ts'
import { dataPart, metadataOf, textPart } from './part-forms.ts'

/** In what forms a caller takes the parts of an answer. */
export interface FormReader {
  readonly to: Pick<Originator, 'catalogs' | 'consumes'>
  readonly partTypes: Pick<PartTypeRegistry, 'get'>
  /** The media types that it takes; all when it is absent. */
  readonly accepts?: Accepts | undefined
}

/** How else the content of a part can be said, where its own form is not taken. */
interface OtherForms {
  readonly words: () => string | undefined
  readonly json?: unknown
  /** True for what must be told: a question, a request, an error. It goes as text if all else is not taken. */
  readonly isNeeded?: boolean
}

/**
 * What a caller gets of a part: its own form where that is taken, else its words as text, else as JSON. What a caller takes
 * in none of these is left out.
 */
export function acceptedForms(
  own: A2aPart[],
  part: Part,
  { words, json, isNeeded }: OtherForms,
  reader: FormReader,
): A2aPart[] {
  const { accepts } = reader
  if (accepts === undefined) return own
  const kept = own.filter((one) => isAccepted(one, reader, accepts))
  if (kept.length > 0 || own.length === 0) return kept
  const text = words() || undefined
  if (takesText(accepts)) return text === undefined ? [] : [textPart(text, metadataOf(part))]
  const data = json ?? (text && { text })
  if (accepts('application/json')) return data === undefined ? [] : [dataPart(data, metadataOf(part))]
  return isNeeded === true && text !== undefined ? [textPart(text, metadataOf(part))] : []
}

export function takesText(accepts: Accepts | undefined): boolean {
  return accepts === undefined || accepts('text/plain')
}

/** A part in words, as its type has them; data of a type that has none, as JSON. */
export function wordsOf(part: Part, { partTypes }: Pick<FormReader, 'partTypes'>): string | undefined {
  const { partType } = part.metadata
  // An instruction to a router, and nothing to be read.
  if (partType === 'setState') return undefined
  const toText = partTypes.get(partType)?.toText
  if (toText !== undefined) return toText(part) ?? part.text
  return part.text ?? JSON.stringify(part.data)
}

function isAccepted({ content, mediaType, metadata }: A2aPart, { to }: FormReader, accepts: Accepts): boolean {
  if (content?.$case === 'text') return takesText(accepts)
  if (content?.$case !== 'data') return accepts(mediaType || 'application/octet-stream')
  if (metadata?.partType !== 'a2ui-surface') return accepts('application/json')
  // Callers of A2UI's extension say so by their catalogs, and peers by their cards.
  if (to.catalogs !== undefined || to.consumes?.includes('a2ui-surface') === true) return true
  return accepts('application/a2ui+json') || accepts('application/json+a2ui')
}
