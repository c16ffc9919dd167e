import type { Decision, ToolContext } from '@cool-ai/beach-core'
import type { ApprovalRequest } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'
import { PeerApprovals } from './peer-approvals.ts'

const request: ApprovalRequest = {
  approvalId: 'a1',
  toolName: 'book',
  toolCallId: 'c1',
  args: { total: 5 },
  handler: 'sally',
  turn: 't1',
  session: 's1',
}

/** A run of the tool in which the approver has denied the request; the next run has its notes. */
function run(noted: unknown, notes: unknown[]): PeerApprovals {
  const denied: Decision = { decision: 'denied' }
  const context: Partial<ToolContext> = {
    noted,
    note: async (value) => void notes.push(value),
    approve: async () => denied,
  }
  return new PeerApprovals('travel', context as ToolContext)
}

test('a decision that the peer was never told is known in the next run, and no longer once it was told', async () => {
  const notes: unknown[] = []
  await run(undefined, notes).decision(request, 'Travel')
  const next = run(notes.at(-1), notes)
  await next.decided()
  expect(next.undelivered()).toEqual({ decision: 'denied' })
  await next.telling('a1')
  expect(next.undelivered()).toBeUndefined()
  const last = run(notes.at(-1), notes)
  await last.decided()
  expect(last.undelivered()).toBeUndefined()
})
