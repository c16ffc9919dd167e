import { isPlainObject, own } from '../../plain.ts'
import { surfaceIdsIn } from '../../renderer/read-part.ts'
import type { SurfaceAction } from '../../renderer/renderer.ts'
import type { ToolResult } from './host.ts'

/** The keys of a result’s `_meta`: what a tool shows, and the conversation that it was called in. */
const shownKey = 'cool-ai.beach/shown'
export const conversationKey = 'cool-ai.beach/conversationId'

/** What a call of a tool shows. */
export interface ToolShow {
  /** Messages of A2UI. */
  readonly messages: unknown
  readonly surfaceIds: readonly string[]
  readonly problem: string | undefined
  /** For the host’s model, once the user has used the surface. */
  readonly note: string | undefined
  readonly conversationId: string | undefined
  /** What an action calls. */
  readonly callFor: (action: Pick<SurfaceAction['action'], 'name' | 'context'>) => ToolCall
}

interface ToolCall {
  readonly tool: string
  readonly args: object
}

/** What a tool shows beside its result; undefined for a result of the agent’s own tools. Models have no say in it. */
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
