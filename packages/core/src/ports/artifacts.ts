import type { Page } from './sessions.ts'

/** The bytes of an artifact, whole or as they come. */
export type ArtifactContent = Uint8Array | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** What the uploader of an artifact says of it. */
export interface ArtifactAbout {
  /** Made safe to save under before it is kept. */
  readonly name: string
  readonly mimeType: string
  readonly tenant: string
  readonly session?: string
}

/** What is known of a stored artifact; its bytes never change. */
export interface Artifact extends ArtifactAbout {
  /** Not to be guessed. */
  readonly artifactId: string
  readonly sizeBytes: number
  /** Of the bytes, in hexadecimal. */
  readonly sha256: string
  readonly createdAt: number
}

/** A piece of an artifact's bytes; `end` is the first byte that is not in it. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** What is known of an artifact, and its bytes. */
export interface StoredArtifact {
  readonly artifact: Artifact
  /** The bytes, read only as fast as the consumer takes them; cancelling the stream lets go of them. */
  open(range?: ByteRange): ReadableStream<Uint8Array>
}

/** Which artifacts to list: all, those of a tenant, or those of one of its sessions. */
export interface ArtifactQuery {
  readonly tenant?: string | undefined
  readonly session?: string | undefined
  /** The `next` of the page before. */
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

/** Where the bytes behind artifact parts live. To a tenant the artifacts of the others do not exist. */
export interface ArtifactStore {
  /** Keeps the content, all of it or nothing. An error of the content itself comes through as it is. */
  put(content: ArtifactContent, about: ArtifactAbout, signal?: AbortSignal): Promise<Artifact>
  get(artifactId: string, tenant: string): Promise<StoredArtifact | undefined>
  /** False when there was nothing to delete. */
  delete(artifactId: string, tenant: string): Promise<boolean>
  /** Artifacts page by page, in an order of the store's own: for operators, not for callers. */
  list(query?: ArtifactQuery): Promise<Page<Artifact>>
  /** Removes what uploads that never ended have left, if they began before a time; the store may do without. */
  discardLeftovers?(before: number): Promise<number>
  /** Writes something, to find out whether it can be written now; rejects with the reason when it cannot. */
  check?(): Promise<void>
  /** Ends its connections; an agent closes the store that it uses. */
  close?(): Promise<void>
}

/** What an artifact's link turned out to be; only one that was really signed here can be `expired`. */
export type ArtifactLink =
  | { readonly status: 'valid'; readonly artifactId: string; readonly tenant: string; readonly expiresAt: number }
  | { readonly status: 'expired' }
  | { readonly status: 'invalid' }
