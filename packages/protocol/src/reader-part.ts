import type { Part } from '@cool-ai/beach-core'

/** A part as readers get it: the wire form, with `partType` also on the part itself. */
export interface ReaderPart extends Part {
  readonly partType: string
}

/** The part with its `partType` beside the metadata that holds it. */
export function toReaderPart(part: Part): ReaderPart {
  return { ...part, partType: part.metadata.partType }
}
