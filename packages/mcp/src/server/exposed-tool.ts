import { requireScopes } from '@cool-ai/beach-channel/auth'
import { BeachError, type PlainTool, type Runtime, type Sessions, type ToolAnnotations } from '@cool-ai/beach-core'
import type { ToolShow } from '@cool-ai/beach-core/ports'
import { defined, ifFound, inWords, outcomeOf, unknownOutcome } from '@cool-ai/beach-core/runtime'
import { progressSchema, progressText, toWirePart } from '@cool-ai/beach-protocol'
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { AskCall } from './ask-tool.ts'
import { progressNotes } from './call-progress.ts'
import type { Conversations } from './conversations.ts'
import { conversationKey, shownKey } from './request-meta.ts'
import { standardSchema } from './standard-schema.ts'
import { failedCall } from './wire-errors.ts'

interface ExposedToolContext {
  readonly runtime: Runtime
  readonly sessions: () => Sessions
  readonly conversations: Conversations
  readonly ending: () => AbortSignal
}

/** A tool as callers are told of it; with what refers to the app, if it shows something there. */
export function listedTool(
  { name, title = inWords(name), description, inputSchema, annotations, shows }: PlainTool,
  app: Tool['_meta'],
): Tool {
  const meta = shows === true && app !== undefined && { _meta: app }
  const about = { annotations: annotationsOf(annotations), ...meta }
  return { name, title, description, inputSchema: standardSchema(inputSchema), ...about }
}

/** All of the hints: a client need not know what it means that one is missing. */
export function annotationsOf(given: ToolAnnotations = {}): NonNullable<Tool['annotations']> {
  const readOnlyHint = given.readOnlyHint === true
  return { readOnlyHint, destructiveHint: !readOnlyHint, idempotentHint: readOnlyHint, openWorldHint: true, ...given }
}

/**
 * Runs a tool of its own for a peer: in the conversation that it names, or in a new one. What it shows goes along next to
 * the result, where models do not look.
 */
export async function callExposedTool(
  tool: PlainTool,
  args: unknown,
  { caller, context }: AskCall,
  { runtime, sessions, conversations, ending }: ExposedToolContext,
  hasApp: boolean,
): Promise<CallToolResult> {
  if (tool.requiredScopes !== undefined) requireScopes(caller.principal ?? noPrincipal, tool.requiredScopes)
  const named = context.mcpReq._meta?.[conversationKey]
  if (named !== undefined && typeof named !== 'string') {
    throw new BeachError('BAD_REQUEST', `_meta.${conversationKey}: must be a string.`)
  }
  // Whether what a call goes on with is there is for the tool to say.
  const earlier = named === undefined ? tool.conversationIn?.(args) : undefined
  const found = earlier === undefined ? undefined : await ifFound(conversations.find(caller, earlier))
  const conversation =
    found ?? (named === undefined ? await conversations.open(caller) : await conversations.find(caller, named))
  const { session, principal, conversationId } = conversation
  const notify = progressNotes(context)
  const callId = runtime.id('call')
  let shown: ToolShow | undefined
  const meta = () => defined({ [conversationKey]: conversationId, [shownKey]: shown })
  // In the log before it starts and when it has ended, as the tools of turns are.
  await sessions().recordCall(session, { callId, name: tool.name, args: args ?? {} }, principal)
  const ended = (outcome: 'ok' | 'failed' | 'unknown', value: unknown) => {
    return sessions().recordCall(session, { callId, outcome, value: value ?? null }, principal)
  }
  const run = async (): Promise<unknown> =>
    tool.handler(args ?? {}, {
      key: callId,
      signal: AbortSignal.any([context.mcpReq.signal, ending()]),
      session: await sessions().view(session, principal),
      conversationId,
      emit: async (parts) => {
        for (const part of parts) {
          const { text, data } = toWirePart(part)
          const progress = progressSchema.safeParse(data)
          const message = progress.success ? progressText(progress.data) : text
          if (message !== undefined) await notify?.(message, progress.data)
        }
      },
      ...(hasApp && tool.shows === true && { show: (given: ToolShow) => void (shown = given) }),
    })
  const { telemetry } = runtime
  const place = { session, by: principal }
  let value: unknown
  try {
    value = await (telemetry?.run({ kind: 'tool', name: tool.name, callId, place }, run) ?? run())
  } catch (error) {
    // A call that the agent's end has cut off may have taken effect as well.
    const isCut = ending().aborted && tool.idempotent !== true
    const outcome = isCut ? 'unknown' : outcomeOf(error, tool.idempotent === true)
    const failed = failedCall(error, runtime)
    if (outcome === 'unknown') failed.content.push({ type: 'text', text: unknownOutcome })
    await ended(outcome, failed.content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n'))
    return { ...failed, _meta: { ...failed._meta, ...meta() } }
  }
  await ended('ok', value)
  return { ...valueResult(value), ...(tool.isFailure?.(value) === true && { isError: true }), _meta: meta() }
}

const noPrincipal = { kind: 'anonymous', id: '', tenant: '' } as const

function valueResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  const text = JSON.stringify(value) ?? 'null'
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { content: [{ type: 'text', text }], ...(isObject && { structuredContent: { ...value } }) }
}
