import { askedApproval } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'
import { approvalHtml, changesHtml, decidedHtml } from './approval-html.ts'

const request = {
  approvalId: 'approval_1',
  toolName: 'pay',
  toolCallId: 'call_1',
  args: { amount: 300, urgent: false },
  handler: 'clerk',
  turn: 'turn_1',
  session: 'sess_1',
}
const about = { title: 'Pay', labels: { amount: 'Amount <in pounds>' }, editable: { amount: {}, urgent: {} } }
const asked = askedApproval({ data: request, metadata: { partType: 'approval-request', about } })
const decision = { kind: 'decision', turnId: 'turn_1', approvalId: 'approval_1', at: 0, via: 'smtp' } as const

test('a request that was approved with changes says what was asked for, that it was changed, and into what', () => {
  if (asked === undefined) throw new Error('This is no request.')
  const changed = { ...decision, outcome: 'granted', args: { amount: 250 } } as const
  expect(approvalHtml(asked)).toContain('<dt>Amount &lt;in pounds&gt;</dt><dd>300</dd>')
  expect(decidedHtml(changed)).toBe('<p>This was approved by mail, with changes, 1 Jan 1970, 00:00 UTC.</p>')
  expect(changesHtml(asked, changed)).toBe(
    '<p class="minor">Changed before approving:</p><dl><dt>Amount &lt;in pounds&gt;</dt><dd>250</dd></dl>',
  )
})

test('one that was decided as it was asked says nothing of changes', () => {
  if (asked === undefined) throw new Error('This is no request.')
  const denied = { ...decision, outcome: 'denied' } as const
  expect(decidedHtml(denied)).toBe('<p>This was denied by mail, 1 Jan 1970, 00:00 UTC.</p>')
  expect(changesHtml(asked, denied)).toBe('')
  const expiring = { ...asked, request: { ...asked.request, expiresAt: '2026-11-19T18:40:00Z' } }
  expect(approvalHtml(expiring)).toContain('Without an answer it is denied on 19 Nov 2026, 18:40 UTC.')
  expect(approvalHtml(expiring, false)).not.toContain('Without an answer')
})
