import type { Interrupt } from '@ag-ui/core'
import type { SliceInputRequest } from '@cool-ai/beach-core/ports'
import { approvalNotice, approvalQuestion, approvalRequestSchema } from '@cool-ai/beach-protocol'
import type { AskedApproval, Question, Thread } from './thread.ts'

const approvalAnswer = {
  type: 'object',
  properties: {
    approved: { type: 'boolean', title: 'Approved' },
    reason: { type: 'string', title: 'Reason', maxLength: 2_000 },
  },
  required: ['approved'],
}

const questionAnswer = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer', minLength: 1 } },
  required: ['answer'],
}

/** The answer that the thread, or a slice, waits for. */
export function interruptsOf(thread: Thread, asks: readonly SliceInputRequest[], now: number): Interrupt[] {
  const asked = asks.map(askInterrupt)
  const pending = thread.pendingAt(now)
  if (pending.length > 0) return [...pending.flatMap(approvalInterrupt), ...asked]
  return thread.question === undefined ? asked : [questionInterrupt(thread.question), ...asked]
}

function askInterrupt({ id, ns, reason, message, responseSchema, expiresAt }: SliceInputRequest): Interrupt {
  return {
    id,
    reason,
    ...(message !== undefined && { message }),
    ...(responseSchema && { responseSchema }),
    ...(expiresAt !== undefined && { expiresAt }),
    metadata: { kind: ns },
  }
}

function approvalInterrupt({ approvalId, turnId, partId, part }: AskedApproval): Interrupt[] {
  const request = approvalRequestSchema.safeParse(part?.data)
  if (!request.success) return []
  const { toolName, toolCallId, args, handler, expiresAt } = request.data
  const level = part?.metadata.level === 'admin' && { level: 'admin' }
  return [
    {
      id: approvalId,
      // The tool runs with the agent: there is no call in the stream that the client could be pointed to.
      reason: 'confirmation',
      message: approvalQuestion(request.data, part && approvalNotice(part)),
      responseSchema: approvalAnswer,
      ...(expiresAt !== undefined && { expiresAt }),
      metadata: { kind: 'approval', turnId, partId, toolName, toolCallId, args, handler, ...level },
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
