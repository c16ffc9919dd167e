import { BeachError, type Part } from '@cool-ai/beach-core'
import { isPlainObject } from './plain-value.ts'

/** One A2UI message: a version and one of createSurface, updateDataModel, updateComponents, deleteSurface. */
export type A2uiMessage = { readonly version: string } & Readonly<Record<string, unknown>>

/** The id of A2UI's Basic Catalog. */
export const basicCatalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'

const defaultVersion = 'v0.9'

// The order in which a combined object is taken apart: data stands before the components that show it.
const messageKinds = ['createSurface', 'updateDataModel', 'updateComponents', 'deleteSurface'] as const

/** The messages in the data of an a2ui-surface part: one, a list, `{ messages }`, or several combined in one object. */
export function a2uiMessages(data: unknown): A2uiMessage[] {
  if (Array.isArray(data)) return data.flatMap((item) => a2uiMessages(item))
  if (!isPlainObject(data)) throw notMessages('is neither an object nor a list')
  if (Array.isArray(data.messages)) return a2uiMessages(data.messages)
  const kinds = kindsIn(data)
  if (kinds.length === 0) throw notMessages(`has none of ${messageKinds.join(', ')}`)
  const version = typeof data.version === 'string' ? data.version : defaultVersion
  return kinds.map((kind) => ({ version, [kind]: data[kind] }))
}

/** The messages in the data of a surface; undefined when they cannot be read. */
export function readA2uiMessages(data: unknown): A2uiMessage[] | undefined {
  try {
    return a2uiMessages(data)
  } catch {
    return undefined
  }
}

/** A surface as it goes on the wire, as a list of single messages, in whichever form its author wrote it; other parts as they are. */
export function inSingleMessages(part: Part): Part {
  if (part.metadata.partType !== 'a2ui-surface' || isListOfSingles(part.data)) return part
  const data = readA2uiMessages(part.data)
  // What cannot be read is for the type's own rules.
  return data === undefined ? part : { ...part, data }
}

function isListOfSingles(data: unknown): boolean {
  return Array.isArray(data) && data.every((item) => isPlainObject(item) && kindsIn(item).length === 1)
}

function kindsIn(data: Readonly<Record<string, unknown>>) {
  return messageKinds.filter((kind) => Object.hasOwn(data, kind))
}

/** The surfaces that messages speak of, each once. */
export function surfaceIds(messages: readonly A2uiMessage[]): string[] {
  const ids = messages.flatMap((message) => messageKinds.map((kind) => surfaceIdOf(message[kind])))
  return [...new Set(ids.filter((id) => id !== undefined))]
}

function surfaceIdOf(body: unknown): string | undefined {
  return isPlainObject(body) && typeof body.surfaceId === 'string' ? body.surfaceId : undefined
}

function notMessages(problem: string): BeachError {
  return new BeachError('INVALID_PART', `The data of an A2UI surface ${problem}.`)
}
