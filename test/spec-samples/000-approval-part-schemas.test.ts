import { approvalRequestSchema, approvalResponseSchema, parsePart } from '@cool-ai/beach-protocol'
import type * as protocol from '@cool-ai/beach-protocol'
import { expect, expectTypeOf, test } from 'vitest'

// Document 000, "Approval part schemas": the interfaces as they stand there.

interface ApprovalRequest {
  approvalId: string
  toolName: string
  toolCallId: string
  args: Record<string, unknown>
  handler: string
  turn: string
  session: string
  expiresAt?: string
}

interface ApprovalResponse {
  approvalId: string
  decision: 'granted' | 'denied'
  reason?: string
  decidedBy?: string
  decidedAt: string
}

const request: ApprovalRequest = {
  approvalId: 'abc123',
  toolName: 'book_package',
  toolCallId: 'toolu_01',
  args: { packageId: 'p1' },
  handler: 'sally',
  turn: 'evt_1',
  session: 'sess_abc123',
  expiresAt: '2026-04-20T10:50:00Z',
}
const response: ApprovalResponse = {
  approvalId: 'abc123',
  decision: 'granted',
  reason: 'Within budget.',
  decidedBy: 'user_1',
  decidedAt: '2026-04-20T09:55:00Z',
}

test('the exported types are those of the document', () => {
  expectTypeOf<protocol.ApprovalRequest>().toEqualTypeOf<ApprovalRequest>()
  expectTypeOf<protocol.ApprovalResponse>().toEqualTypeOf<ApprovalResponse>()
  expect(approvalRequestSchema.parse(request)).toEqual(request)
  expect(approvalResponseSchema.parse(response)).toEqual(response)
})

test('the schemas describe the data of approval-request and approval-response parts', () => {
  expect(parsePart({ partType: 'approval-request', data: request }).data).toEqual(request)
  expect(parsePart({ partType: 'approval-response', data: response }).data).toEqual(response)
})
