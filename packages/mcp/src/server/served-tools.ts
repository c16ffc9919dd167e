import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { CallToolResult, InputRequiredResult, Tool } from '@modelcontextprotocol/server'
import type { AgentServerOptions } from './agent-server.ts'
import { askSchema, resumeSchema } from './ask-input.ts'
import { ask, resume, type AskCall, type AskContext } from './ask-tool.ts'
import { annotationsOf, callExposedTool, listedTool } from './exposed-tool.ts'

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
        // What cannot be undone is decided by the other tool.
        annotations: annotationsOf({ destructiveHint: false }),
        ...defined({ _meta: meta }),
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
        annotations: annotationsOf({ idempotentHint: true }),
        ...defined({ _meta: meta }),
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

/** The error of a tool that cannot be served. */
export function refusal(name: string, problem: string): BeachError {
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
    decisions: {
      type: 'array',
      items: { type: 'object', properties: { approvalId: { type: 'string' }, outcome: { type: 'string' } } },
      description: 'How approvals of the turn were decided, by which channel and when.',
    },
    message: {
      type: 'string',
      enum: ['notTaken', 'waiting'],
      description: 'What became of the message when an approval was open: send it again, or read its answer later.',
    },
  },
  required: ['conversationId', 'role', 'parts', 'meta'],
}
