import type { Principal } from '@cool-ai/beach-core'

/** What is looked for in documents. */
export interface DocumentQuery {
  readonly text: string
  /** How many passages at most. */
  readonly limit: number
  /** Whose session it is: documents of other tenants must not be found. */
  readonly by?: Principal | undefined
}

/** A piece of a document, as it is found and cited. */
export interface Passage {
  /** By which an answer cites it: the same for the same passage. */
  readonly id: string
  readonly text: string
  /** Of its document. */
  readonly title: string
  readonly url?: string | undefined
  /** Its document, when that is an artifact. */
  readonly artifactId?: string | undefined
  /** Where the document is from; the agent's own when left out or empty. */
  readonly origins?: readonly string[] | undefined
  /** When the document was read where it is from. */
  readonly readAt?: number | undefined
}

/** Where documents are searched: the index of `openDocuments`, or an engine of your own. */
export interface DocumentSource {
  /** The best passages first. */
  search(query: DocumentQuery, signal: AbortSignal): Promise<readonly Passage[]>
}
