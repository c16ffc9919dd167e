import { defined } from '@cool-ai/beach-core/runtime'
import { approvalQuestion, expiryText, type AskedApproval } from '@cool-ai/beach-protocol'
import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'

/** The name of the function by which clients are asked for approvals. */
export const approvalToolName = 'beach_approval'

/** The function by which clients are asked for approvals, as both APIs know functions; a client that has it among its tools decides. */
export const approvalTool = {
  name: approvalToolName,
  description: 'Asks a person whether the agent may do something. Never decide by yourself: show it to the person.',
  parameters: {
    type: 'object',
    properties: {
      approval_id: { type: 'string' },
      tool: { type: 'string', description: 'What the agent wants to call.' },
      arguments: { type: 'object', description: 'The arguments that are approved.' },
      title: { type: 'string' },
      summary: { type: 'string' },
      details: { type: 'object' },
      risk: { type: 'string' },
      expires_at: { type: 'string' },
    },
    required: ['approval_id', 'tool', 'arguments', 'title'],
  },
} as const

/** What a person is shown of a request. */
export function approvalArguments(asked: AskedApproval): Readonly<Record<string, unknown>> {
  const { request, title, summary, risk, details, notice } = asked
  const facts = Object.fromEntries(details.map(({ label, value }) => [label, value]))
  return defined({
    approval_id: request.approvalId,
    tool: request.toolName,
    arguments: request.args,
    title,
    summary,
    details: details.length > 0 ? facts : undefined,
    notice: notice.length > 0 ? notice : undefined,
    risk,
    expires_at: request.expiresAt,
  })
}

/** The request for clients that do not decide. */
export function approvalWords(asked: AskedApproval): string {
  return `${approvalQuestion(asked)}\n\nThis is decided where the agent asks for approvals, and not by an answer here.${expiryText(asked)}`
}

const decision = z.strictObject({ approved: z.boolean(), reason: z.string().max(2_000).optional() })

/** What the result of such a call says. Nothing is granted by what is no decision. */
export function decisionOf(output: string): z.infer<typeof decision> {
  let value: unknown
  try {
    value = JSON.parse(output)
  } catch {
    value = undefined
  }
  const parsed = decision.safeParse(value)
  if (parsed.success) return parsed.data
  throw new BeachError(
    'BAD_REQUEST',
    `The result of \`${approvalToolName}\` is {"approved": true} or {"approved": false, "reason": "…"} as JSON. Nothing was decided.`,
  )
}
