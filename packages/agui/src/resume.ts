import type { ResumeEntry } from '@ag-ui/core'
import { BeachError } from '@cool-ai/beach-core'
import type { ApprovalAnswer, SliceInputRequest } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import type { RunWarning } from './run-warning.ts'
import type { Thread } from './thread.ts'

/** What a run brings to what was asked. */
export interface Answers {
  readonly decisions: readonly ApprovalAnswer[]
  readonly answer?: { readonly turnId: string; readonly text: string } | undefined
  readonly withdrawn: readonly string[]
  readonly notices: readonly RunWarning[]
  readonly resumed: readonly { readonly ns: string; readonly entry: ResumeEntry }[]
}

const more = {
  reason: z.string().max(2_000).optional(),
  editedArgs: z.record(z.string(), z.unknown()).optional(),
  allow: z.strictObject({ upTo: z.number().positive().exactOptional() }).optional(),
}
const approvalPayload = z.union([
  z.object({ approved: z.boolean(), decision: z.undefined().optional(), ...more }),
  z.object({ decision: z.enum(['granted', 'denied']), approved: z.undefined().optional(), ...more }),
  z.boolean(),
])
const answerPayload = z.union([
  z.object({ answer: z.string().trim().min(1) }).transform(({ answer }) => answer),
  z.string().trim().min(1),
])

/** Reads the answers to what a thread has asked. Nothing is ever granted by leaving something out. */
export function readAnswers(
  entries: readonly ResumeEntry[],
  thread: Thread | undefined,
  asks: readonly SliceInputRequest[],
): Answers {
  const decisions: ApprovalAnswer[] = []
  const withdrawn: string[] = []
  const notices: RunWarning[] = []
  let answer: Answers['answer']
  const resumed: { ns: string; entry: ResumeEntry }[] = []
  const ids = entries.map(({ interruptId }) => interruptId)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new BeachError('BAD_REQUEST', `The run answers '${twice}' twice. Answer it once.`)
  for (const entry of entries) {
    const { interruptId } = entry
    const ask = asks.find(({ id }) => id === interruptId)
    if (ask !== undefined) resumed.push({ ns: ask.ns, entry })
    else if (thread?.approvals.has(interruptId) === true) decisions.push(decisionFromEntry(entry))
    else if (thread?.hasAsked(interruptId) !== true) notices.push(unknownInterrupt(interruptId))
    else if (entry.status === 'cancelled') withdrawn.push(interruptId)
    else answer = { turnId: interruptId, text: answerIn(entry) }
  }
  return { decisions, withdrawn, notices, resumed, answer }
}

function decisionFromEntry({ interruptId: approvalId, status, payload }: ResumeEntry): ApprovalAnswer {
  if (status === 'cancelled') return { approvalId, decision: 'denied' }
  const result = approvalPayload.safeParse(payload)
  if (!result.success) {
    throw new BeachError(
      'BAD_REQUEST',
      `The answer to the approval '${approvalId}' is { "approved": true } or { "approved": false }, with an optional "reason" and, where the request offers them, "editedArgs" and "allow".`,
    )
  }
  const { data } = result
  if (typeof data === 'boolean') return { approvalId, decision: data ? 'granted' : 'denied' }
  const isGranted = data.approved ?? data.decision === 'granted'
  const { reason, editedArgs: args, allow } = data
  return defined({ approvalId, decision: isGranted ? 'granted' : 'denied', reason, args, allow })
}

function answerIn({ interruptId, payload }: ResumeEntry): string {
  const result = answerPayload.safeParse(payload)
  if (result.success) return result.data
  throw new BeachError('BAD_REQUEST', `The answer to the question '${interruptId}' is { "answer": "…" }, or a text.`)
}

function unknownInterrupt(interruptId: string): RunWarning {
  const message = 'This thread has asked nothing under that id. The entry was left out.'
  return { code: 'UNKNOWN_INTERRUPT', message, interruptId }
}
