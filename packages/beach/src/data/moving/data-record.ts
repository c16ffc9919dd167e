import type { Artifact } from '@cool-ai/beach-core'
import type { IdentityRecord } from '@cool-ai/beach-missives/moving'
import type { SeqsOf, SessionRecord } from '@cool-ai/beach-session/moving'

/** The first line of an export. */
export interface ExportHeader {
  readonly kind: 'export'
  readonly version: 1
  readonly id: string
  readonly at: number
  readonly seqs: SeqsOf
}

/** What the stores of sessions and identities hold. */
export type StoredRecord = SessionRecord | IdentityRecord

/** One line of an export. The bytes of an artifact follow it. */
export type DataRecord =
  | ExportHeader
  | StoredRecord
  | { readonly kind: 'artifact'; readonly artifact: Artifact }
  | { readonly kind: 'bytes'; readonly base64: string }
  | { readonly kind: 'end'; readonly counts: Readonly<Record<string, number>> }

/** The key under which a store notes how far an import has come. It does not move on. */
export const importKey = 'beach-import'
