// Completes the canonical part types, for this process.
import './envelope-part-types.ts'
export {
  a2uiActionOf,
  a2uiClientDataModelSchema,
  actionText,
  approvalAction,
  isA2uiAction,
  isApprovalAction,
  type A2uiAction,
} from './a2ui-action.ts'
export { basicCatalogId, readA2uiMessages, surfaceIds, type A2uiMessage } from './a2ui-messages.ts'
export { approvalSurfacePrefix } from './approval-surface.ts'
export {
  approvalAnswerIn,
  approvalAnswerSchema,
  approvalRequestSchema,
  type ApprovalRequest,
  type ApprovalResponse,
} from './approval.ts'
export type { ApprovalAbout } from './approval-words.ts'
export { buildEnvelope } from './build-envelope.ts'
export { planDelivery } from './delivery-plan.ts'
export { contextLanguages, contextPart } from './context-languages.ts'
export { finalSurfaces } from './final-surfaces.ts'
export { decideDelivery, explainDelivery, isPeer } from './delivery.ts'
export { parsePart, parseSaidPart, toWirePart } from './parse-part.ts'
export { authoredPartSchema } from './part-schema.ts'
export { componentIds, declaredActions, matchAction, type DeclaredAction } from './surface-actions.ts'
export { contextAmong, createdCatalogs, withSurfaceCatalogs } from './surface-catalogs.ts'
export { SurfaceTemplateRegistry } from './surface-templates.ts'
export { shownSurfaces, surfaceOf, surfaceProblems, type DroppedSurface, type SurfaceOptions } from './surfaces.ts'
export { defaultLanguage, LlmContextTranslator } from './translator.ts'
