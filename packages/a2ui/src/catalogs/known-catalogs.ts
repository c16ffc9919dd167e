import { BeachError } from '@cool-ai/beach-core'
import { quoted } from '../plain.ts'
import { basicOnly } from '../validate/basic-rules.ts'
import type { KnownCatalogs } from '../validate/catalog-rules.ts'
import type { A2uiCatalog } from './a2ui-catalog.ts'
import { rulesOf } from './compile-catalog.ts'

const known = new WeakMap<readonly A2uiCatalog[], KnownCatalogs>()

/** The Basic Catalog and those that are given. Throws, with the place, for a catalog that cannot be used, and for two with one id. */
export function knownCatalogs(catalogs: readonly A2uiCatalog[] | undefined): KnownCatalogs {
  if (catalogs === undefined || catalogs.length === 0) return basicOnly
  const before = known.get(catalogs)
  if (before !== undefined) return before
  const made = new Map(basicOnly)
  for (const catalog of catalogs) {
    const rules = rulesOf(catalog)
    if (made.has(catalog.catalogId)) {
      throw new BeachError('INVALID_REGISTRATION', `There are two catalogs with the id ${quoted(catalog.catalogId)}.`)
    }
    made.set(catalog.catalogId, rules)
  }
  known.set(catalogs, made)
  return made
}
