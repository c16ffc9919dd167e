export {
  actionPayloadSchema,
  actionTypes,
  httpsUrlSchema,
  type ActionPayload,
  type ActionRequest,
  type ActionType,
} from './action-payload.ts'
export {
  actionResponsePayloadSchema,
  clientEventSchema,
  dismissRequestPayloadSchema,
  dismissRequestReasons,
  eventPayloadSchema,
  intentFlowSaidSchema,
  invokePayloadSchema,
  type ActionResponsePayload,
  type ClientEvent,
  type DismissRequestPayload,
  type EventPayload,
  type IntentFlowSaid,
  type InvokePayload,
} from './client-payloads.ts'
export { errorCategories, errorCodes, type ErrorCategory, type ErrorCode, type ErrorKind } from './error-codes.ts'
export { FlowError, isFlowError, toFlowError, type FlowErrorOptions } from './flow-error.ts'
export { jsonProblem, plainJson, recordProblem, sameJson } from './json-problem.ts'
export { intentFlowJsonSchemas, jsonSchemaOf, type JsonSchema } from './json-schemas.ts'
export { flowLimits } from './limits.ts'
export {
  serverEventSchema,
  type AGUICustomEvent,
  type IntentFlowEvent,
  type ServerEvent,
  type ServerEventName,
} from './server-events.ts'
export {
  dismissPayloadSchema,
  dismissReasons,
  displayModes,
  errorPayloadSchema,
  followUpSchema,
  patchOperationSchema,
  priorities,
  propsUpdatePayloadSchema,
  recoverySchema,
  renderPayloadSchema,
  transitionPayloadSchema,
  type DismissPayload,
  type DismissReason,
  type DisplayMode,
  type ErrorPayload,
  type FollowUp,
  type PatchOperation,
  type Priority,
  type PropsUpdatePayload,
  type Recovery,
  type RenderPayload,
  type TransitionPayload,
} from './server-payloads.ts'
