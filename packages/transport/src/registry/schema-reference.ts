import type { GuardedFetch, RequestGuard } from '@cool-ai/beach-channel/guarded-fetch'
import { cardRefused } from './card-refusal.ts'
import { isJson } from './fetch-card.ts'

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

export interface SchemaSource {
  readonly fetch: GuardedFetch
  readonly guard: RequestGuard
  readonly signal: AbortSignal
}

const maxBytes = 256 * 1024
const maxDepth = 100

/** The address that a schema only refers to; undefined when the schema is there. */
export function schemaAddress({ $ref }: JsonSchema, cardUrl: string | undefined): string | undefined {
  if (typeof $ref !== 'string' || $ref.startsWith('#')) return undefined
  if (!URL.canParse($ref, cardUrl)) throw refusedSchema('The reference to it is not an address.')
  const url = new URL($ref, cardUrl)
  if (url.hash !== '') throw refusedSchema('The reference to it leads into a document; it must be one of its own.')
  return url.href
}

/** The schema at an address, complete in itself: what it refers to elsewhere is not fetched. */
export async function fetchSchema(url: string, { fetch, guard, signal }: SchemaSource): Promise<JsonSchema> {
  const accept = 'application/schema+json, application/json'
  const answer = await fetch(url, { headers: { accept }, signal, guard: { ...guard, limits: { bytes: maxBytes } } })
  if (answer.status !== 200 || !isJson(answer.headers.get('content-type'))) {
    await answer.body?.cancel()
    throw refusedSchema(`${new URL(url).host} answers with no JSON (status ${answer.status}).`)
  }
  return checkedSchema(parse(await answer.text()))
}

/** The schema, when it is one, and complete in itself. */
export function checkedSchema(schema: unknown): JsonSchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw refusedSchema('It is not a JSON object.')
  }
  let level: unknown[] = [schema]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw refusedSchema(`It is more than ${maxDepth} levels deep.`)
    if (level.some(refersElsewhere)) throw refusedSchema('It refers to other documents, which are not fetched.')
    level = level.flatMap((item): unknown[] => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return schema as JsonSchema
}

function refersElsewhere(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const references = ['$ref', '$dynamicRef', '$recursiveRef'].map((name) => (value as JsonSchema)[name])
  return references.some((reference) => typeof reference === 'string' && !reference.startsWith('#'))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refusedSchema('It is not JSON.', error)
  }
}

function refusedSchema(message: string, cause?: unknown): Error {
  return cardRefused('schema', `The schema cannot be used. ${message}`, cause)
}
