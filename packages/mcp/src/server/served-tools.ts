import { requireScopes } from '@cool-ai/beach-channel/auth'
import { BeachError, type PlainTool, type Runtime, type Sessions } from '@cool-ai/beach-core'
import type { ToolShow } from '@cool-ai/beach-core/ports'
import { ifFound, outcomeOf, unknownOutcome } from '@cool-ai/beach-core/runtime'
import { progressSchema, progressText, toWirePart } from '@cool-ai/beach-protocol'
import type { CallToolResult, InputRequiredResult, Tool } from '@modelcontextprotocol/server'
import type { AgentServerOptions } from './agent-server.ts'
import { askSchema, resumeSchema } from './ask-input.ts'
import { ask, resume, type AskCall, type AskContext } from './ask-tool.ts'
import { progressNotes } from './call-progress.ts'
import type { Conversations } from './conversations.ts'
import { conversationKey, shownKey } from './request-meta.ts'
import { failedCall } from './wire-errors.ts'

const toolName = /^[A-Za-z0-9_.-]{1,64}$/

/** A tool as it is listed, and what a call of it does. */
export interface ServedTool {
  readonly listed: Tool
  /** True for a tool that the call itself runs, without a turn. */
  readonly isExposed?: boolean
  readonly call: (args: unknown, call: AskCall) => Promise<CallToolResult | InputRequiredResult>
}

/** The agent's tools by name: one to talk to it, one to decide, and those that it exposes. */
export function servedTools(
  name: string,
  { agent, exposedTools = [] }: AgentServerOptions,
  context: AskContext,
  meta: Tool['_meta'],
): ReadonlyMap<string, ServedTool> {
  const about = agent.description ?? `The agent ${agent.name}.`
  const own: ServedTool[] = [
    {
      listed: {
        name,
        title: `Ask ${agent.name}`,
        description: `Says something to ${agent.name} and returns its answer. ${about} To go on, pass the conversationId of the result.`,
        inputSchema: askSchema,
        outputSchema: answerSchema,
        ...(meta && { _meta: meta }),
      },
      call: (args, call) => ask(args, call, context),
    },
    {
      listed: {
        name: context.resumeTool,
        title: `Decide for ${agent.name}`,
        description: `Passes on what the user decided about an approval that ${agent.name} asked for, and returns what ${agent.name} answers then. Ask the user before you call it.`,
        inputSchema: resumeSchema,
        outputSchema: answerSchema,
        annotations: { destructiveHint: true },
        ...(meta && { _meta: meta }),
      },
      call: (args, call) => resume(args, call, context),
    },
  ]
  const exposed = exposedTools.map((tool): ServedTool => ({
    isExposed: true,
    listed: listedTool(tool, meta),
    call: (args: unknown, call: AskCall) => callExposedTool(tool, args, call, context, meta !== undefined),
  }))
  const tools = new Map<string, ServedTool>()
  for (const tool of [...own, ...exposed]) {
    const { name: id } = tool.listed
    if (!toolName.test(id)) throw refusal(id, 'letters, digits, _ . and -, at most 64, are what clients accept.')
    if (tools.has(id)) throw refusal(id, 'there are two of it.')
    tools.set(id, tool)
  }
  return tools
}

function refusal(name: string, problem: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', `The tool '${name}' cannot be served by MCP: ${problem}`)
}

const described = (description: string) => ({ type: 'string', description })

/** What the conversational tool's structured result is; further members may come. */
const answerSchema: NonNullable<Tool['outputSchema']> = {
  type: 'object',
  description: 'The answer of the agent: an envelope of typed parts, and the conversation that it belongs to.',
  properties: {
    conversationId: described('Pass it with the next message to go on with this conversation.'),
    role: { type: 'string', const: 'agent' },
    parts: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          data: {},
          metadata: {
            type: 'object',
            properties: { partType: described('What the part is, such as response, domain-data or artifact.') },
            required: ['partType'],
          },
        },
        required: ['metadata'],
      },
    },
    meta: {
      type: 'object',
      properties: {
        sessionId: { type: 'string' },
        turnId: { type: 'string' },
        producedAt: { type: 'string' },
        turnState: described('complete, clarifying, error, or suspended while a decision is needed.'),
        finalizedBy: described('How the turn came to its end; absent while it has not.'),
      },
      required: ['sessionId', 'turnId', 'producedAt'],
    },
    pendingApprovals: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ids of approvals that must be decided before the agent goes on.',
    },
    message: {
      type: 'string',
      enum: ['notTaken', 'waiting'],
      description: 'What became of the message when an approval was open: send it again, or read its answer later.',
    },
  },
  required: ['conversationId', 'role', 'parts', 'meta'],
}

interface ExposedToolsContext {
  readonly runtime: Runtime
  readonly sessions: () => Sessions
  readonly conversations: Conversations
  readonly ending: () => AbortSignal
}

/** A tool as callers are told of it; with what refers to the app, if it shows something there. */
function listedTool({ name, description, inputSchema, shows }: PlainTool, app: Tool['_meta']): Tool {
  const meta = shows === true && app !== undefined && { _meta: app }
  return { name, description, inputSchema: inputSchema as Tool['inputSchema'], ...meta }
}

/**
 * Runs a tool of its own for a peer: in the conversation that it names, or in a new one. What it shows goes along beside
 * the result, where models do not look.
 */
async function callExposedTool(
  tool: PlainTool,
  args: unknown,
  { caller, context }: AskCall,
  { runtime, sessions, conversations, ending }: ExposedToolsContext,
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
  const meta = () => ({ [conversationKey]: conversationId, ...(shown && { [shownKey]: shown }) })
  // In the log before it starts and when it has ended, as the tools of turns are.
  await sessions().recordCall(session, { callId, name: tool.name, args: args ?? {} }, principal)
  const ended = (outcome: 'ok' | 'failed' | 'unknown', value: unknown) => {
    return sessions().recordCall(session, { callId, outcome, value: value ?? null }, principal)
  }
  let value: unknown
  try {
    value = await tool.handler(args ?? {}, {
      key: callId,
      signal: AbortSignal.any([context.mcpReq.signal, ending()]),
      session: await sessions().view(session, principal),
      conversationId,
      emit: async (parts) => {
        for (const part of parts) {
          const { text, data } = toWirePart(part)
          const progress = progressSchema.safeParse(data)
          const message = progress.success ? progressText(progress.data) : text
          if (message !== undefined) await notify?.(message)
        }
      },
      ...(hasApp && tool.shows === true && { show: (given: ToolShow) => void (shown = given) }),
    })
  } catch (error) {
    // A call that the agent's end has cut off may have taken effect as well.
    const isCut = ending().aborted && tool.idempotent !== true
    const outcome = isCut ? 'unknown' : outcomeOf(error, tool.idempotent === true)
    const failed = failedCall(error, runtime.logger)
    if (outcome === 'unknown') failed.content.push({ type: 'text', text: unknownOutcome })
    await ended(outcome, failed.content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n'))
    return { ...failed, _meta: meta() }
  }
  await ended('ok', value)
  return { ...valueResult(value), _meta: meta() }
}

const noPrincipal = { kind: 'anonymous', id: '', tenant: '' } as const

function valueResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  const text = JSON.stringify(value) ?? 'null'
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { content: [{ type: 'text', text }], ...(isObject && { structuredContent: { ...value } }) }
}
