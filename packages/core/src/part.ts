/** How a part with a slot key joins what already stands in that slot. */
export type MergeStrategy = 'replace' | 'append' | 'deep-merge'

/** What a part is, beside its content; further keys are allowed and kept. */
export interface PartMetadata {
  readonly partType: string
  readonly slotKey?: string
  readonly mergeStrategy?: MergeStrategy
  /** The kind of a domain-data part: chooses its surface template. */
  readonly kind?: string
  readonly [key: string]: unknown
}

/** The unit of what actors and people say, in wire form. */
export interface Part {
  readonly text?: string
  readonly data?: unknown
  readonly metadata: PartMetadata
}

/** A part as an author may write it: the wire form, or the shorthand with `partType` on the part itself. */
export type AuthoredPart =
  | Part
  | {
      readonly partType: string
      readonly text?: string
      readonly data?: unknown
      readonly metadata?: Readonly<Record<string, unknown>>
    }
