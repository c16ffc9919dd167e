import { isPlainObject, own } from '../../plain.ts'
import { type SurfacePart, surfaceIdsIn } from '../../renderer/read-part.ts'
import type { ToolResult } from './host.ts'
import type { SurfaceAction } from '../../renderer/renderer-options.ts'

/** What the agent answered, as far as it is shown here. */
export interface Answer {
  readonly conversationId: string | undefined
  readonly surfaces: readonly SurfacePart[]
  readonly texts: readonly string[]
  readonly problem: string | undefined
}

const spoken = new Set(['response', 'clarify', 'error'])

/** Reads the result of the conversational tool: an envelope as data, and the same in words. */
export function answerOf({ structuredContent, content = [], isError }: ToolResult): Answer {
  const envelope = isPlainObject(structuredContent) ? structuredContent : {}
  const given = own(envelope, 'parts')
  const parts = Array.isArray(given) ? given.filter(isPlainObject) : []
  const conversationId = own(envelope, 'conversationId')
  const surfaces = parts.filter((part) => typeOf(part) === 'a2ui-surface')
  const texts = parts.flatMap((part) => {
    const { text } = part
    const isSaid = spoken.has(typeOf(part)) || isInWords(part)
    return isSaid && typeof text === 'string' && text !== '' ? [text] : []
  })
  const words = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
  return {
    conversationId: typeof conversationId === 'string' ? conversationId : undefined,
    surfaces: surfaces.filter((part) => !isInWords(part)),
    texts,
    problem: isError === true ? (texts.length > 0 ? texts : words).join('\n') || 'That did not work.' : undefined,
  }
}

/** True for a surface that came in words, because its catalog is not known here. */
function isInWords(part: Readonly<Record<string, unknown>>): boolean {
  return typeOf(part) === 'a2ui-surface' && part.data === undefined
}

function typeOf(part: Readonly<Record<string, unknown>>): string {
  const { metadata } = part
  return isPlainObject(metadata) && typeof metadata.partType === 'string' ? metadata.partType : ''
}

// The action and the id of the surface that is made for an approval.
const approvalAction = 'approval.decide'
const approvalSurfacePrefix = 'approval-'

/** The user's decision, where an action decides something. */
export interface Decision {
  readonly approvalId: string
  readonly decision: unknown
}

/**
 * The decision in an action: only the surface that was made for an approval decides it. What another surface calls so is
 * refused; it could show anything.
 */
export function decisionFromAction({ name, surfaceId, context }: SurfaceAction['action']): Decision | undefined {
  if (name !== approvalAction) return undefined
  const { approvalId, decision } = context
  if (typeof approvalId !== 'string' || surfaceId !== `${approvalSurfacePrefix}${approvalId}`) {
    throw new Error('This surface was not made for that decision.')
  }
  return { approvalId, decision }
}

/** The keys of a result’s `_meta`: what a tool shows, and the conversation that it was called in. */
const shownKey = 'cool-ai.beach/shown'
export const conversationKey = 'cool-ai.beach/conversationId'

export interface ToolShow {
  readonly messages: unknown
  readonly surfaceIds: readonly string[]
  readonly problem: string | undefined
  /** For the host’s model, once the user has used the surface. */
  readonly note: string | undefined
  readonly conversationId: string | undefined
  readonly callFor: (action: Pick<SurfaceAction['action'], 'name' | 'context'>) => ToolCall
}

interface ToolCall {
  readonly tool: string
  readonly args: object
}

/** What a tool shows besides its result; undefined for a result of the agent’s own tools. Models have no say in it. */
export function toolShowOf({ _meta = {} }: ToolResult): ToolShow | undefined {
  const shown = own(_meta, shownKey)
  if (!isPlainObject(shown)) return undefined
  const messages = own(shown, 'messages')
  const actions = own(shown, 'actions')
  return {
    messages,
    surfaceIds: Array.isArray(messages) ? [...new Set(messages.flatMap((given) => surfaceIdsIn({ given })))] : [],
    problem: textIn(shown, 'problem'),
    note: textIn(shown, 'note'),
    conversationId: textIn(_meta, conversationKey),
    callFor: ({ name, context }) => callOf(isPlainObject(actions) ? own(actions, name) : undefined, context),
  }
}

function textIn(object: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' ? value : undefined
}

/** Only what the tool has named is called: a surface cannot call what it likes. */
function callOf(given: unknown, context: unknown): ToolCall {
  const tool = isPlainObject(given) ? own(given, 'tool') : undefined
  if (!isPlainObject(given) || typeof tool !== 'string') throw new Error('This surface cannot do that.')
  const fixed = own(given, 'arguments')
  const name = textIn(given, 'contextAs')
  return { tool, args: { ...(isPlainObject(fixed) && fixed), ...(name !== undefined && { [name]: context }) } }
}
