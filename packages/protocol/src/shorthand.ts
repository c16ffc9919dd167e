import { BeachError, type AuthoredPart, type Part } from '@cool-ai/beach-core'

/** A part in the author's form: `partType` stands on the part, the rest of the metadata under `metadata`. */
export interface ShorthandPart {
  readonly partType: string
  readonly text?: string
  readonly data?: unknown
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** The part in wire form, whichever form its author wrote; keys that belong to neither form are left behind. */
export function toWirePart(authored: AuthoredPart | Partial<ShorthandPart>): Part {
  const { text, data } = authored
  const metadata = wireMetadata(authored)
  if (text === undefined) return data === undefined ? { metadata } : { data, metadata }
  return data === undefined ? { text, metadata } : { text, data, metadata }
}

/** The part in the author's form; `toWirePart` gives the same part back. */
export function toShorthand(part: Part): ShorthandPart {
  const { partType, ...metadata } = part.metadata
  return {
    partType,
    ...(part.text === undefined ? {} : { text: part.text }),
    ...(part.data === undefined ? {} : { data: part.data }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

function wireMetadata(authored: AuthoredPart | Partial<ShorthandPart>): Part['metadata'] {
  const named = 'partType' in authored ? authored.partType : undefined
  const tagged = authored.metadata?.partType
  const partType = named ?? tagged
  if (typeof partType !== 'string' || partType === '') {
    throw new BeachError('INVALID_PART', 'A part needs a partType, on the part itself or in its metadata.')
  }
  if (named !== undefined && tagged !== undefined && named !== tagged) {
    throw new BeachError(
      'INVALID_PART',
      `A part says that its partType is '${named}' and, in its metadata, ${JSON.stringify(tagged)}.`,
    )
  }
  return { ...authored.metadata, partType }
}
