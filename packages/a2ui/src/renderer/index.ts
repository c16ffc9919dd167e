// Shows A2UI surfaces in a browser.
export { a2uiRenderer } from './default-renderer.ts'
export { createA2uiRenderer } from './renderer.ts'
export type { A2uiRenderer, A2uiRendererOptions, SurfaceAction, SurfaceError } from './renderer-options.ts'
export type { ComponentView, DrawComponent, RendererCatalog } from './custom-catalog.ts'
export type { SurfacePart } from './read-part.ts'
export type { SurfaceState } from './surface-services.ts'
