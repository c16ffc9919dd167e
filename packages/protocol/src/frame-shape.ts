import type { Frame } from '@cool-ai/beach-core'

type Fields = Readonly<Record<string, unknown>>

const shapes: { readonly [Kind in Frame['kind']]: (frame: Fields) => boolean } = {
  part: ({ partId, part }) =>
    isText(partId) && isFields(part) && isFields(part.metadata) && isText(part.metadata.partType),
  delta: ({ turnId, partId, partType, text, offset, epoch }) =>
    [turnId, partId, partType, text].every(isText) && isNumber(offset) && isNumber(epoch),
  retract: ({ turnId, epoch, partIds }) =>
    isText(turnId) && isNumber(epoch) && (partIds === undefined || Array.isArray(partIds)),
  turn: ({ turnId, epoch }) => isText(turnId) && isNumber(epoch),
  settled: ({ turnId }) => isText(turnId),
  decision: ({ turnId, approvalId, outcome }) => [turnId, approvalId, outcome].every(isText),
  call: ({ turnId, callId, name }) => [turnId, callId, name].every(isText),
  result: ({ turnId, callId, outcome }) => [turnId, callId, outcome].every(isText),
  state: ({ seq, coordinates }) => isNumber(seq) && isFields(coordinates),
}

/** True for a frame that has what its kind is read for. Other frames are unknown and ignored. */
export function isWellShaped(frame: unknown): frame is Frame {
  if (!isFields(frame) || !isText(frame.kind) || !Object.hasOwn(shapes, frame.kind)) return false
  return shapes[frame.kind as Frame['kind']](frame)
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
