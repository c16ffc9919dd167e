import type { Decision, Part, Principal } from '@cool-ai/beach-core'
import { mayDecideAdmin } from '@cool-ai/beach-core/ports'
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
    return asked.isAdmin && !mayDecideAdmin(by) ? [] : [asked]
  })
}

/** A form for each request. */
export function approvalForms(requests: readonly AskedApproval[]): InputRequests {
  return Object.fromEntries(requests.map((asked) => [asked.request.approvalId, approvalForm(asked)]))
}

type FormField = Readonly<Record<string, unknown>> &
  ({ readonly type: 'boolean' } | { readonly type: 'number' | 'integer' } | { readonly type: 'string' })
type FormFields = Record<string, FormField>

const changed = 'change:'
const allowed = 'allow'

function approvalForm(asked: AskedApproval): InputRequest {
  return inputRequired.elicit({
    message: approvalQuestion(asked),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: ['granted', 'denied'] },
        reason: { type: 'string', title: 'Reason', maxLength: 2_000 },
        ...changeFields(asked),
        ...allowFields(asked),
      },
      required: ['decision'],
    },
  })
}

/** A field for each argument that may be changed. Forms of MCP have texts, numbers and switches only. */
function changeFields({ editable }: AskedApproval): FormFields {
  const fields = editable.flatMap(({ name, label, schema }) => {
    const field = fieldOf(schema)
    return field === undefined ? [] : [[changed + name, { ...field, title: `Change: ${label}` }] as const]
  })
  return Object.fromEntries(fields)
}

function fieldOf({ type, enum: values, minimum, maximum }: Readonly<Record<string, unknown>>): FormField | undefined {
  if (type === 'boolean') return { type }
  if (type === 'number' || type === 'integer') return { type, ...numbers({ minimum, maximum }) }
  if (type !== 'string') return undefined
  const isList = Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string')
  return isList ? { type, enum: values } : { type }
}

function numbers(limits: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(limits).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  )
}

function allowFields({ allowForSession, amount }: AskedApproval): FormFields {
  if (!allowForSession) return {}
  const title = 'Allow this without asking again in this conversation'
  if (amount === undefined) return { [allowed]: { type: 'boolean', title } }
  return { [allowed]: { type: 'number', title: `${title}, up to this sum in ${amount.currency}` } }
}

interface FormDecision extends Pick<Decision, 'decision'> {
  readonly reason?: string
  readonly args?: Record<string, unknown>
  readonly allow?: { readonly upTo?: number }
}

/** The user's decision in a form; undefined without one. What does not fit is refused where it is decided. */
export function decisionFromForm(
  responses: Record<string, unknown> | undefined,
  approvalId: string,
): FormDecision | undefined {
  const response = inputResponse(responses, approvalId)
  if (response.kind !== 'elicit' || response.action === 'cancel') return undefined
  if (response.action === 'decline') return { decision: 'denied' }
  const { decision, reason, [allowed]: allow, ...fields } = response.content ?? {}
  if (decision !== 'granted' && decision !== 'denied') return undefined
  const why = typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, 2_000) } : {}
  // Fields that a user filled in before saying no count for nothing.
  return decision === 'denied'
    ? { decision, ...why }
    : { decision, ...why, ...changesIn(fields), ...allowanceIn(allow) }
}

function changesIn(fields: Readonly<Record<string, unknown>>): Pick<FormDecision, 'args'> {
  const filled = Object.entries(fields).filter(([name, value]) => name.startsWith(changed) && value !== '')
  if (filled.length === 0) return {}
  return { args: Object.fromEntries(filled.map(([name, value]) => [name.slice(changed.length), value])) }
}

function allowanceIn(allow: unknown): Pick<FormDecision, 'allow'> {
  if (allow === true) return { allow: {} }
  return typeof allow === 'number' && allow > 0 ? { allow: { upTo: allow } } : {}
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
