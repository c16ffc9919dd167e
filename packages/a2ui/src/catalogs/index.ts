// Catalogs besides the Basic Catalog; an agent without any does not load this.
export type { A2uiCatalog } from './a2ui-catalog.ts'
export { knownCatalogs } from './known-catalogs.ts'
