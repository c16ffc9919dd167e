export type { Envelope as AgentResponseEnvelope, EnvelopeMeta, Part } from '@cool-ai/beach-core'
export {
  a2uiExtensions,
  a2uiExtensionUris,
  AgentCapabilities,
  AgentCard,
  agentCardToJson,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
  BEACH_EXTENSION_URI,
  buildAgentCard,
  cardCatalogs,
  readAgentCard,
  signAgentCard,
  signatureAlgorithms,
  signatureHeader,
  validateAgentCard,
  verifyAgentCard,
  wellKnownAgentCard,
  type AgentCardBeachExtension,
  type AgentCardInput,
  type CardCapability,
  type CardSigner,
  type CardTransport,
  type ReadAgentCard,
  type WellKnownAgentCardOptions,
} from './agent-card/index.ts'
export {
  a2uiActionOf,
  a2uiClientDataModelSchema,
  actionSentence,
  actionText,
  approvalAction,
  isA2uiAction,
  isApprovalAction,
  type A2uiAction,
} from './a2ui-action.ts'
export { a2uiMessages, basicCatalogId, readA2uiMessages, surfaceIds, type A2uiMessage } from './a2ui-messages.ts'
export {
  approvalAnswerIn,
  approvalAnswerSchema,
  approvalRequestSchema,
  approvalResponseSchema,
  type ApprovalRequest,
  type ApprovalResponse,
} from './approval.ts'
export { approvalSurface, approvalSurfacePrefix } from './approval-surface.ts'
export { approvalLines, approvalQuestion, approvalText, expiryText } from './approval-text.ts'
export {
  askedApproval,
  type ApprovalAbout,
  type AskedApproval,
  type EditableArgument,
  type Fact,
} from './approval-words.ts'
export { artifactName, artifactSchema, type ArtifactReference } from './artifact.ts'
export { buildEnvelope, type EnvelopeInput, type EnvelopeOptions } from './build-envelope.ts'
export { choicePart, chosenItem, isApprovalSurface, type ChosenItem } from './choice.ts'
export { citationSchema, type Citation } from './citation.ts'
export { resolveCitations } from './citations.ts'
export {
  decideDelivery,
  explainDelivery,
  isPeer,
  wantsLlmContext,
  type DeliveryRow,
  type Listener,
} from './delivery.ts'
export { planDelivery } from './delivery-plan.ts'
export { convergedParts } from './assemble-parts.ts'
export { isPeerWords } from './peer-words.ts'
export { collectDomainData } from './domain-data.ts'
export { registerEnvelopePartTypes } from './envelope-part-types.ts'
export { envelopeSchema, parseEnvelope, type ReadEnvelope } from './envelope-schema.ts'
export { pointerTo, resolvePointer } from './json-pointer.ts'
export { mergeValue } from './merge.ts'
export type { Message } from './message.ts'
export { momentText } from './moment-text.ts'
export { mergeLimits, type MergeLimits } from './merge-budget.ts'
export { parsePart, partProblems, toShorthand, toWirePart, type PartTypeLookup } from './parse-part.ts'
export { authoredPartSchema, partSchema } from './part-schema.ts'
export { progressSchema, progressText, type Progress } from './progress.ts'
export type { ReaderPart } from './reader-part.ts'
export { setStateSchema, type SetStatePart } from './set-state.ts'
export {
  EnvelopeStream,
  type StreamDecision,
  type StreamDelta,
  type StreamEvents,
  type StreamGap,
  type StreamPart,
  type StreamRetraction,
  type StreamTurn,
} from './stream.ts'
export {
  registerSurfaceTemplate,
  surfaceTemplates,
  SurfaceTemplateRegistry,
  type SurfaceContext,
  type SurfacePredicate,
  type SurfaceTemplate,
} from './surface-templates.ts'
export { componentIds, declaredActions, matchAction, type DeclaredAction } from './surface-actions.ts'
export { basicCatalogIds, catalogName, contextAmong, knowsCatalogs, surfaceCatalogs } from './surface-catalogs.ts'
export {
  peerSurfacePrefix,
  shownSurfaces,
  surfaceOf,
  surfaceProblems,
  type DroppedSurface,
  type SurfaceOptions,
} from './surfaces.ts'
export { turnStateOf } from './turn-state.ts'
export {
  LlmContextTranslator,
  type LlmContextTranslatorOptions,
  type TextModel,
  type TranslationRequest,
} from './translator.ts'
