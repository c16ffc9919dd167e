import './envelope-part-types.ts'

export {
  approvalRequestSchema,
  approvalResponseSchema,
  type ApprovalRequest,
  type ApprovalResponse,
} from './approval.ts'
export { artifactSchema, type ArtifactReference } from './artifact.ts'
export { citationSchema, type Citation } from './citation.ts'
export { decideDelivery, isPeer, wantsLlmContext, type Listener } from './delivery.ts'
export { registerEnvelopePartTypes } from './envelope-part-types.ts'
export { isJsonPointer, pointerTo, resolvePointer, type Resolved } from './json-pointer.ts'
export { parsePart, partProblems, type PartTypeLookup } from './parse-part.ts'
export { authoredPartSchema, mergeStrategySchema, partSchema } from './part-schema.ts'
export { progressSchema, progressText, type Progress } from './progress.ts'
export { toReaderPart, type ReaderPart } from './reader-part.ts'
export { setStateSchema, type SetStatePart } from './set-state.ts'
export { toShorthand, toWirePart, type ShorthandPart } from './shorthand.ts'
