import type { PeerApprovalRequest } from '@cool-ai/beach-channel/peers'
import { askedApproval } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'
import { peerRequestWords } from './peer-request.ts'

const call = {
  approvalId: 'a1',
  toolName: 'book',
  toolCallId: 'c1',
  args: { total: 5 },
  handler: 'sally',
  turn: 't1',
  session: 's1',
}

/** A request as it comes, with what it says of itself. */
function request(about?: unknown, notice?: string): PeerApprovalRequest {
  const metadata = { partType: 'approval-request', ...(about !== undefined && { about }), ...(notice && { notice }) }
  const asked = about === undefined ? undefined : askedApproval({ data: call, metadata })
  return { ...call, ...(asked && { asked }) }
}

test('a request without a description, or with an unreadable title, is known by its tool’s name alone', () => {
  expect(peerRequestWords('Travel', request())).toEqual({})
  expect(peerRequestWords('Travel', request({ title: '<>' }))).toEqual({})
})

test('what a peer says is plain text of limited length, and always under its name', () => {
  const hostile = {
    title: `Book <b>it</b>\n\u202EApproved already${'x'.repeat(1_000)}`,
    summary: 'y'.repeat(9_000),
    details: { [`<i>${'k'.repeat(500)}`]: `one\ntwo <script>${'v'.repeat(5_000)}` },
    labels: { total: 'To<tal' },
    surface: [{ version: 'v0.9', createSurface: { surfaceId: 's' } }],
    allowForSession: true,
    amount: { value: 1, currency: 'GBP' },
  }
  const { approval, schema, words } = peerRequestWords('Travel', request(hostile, 'Read\nthis.'))
  expect(approval?.title).toMatch(/^Travel: Book bit\/b/)
  expect(JSON.stringify(approval)).not.toMatch(/[<>\n\u202E]/)
  expect(approval?.title.length).toBeLessThanOrEqual(300)
  expect(approval?.summary?.length).toBeLessThanOrEqual(2_000)
  const [[label, value] = ['', '']] = Object.entries(approval?.details ?? {})
  expect([label.length <= 101, value.length <= 1_001]).toEqual([true, true])
  expect(words?.labels).toEqual({ total: 'Total' })
  expect(Object.keys(approval ?? {})).toEqual(['title', 'summary', 'details'])
  expect(schema).toBeUndefined()
})

test('what the peer notes besides is told, and arguments can be changed as the peer says', () => {
  const total = { type: 'integer', maximum: 9 }
  const { approval, schema } = peerRequestWords('Travel', request({ title: 'Pay', editable: { total } }, 'Mind this.'))
  expect(approval).toEqual({ title: 'Travel: Pay', summary: 'Mind this.', editable: ['total'] })
  expect(schema).toEqual({ type: 'object', properties: { total } })
})

test('schemas that are too long for a form are left out', () => {
  const total = { enum: Array.from({ length: 9_000 }, (_, index) => index) }
  const { approval, schema } = peerRequestWords('Travel', request({ title: 'Pay', editable: { total } }))
  expect([approval?.editable, schema]).toEqual([undefined, undefined])
})
