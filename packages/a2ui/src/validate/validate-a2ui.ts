import type { A2uiCatalog } from '../catalogs/a2ui-catalog.ts'
import { knownCatalogs } from '../catalogs/known-catalogs.ts'
import { validateMessages, type A2uiVerdict } from './validate-messages.ts'

export type { A2uiVerdict }

/** What a surface is checked against. */
export interface A2uiValidateOptions {
  /** Catalogs besides the Basic Catalog. */
  readonly catalogs?: readonly A2uiCatalog[] | undefined
  /**
   * The catalog of a surface that was created before; undefined when that is not known, and nothing can be said of its
   * components. Without it, such surfaces are of the Basic Catalog.
   */
  readonly catalogOf?: ((surfaceId: string) => string | undefined) | undefined
}

/**
 * Looks at A2UI messages for a client: one, a list, `{ messages }`, or several combined in one object. Throws for nothing
 * in them, only for a catalog that cannot be used.
 */
export function validateA2ui(data: unknown, { catalogs, catalogOf }: A2uiValidateOptions = {}): A2uiVerdict {
  return validateMessages(data, { known: knownCatalogs(catalogs), catalogOf })
}
