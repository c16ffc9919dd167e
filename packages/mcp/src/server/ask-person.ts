import type { Part, Principal } from '@cool-ai/beach-core'
import { clarifyOptions, clarifyText } from '@cool-ai/beach-core/registries'
import { approvalQuestion, askedApproval, type AskedApproval } from '@cool-ai/beach-protocol'
import {
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequest,
  type InputRequests,
} from '@modelcontextprotocol/server'

/** True when the client can show its user a form. */
export function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** The pending requests among the parts that this principal may decide. */
export function decidable(parts: readonly Part[], pending: readonly string[], by: Principal): AskedApproval[] {
  return parts.flatMap((part) => {
    const asked = askedApproval(part)
    if (asked === undefined || !pending.includes(asked.request.approvalId)) return []
    return asked.isAdmin && !isAdmin(by) ? [] : [asked]
  })
}

/** A form for each request. */
export function approvalForms(requests: readonly AskedApproval[]): InputRequests {
  return Object.fromEntries(requests.map((asked) => [asked.request.approvalId, approvalForm(asked)]))
}

function approvalForm(asked: AskedApproval): InputRequest {
  return inputRequired.elicit({
    message: approvalQuestion(asked),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: ['granted', 'denied'] },
        reason: { type: 'string', title: 'Reason', maxLength: 2_000 },
      },
      required: ['decision'],
    },
  })
}

/** The user's decision in a form; undefined without one. */
export function decisionFromForm(
  responses: Record<string, unknown> | undefined,
  approvalId: string,
): { decision: 'granted' | 'denied'; reason?: string } | undefined {
  const response = inputResponse(responses, approvalId)
  if (response.kind !== 'elicit' || response.action === 'cancel') return undefined
  if (response.action === 'decline') return { decision: 'denied' }
  const { decision, reason } = response.content ?? {}
  if (decision !== 'granted' && decision !== 'denied') return undefined
  return { decision, ...(typeof reason === 'string' && reason !== '' && { reason: reason.slice(0, 2_000) }) }
}

const answerKey = 'answer'

/** A form with the agent's question. */
export function questionForm(parts: readonly Part[], key = answerKey): InputRequests | undefined {
  const questions = parts.filter(({ metadata }) => metadata.partType === 'clarify')
  const [question] = questions
  if (question === undefined) return undefined
  const options = questions.length === 1 ? clarifyOptions(question) : []
  if (options.length > 0) return { [key]: choiceForm(question.text ?? '', options) }
  const message = questions.map((part) => clarifyText(part) ?? '').join('\n')
  const requestedSchema = {
    type: 'object' as const,
    properties: { answer: { type: 'string' as const, title: 'Answer' } },
    required: ['answer'],
  }
  return { [key]: inputRequired.elicit({ message, requestedSchema }) }
}

/** The answers that a question offers, to choose from; the user may still say something else. */
function choiceForm(message: string, options: readonly string[]): InputRequest {
  return inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        answer: { type: 'string', title: 'Answer', enum: [...options] },
        other: { type: 'string', title: 'Something else' },
      },
    },
  })
}

/** What the user answered; undefined when they did not. */
export function answerIn(responses: Record<string, unknown> | undefined, key = answerKey): string | undefined {
  const response = inputResponse(responses, key)
  const { other, answer } = (response.kind === 'elicit' && response.action === 'accept' && response.content) || {}
  return [other, answer].flatMap((said) => (typeof said === 'string' && said.trim() !== '' ? [said.trim()] : []))[0]
}

function isAdmin({ kind, scopes = [] }: Principal): boolean {
  return kind === 'operator' || scopes.includes('approvals:admin')
}
