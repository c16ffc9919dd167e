import type { PropertyKinds } from '../catalogs/property-kind.ts'
import type { Reference } from '../model/surfaces.ts'
import type { PlainObject } from '../plain.ts'
import type { Check, CheckContext } from './check.ts'

export type Returns = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any' | 'void'

/** A component of a catalog. */
export interface ComponentRules {
  readonly check: (given: PlainObject, path: string, looking: CheckContext) => void
  /** The components that it refers to, in the order in which they are shown. */
  readonly references: (given: PlainObject) => readonly Reference[]
  /** The component of the Basic Catalog that it is. */
  readonly basic?: string
  /** What its properties are for; absent for those of the Basic Catalog. */
  readonly kinds?: PropertyKinds
}

/** A function of a catalog: what it returns, and what it must be given. */
export interface FunctionRules {
  readonly returns: Returns
  readonly args: Check
}

/** What surfaces of a catalog are held to. */
export interface CatalogRules {
  /** As a sentence has it: `the Basic Catalog`. */
  readonly name: string
  readonly components: ReadonlyMap<string, ComponentRules>
  readonly functions: ReadonlyMap<string, FunctionRules>
  readonly theme: Check
}

/** Catalogs by their ids: the Basic Catalog, and those that an application has besides. */
export type KnownCatalogs = ReadonlyMap<string, CatalogRules>
