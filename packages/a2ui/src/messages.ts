import { isPlainObject, own } from './plain.ts'

/** The versions of A2UI that are understood; the first is the one that is written. */
export const a2uiVersions = ['v0.9', 'v0.9.1'] as const

/** The versions of A2UI that are understood. */
export type A2uiVersion = (typeof a2uiVersions)[number]

/** The id of A2UI's Basic Catalog. */
export const basicCatalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'

const earlierBasicCatalogId = 'https://a2ui.org/specification/v0_9/basic_catalog.json'

/** Both ids of the Basic Catalog: it was renamed. */
export const basicCatalogIds: readonly string[] = [basicCatalogId, earlierBasicCatalogId]

/** What a surface looks like as a whole. */
export interface Theme {
  /** Such as `#00BFFF`. */
  readonly primaryColor?: string
  readonly iconUrl?: string
  readonly agentDisplayName?: string
  readonly [key: string]: unknown
}

/** Makes a surface with a catalog. */
export interface CreateSurface {
  readonly surfaceId: string
  readonly catalogId: string
  readonly theme?: Theme
  /** True when the client is to send the surface's data back with every action. */
  readonly sendDataModel?: boolean
}

/** A component of a surface: an entry of a flat list, whose children are ids. */
export interface Component {
  readonly id: string
  readonly component: string
  readonly [property: string]: unknown
}

/** Adds or replaces components of a surface. */
export interface UpdateComponents {
  readonly surfaceId: string
  readonly components: readonly Component[]
}

/** Changes the data of a surface at a path. */
export interface UpdateDataModel {
  readonly surfaceId: string
  /** A JSON Pointer; the whole model when absent or `/`. */
  readonly path?: string
  /** What stands there from now on; nothing when absent. */
  readonly value?: unknown
}

/** Removes a surface. */
export interface DeleteSurface {
  readonly surfaceId: string
}

/** A message of A2UI: it makes, fills, changes or removes a surface. */
export type A2uiMessage =
  | { readonly version: A2uiVersion; readonly createSurface: CreateSurface }
  | { readonly version: A2uiVersion; readonly updateComponents: UpdateComponents }
  | { readonly version: A2uiVersion; readonly updateDataModel: UpdateDataModel }
  | { readonly version: A2uiVersion; readonly deleteSurface: DeleteSurface }

// The order in which a combined object is taken apart: data stands before the components that show it.
export const messageKinds = ['createSurface', 'updateDataModel', 'updateComponents', 'deleteSurface'] as const

export type MessageKind = (typeof messageKinds)[number]

/** What was found where a message was expected, and where that was. */
export interface FoundMessage {
  /** A JSON Pointer into what was given. */
  readonly path: string
  readonly given: unknown
}

const maxListDepth = 4

/** The objects in what was given that are messages, or should be: one, a list, `{ messages }`. */
export function findMessages(data: unknown, path = '', depth = 0): FoundMessage[] {
  if (Array.isArray(data) && depth < maxListDepth) {
    return data.flatMap((item, index) => findMessages(item, `${path}/${index}`, depth + 1))
  }
  if (isPlainObject(data) && depth < maxListDepth && Array.isArray(own(data, 'messages'))) {
    return findMessages(data.messages, `${path}/messages`, depth + 1)
  }
  return [{ path, given: data }]
}

/** The kinds of message in an object: one, or several that were combined. */
export function kindsIn(given: Readonly<Record<string, unknown>>): MessageKind[] {
  return messageKinds.filter((kind) => Object.hasOwn(given, kind))
}
