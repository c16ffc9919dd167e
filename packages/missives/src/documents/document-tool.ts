import { BeachError, type PlainTool, type ToolContext } from '@cool-ai/beach-core'
import type { CitedSource } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { z } from 'zod'
import type { DocumentSource, Passage } from './document-source.ts'

/** What a model is told of the documents. */
export interface DocumentToolOptions {
  /** `search_documents` when left out; an agent with several sources has one tool for each. */
  readonly name?: string | undefined
  /** What is in them, such as: the handbook of the shop, with prices and deadlines. */
  readonly about?: string | undefined
}

const input = z.strictObject({
  text: z.string().min(1).max(500).describe('Words that the answer would have, such as: refund deadline'),
  limit: z.int().min(1).max(10).optional().describe('How many passages; 5 when left out'),
})

const defaultLimit = 5
const maxLength = 4_000
const maxQuote = 280

/**
 * A tool by which an actor searches documents. What it finds has its origins, and is cited by its `source`: the citation
 * part of the answer is filled in from here, so a model cites nothing that was not found.
 */
export function documentTool(
  documents: DocumentSource,
  { name = 'search_documents', about = 'documents that answers are to rest on' }: DocumentToolOptions = {},
): PlainTool {
  return {
    name,
    description: `Searches ${about}. Returns passages, the best first. For each passage that an answer rests on, add a citation part to the same respond(), with { "source": "…" } of that passage as its data. When nothing fits, say so.`,
    inputSchema: z.toJSONSchema(input),
    idempotent: true,
    annotations: { readOnlyHint: true },
    resultOrigin: ({ passages }: Found) => passages.flatMap(({ from = [] }) => from),
    citations: ({ passages }: Found) => Object.fromEntries(passages.map((one) => [one.source, sourceOf(one)])),
    async handler(given: unknown, { session, signal }: ToolContext): Promise<Found> {
      const parsed = input.safeParse(given)
      if (!parsed.success) throw new BeachError('BAD_REQUEST', z.prettifyError(parsed.error))
      const { text, limit = defaultLimit } = parsed.data
      const found = await documents.search({ text, limit, by: session.owner }, signal)
      return { passages: found.slice(0, limit).map(shown) }
    },
  }
}

interface Found {
  readonly passages: readonly ReturnType<typeof shown>[]
}

function shown({ id, text, title, url, artifactId, origins = [], readAt }: Passage) {
  return defined({
    source: id,
    title,
    text: text.slice(0, maxLength).toWellFormed(),
    url,
    artifactId,
    readAt: readAt === undefined ? undefined : new Date(readAt).toISOString(),
    from: origins.length > 0 ? origins : undefined,
  })
}

function sourceOf({ title, url, artifactId, text, readAt }: ReturnType<typeof shown>): CitedSource {
  const quote = text.length > maxQuote ? `${text.slice(0, maxQuote).toWellFormed()}…` : text
  return { title, url, artifactId, quote, retrievedAt: readAt }
}
