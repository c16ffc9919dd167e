import type { ClientResult } from '@cool-ai/beach-core/ports'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import type { GivenMessage } from './chat-request.ts'
import type { ToolPart } from './ui-message.ts'

/** A decision as the page keeps it with the call that it is on. */
export interface PageDecision {
  readonly approvalId: string
  readonly approved: boolean
  readonly reason: string | undefined
}

type Given = Readonly<Record<string, unknown>>

/** The decisions among the messages of a page; it sends those again that it sent before. */
export function pageDecisions(messages: readonly GivenMessage[]): PageDecision[] {
  return toolParts(messages).flatMap(({ state, approval }) => {
    if (state !== 'approval-responded' || !isObject(approval)) return []
    const { id: approvalId, approved, reason } = approval
    // Nothing is granted by leaving something out.
    if (typeof approvalId !== 'string' || typeof approved !== 'boolean') return []
    return [{ approvalId, approved, reason: typeof reason === 'string' ? reason.slice(0, 2_000) : undefined }]
  })
}

/** The results of calls that the page has run itself, in its last message. */
export function pageResults(messages: readonly GivenMessage[]): ClientResult[] {
  return toolParts(messages.slice(-1)).flatMap(
    ({ toolCallId: callId, state, output, errorText, providerExecuted }): ClientResult[] => {
      if (typeof callId !== 'string' || providerExecuted === true) return []
      if (state === 'output-available') return [{ callId, outcome: 'ok', value: output ?? null }]
      return state === 'output-error' ? [{ callId, outcome: 'failed', value: errorText ?? null }] : []
    },
  )
}

/** The calls that the page has in its last message. What they are called is the page's word, and goes back to it alone. */
export function knownCalls(messages: readonly GivenMessage[]): ToolPart[] {
  return toolParts(messages.slice(-1)).flatMap((part): ToolPart[] => {
    const { toolCallId, toolName, input, providerExecuted, approval, state } = part
    if (typeof toolCallId !== 'string') return []
    const { id, approved } = (isObject(approval) ? approval : {}) as {
      readonly id?: unknown
      readonly approved?: unknown
    }
    const asked = typeof id === 'string' ? { approval: { id, ...(typeof approved === 'boolean' && { approved }) } } : {}
    const outcome = String(state).startsWith('output-') ? { outcome: { kind: 'denied' as const } } : {}
    const about = { toolCallId, toolName: String(toolName), input, providerExecuted: providerExecuted === true }
    return [{ type: 'dynamic-tool', ...about, ...asked, ...outcome }]
  })
}

function toolParts(messages: readonly GivenMessage[]): Given[] {
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ parts }) => parts as readonly Given[])
    .filter(({ type }) => type === 'dynamic-tool' || String(type).startsWith('tool-'))
}
