import type { Interrupt } from '@ag-ui/core'
import type { SliceInputRequest } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { approvalQuestion, askedApproval, type AskedApproval as AskedInWords } from '@cool-ai/beach-protocol'
import type { AskedApproval, Question, Thread } from './thread.ts'

/** What may be answered to a request: with the arguments that may be changed, and whether the tool may be allowed. */
function approvalAnswer({ editable, allowForSession, amount }: AskedInWords): Record<string, unknown> {
  const changeable = Object.fromEntries(editable.map(({ name, schema }) => [name, schema]))
  const upTo = amount && { upTo: { type: 'number', title: `Up to, in ${amount.currency}`, exclusiveMinimum: 0 } }
  return {
    type: 'object',
    properties: defined({
      approved: { type: 'boolean', title: 'Approved' },
      reason: { type: 'string', title: 'Reason', maxLength: 2_000 },
      editedArgs: editable.length === 0 ? undefined : { type: 'object', title: 'Changes', properties: changeable },
      allow: allowForSession
        ? { type: 'object', title: 'Allow it for this conversation', properties: upTo ?? {} }
        : undefined,
    }),
    required: ['approved'],
  }
}

const questionAnswer = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer', minLength: 1 } },
  required: ['answer'],
}

/** What a thread waits for people to answer. */
export function interruptsOf(thread: Thread, asks: readonly SliceInputRequest[], now: number): Interrupt[] {
  const asked = asks.map(askInterrupt)
  const pending = thread.pendingAt(now)
  if (pending.length > 0) return [...pending.flatMap(approvalInterrupt), ...asked]
  return thread.question === undefined ? asked : [questionInterrupt(thread.question), ...asked]
}

function askInterrupt({ id, ns, reason, message, responseSchema, expiresAt }: SliceInputRequest): Interrupt {
  return defined({ id, reason, message, responseSchema, expiresAt, metadata: { kind: ns } })
}

function approvalInterrupt({ approvalId, turnId, partId, part }: AskedApproval): Interrupt[] {
  const asked = part && askedApproval(part)
  if (asked === undefined) return []
  const { toolName, toolCallId, args, handler, expiresAt } = asked.request
  const { title, summary, risk } = asked
  const level = asked.isAdmin ? 'admin' : undefined
  return [
    {
      id: approvalId,
      // The tool runs with the agent: there is no call in the stream that the client could be pointed to.
      reason: 'confirmation',
      message: approvalQuestion(asked),
      responseSchema: approvalAnswer(asked),
      ...defined({ expiresAt }),
      metadata: {
        kind: 'approval',
        turnId,
        partId,
        toolName,
        toolCallId,
        args,
        handler,
        ...defined({ title, summary, risk, level }),
      },
    },
  ]
}

function questionInterrupt({ turnId, parts }: Question): Interrupt {
  const message = parts.flatMap(({ part }) => part.text ?? []).join('\n')
  const data = parts.flatMap(({ part }) => (part.data === undefined ? [] : [part.data]))
  return {
    id: turnId,
    reason: 'input_required',
    ...(message !== '' && { message }),
    responseSchema: questionAnswer,
    metadata: {
      kind: 'question',
      turnId,
      partIds: parts.map(({ partId }) => partId),
      ...(data.length > 0 && { data }),
    },
  }
}
