export { ui, ui as a2uiBuilder } from './builder/ui.ts'
export type { Template, UiNode } from './builder/node.ts'
export type { Scope } from './builder/scope.ts'
export type { SurfaceOptions } from './builder/surface.ts'
export type {
  Action,
  AnyValue,
  Binding,
  BooleanValue,
  CheckRule,
  EventAction,
  FunctionCall,
  NumberValue,
  TextsValue,
  TextValue,
} from './builder/values.ts'
export type { IconName } from './catalog.ts'
export {
  basicComponents,
  basicFunctions,
  type A2uiCatalog,
  type CatalogFunction,
  type CatalogSchema,
} from './catalogs/a2ui-catalog.ts'
export { knownCatalogs } from './catalogs/known-catalogs.ts'
export { dataToHtml, dataToText } from './data/data-blocks.ts'
export {
  basicCatalogId,
  type A2uiMessage,
  type A2uiVersion,
  type Component,
  type CreateSurface,
  type DeleteSurface,
  type Theme,
  type UpdateComponents,
  type UpdateDataModel,
} from './messages.ts'
export type { HtmlOptions } from './readable/blocks-to-html.ts'
export { readableDate, readableDuration } from './readable/readable-value.ts'
export { type ReadableOptions, surfaceChoices, surfaceToHtml, surfaceToText } from './readable/surface-to-text.ts'
export { registerA2ui, type KnownCatalogs } from './register-a2ui.ts'
export { a2uiLimits } from './validate/limits.ts'
export { problemText, type A2uiProblem } from './validate/problems.ts'
export { validateA2ui, type A2uiValidateOptions, type A2uiVerdict } from './validate/validate-a2ui.ts'
export { validateClientMessage } from './validate/validate-client-message.ts'
