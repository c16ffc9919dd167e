import { basicCatalogId } from '../messages.ts'
import { componentNames } from '../validate/components.ts'
import { functionNames } from '../validate/values.ts'

/** A JSON Schema, as a catalog has it. */
export type CatalogSchema = Readonly<Record<string, unknown>> | boolean

/** A function of a catalog, as A2UI's capabilities have it. */
export interface CatalogFunction {
  readonly name: string
  readonly description?: string
  /** The schema of its arguments, an object. */
  readonly parameters: CatalogSchema
  readonly returnType: 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any' | 'void'
}

/** A catalog of A2UI as it is published: the components and functions that surfaces with its id may use. */
export interface A2uiCatalog {
  readonly catalogId: string
  /** The schema of each component, by its name. What every component has (`id`, `accessibility`, `weight`) may be left out. */
  readonly components?: Readonly<Record<string, CatalogSchema>>
  /** The schema of each call by the function's name, or a list of functions. */
  readonly functions?: Readonly<Record<string, CatalogSchema>> | readonly CatalogFunction[]
  /** The schema of each property of a theme. */
  readonly theme?: Readonly<Record<string, CatalogSchema>>
  /** What schemas refer to by `#/$defs/…`. */
  readonly $defs?: Readonly<Record<string, CatalogSchema>>
  /** What else a published catalog says, such as its title. */
  readonly [more: string]: unknown
}

/** The components of the Basic Catalog, for a catalog that has them too: `components: { ...basicComponents, SeatMap }`. */
export const basicComponents: Readonly<Record<string, CatalogSchema>> = references('components', componentNames)

/** The functions of the Basic Catalog, for a catalog that has them too. */
export const basicFunctions: Readonly<Record<string, CatalogSchema>> = references('functions', functionNames)

function references(kind: string, names: readonly string[]): Readonly<Record<string, CatalogSchema>> {
  return Object.freeze(Object.fromEntries(names.map((name) => [name, { $ref: `${basicCatalogId}#/${kind}/${name}` }])))
}
