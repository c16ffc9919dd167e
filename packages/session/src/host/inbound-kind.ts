import { BeachError, type Part } from '@cool-ai/beach-core'
import type { ApprovalAnswer } from '@cool-ai/beach-core/ports'
import { approvalAnswerSchema, isApprovalAction } from '@cool-ai/beach-protocol'

/** What inbound parts are. */
export type InboundKind =
  | { readonly kind: 'message' }
  | { readonly kind: 'slice'; readonly ns: string; readonly said: unknown }
  /** A decision in an `approval-response` part. */
  | { readonly kind: 'response'; readonly answer: ApprovalAnswer }
  /** An action on the surface of an approval; the surface tells which decision it is. */
  | { readonly kind: 'action' }

/** Tells what parts are. Parts for a slice, and parts that decide, are no message: they come alone. */
export function inboundKind(parts: readonly Part[], handledNamespaces: ReadonlySet<string>): InboundKind {
  const ns = namespaceOf(parts, handledNamespaces)
  if (ns !== undefined) return { kind: 'slice', ns, said: { events: parts.map(customEvent) } }
  if (parts.some(({ metadata }) => metadata.partType === 'approval-response')) {
    return { kind: 'response', answer: responseIn(parts) }
  }
  return { kind: parts.some(isApprovalAction) ? 'action' : 'message' }
}

/** The slice that parts are for, by the namespace of their type. */
function namespaceOf(parts: readonly Part[], handledNamespaces: ReadonlySet<string>): string | undefined {
  if (handledNamespaces.size === 0) return undefined
  const all = new Set(parts.map(({ metadata }) => metadata.partType.split('.', 1)[0] ?? ''))
  const ns = [...all].find((one) => handledNamespaces.has(one))
  if (ns !== undefined && all.size > 1) {
    throw new BeachError('BAD_REQUEST', `What is for '${ns}' is no message: send its parts alone.`)
  }
  return ns
}

function responseIn([part, ...more]: readonly Part[]): ApprovalAnswer {
  const answer = more.length === 0 ? approvalAnswerSchema.safeParse(part?.data).data : undefined
  if (answer !== undefined) return answer
  const message = 'An approval-response stands alone and has `approvalId` and `decision`, granted or denied.'
  throw new BeachError('INVALID_PART', message)
}

/** A part as it is said to a slice: the same as by AG-UI. */
function customEvent({ text, data, metadata }: Part) {
  return { type: 'CUSTOM', name: metadata.partType, value: data ?? text ?? null }
}
