import { BeachError, type PlainTool, type Runtime, type Sessions } from '@cool-ai/beach-core'
import { progressText, progressSchema, toWirePart } from '@cool-ai/beach-protocol'
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { requireScopes } from '../auth/require-scopes.ts'
import type { AskCall } from './ask-tool.ts'
import { progressNotes } from './call-progress.ts'
import type { Conversations } from './conversations.ts'
import { conversationKey } from './request-meta.ts'
import { failedCall } from './wire-errors.ts'

export interface ExposedToolsWorld {
  readonly runtime: Runtime
  readonly sessions: () => Sessions
  readonly conversations: Conversations
  /** Aborts when the agent stops. */
  readonly ending: () => AbortSignal
}

/** A tool as callers are told of it. */
export function listedTool({ name, description, inputSchema }: PlainTool): Tool {
  return { name, description, inputSchema: inputSchema as Tool['inputSchema'] }
}

/** Runs a tool of its own for a peer: in the conversation that it names, or in a new one. */
export async function callExposedTool(
  tool: PlainTool,
  args: unknown,
  { caller, context }: AskCall,
  { runtime, sessions, conversations, ending }: ExposedToolsWorld,
): Promise<CallToolResult> {
  if (tool.requiredScopes !== undefined) requireScopes(caller.principal ?? nobody, tool.requiredScopes)
  const named = context.mcpReq._meta?.[conversationKey]
  if (named !== undefined && typeof named !== 'string') {
    throw new BeachError('BAD_REQUEST', `_meta.${conversationKey}: must be a string.`)
  }
  const conversation = named === undefined ? await conversations.open(caller) : await conversations.find(caller, named)
  const { session, principal, conversationId } = conversation
  const notify = progressNotes(context)
  runtime.logger.log('info', 'a peer calls a tool', { tool: tool.name, session })
  const _meta = { [conversationKey]: conversationId }
  try {
    const value = await tool.handler(args ?? {}, {
      key: runtime.id('call'),
      signal: AbortSignal.any([context.mcpReq.signal, ending()]),
      session: await sessions().view(session, principal),
      emit: async (parts) => {
        for (const part of parts) {
          const { text, data } = toWirePart(part)
          const progress = progressSchema.safeParse(data)
          const message = progress.success ? progressText(progress.data) : text
          if (message !== undefined) await notify?.(message)
        }
      },
    })
    return { ...valueResult(value), _meta }
  } catch (error) {
    return { ...failedCall(error, runtime.logger), _meta }
  }
}

const nobody = { kind: 'anonymous', id: '', tenant: '' } as const

function valueResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  const text = JSON.stringify(value) ?? 'null'
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { content: [{ type: 'text', text }], ...(isObject && { structuredContent: { ...value } }) }
}
