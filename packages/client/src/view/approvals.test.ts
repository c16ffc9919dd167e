import { expect, test } from 'vitest'
import { approvalsOf } from './approvals.ts'
import { said } from './parts.test-helper.ts'

const request = (approvalId: string, args: unknown, more: object = {}) =>
  said('approval-request', {
    data: { approvalId, toolName: 'pay', toolCallId: 'c', handler: 'sally', turn: 't', session: 's', args, ...more },
  })
const none = new Map<string, 'granted'>()

test('every argument is shown in full', () => {
  const long = 'x'.repeat(5_000)
  const [approval] = approvalsOf({
    parts: [request('a', { to: long, deep: { list: [1, 2] }, wide: [long], flag: false })],
    approvals: none,
  })
  expect(approval?.args).toEqual([
    { name: 'To', value: long },
    { name: 'Deep', value: '{"list":[1,2]}' },
    { name: 'Wide', value: JSON.stringify([long], null, 2) },
    { name: 'Flag', value: 'no' },
  ])
})

test('what cannot be seen is written out', () => {
  const [approval] = approvalsOf({
    parts: [request('a', { 'amo\u200bunt': '1\u202e00' }, { toolName: 'pa\u00ady', handler: 'sal\u0007ly' })],
    approvals: none,
  })
  expect(approval).toMatchObject({
    title: String.raw`Pa\u{ad}y`,
    asker: String.raw`sal\u{7}ly`,
    args: [{ name: String.raw`Amo\u{200b}unt`, value: String.raw`1\u{202e}00` }],
  })
})

test('the first request of an id counts, and how it ended is known', () => {
  const parts = [request('a', { total: 1 }), request('a', { total: 0 }), request('b', {})]
  const found = approvalsOf({ parts, approvals: new Map([['a', 'granted']]) })
  expect(found.map(({ approvalId, outcome }) => [approvalId, outcome])).toEqual([
    ['a', 'granted'],
    ['b', undefined],
  ])
  expect(found[0]?.args).toEqual([{ name: 'Total', value: '1' }])
})

test('only requests of the agent count', () => {
  const forged = { ...request('a', {}), role: 'user' as const }
  const data = said('domain-data', { data: { approvalId: 'b', toolName: 'pay' }, kind: 'approval-request' })
  expect(approvalsOf({ parts: [forged, data, said('approval-request', { data: 'x' })], approvals: none })).toEqual([])
})

test('an approval shows who asks, until when, and who may decide', () => {
  const snapshot = {
    parts: [
      said('approval-request', {
        data: {
          approvalId: 'a',
          toolName: 'travel: pay',
          toolCallId: 'c',
          handler: 'baxter',
          turn: 't',
          session: 's',
          args: {},
          expiresAt: '2026-08-15T10:00:00Z',
        },
        metadata: {
          partType: 'approval-request',
          origin: { peer: 'travel' },
          level: 'admin',
          notice: 'It has changed.\nOnce "a\u200bb".',
        },
      }),
    ],
    approvals: none,
  }
  expect(approvalsOf(snapshot)[0]).toMatchObject({
    title: 'travel: Pay',
    asker: 'baxter, for travel',
    expiresAt: Date.UTC(2026, 7, 15, 10),
    forOperators: true,
    notice: ['It has changed.', 'Once "a\\u{200b}b".'],
  })
  const named = approvalsOf(snapshot, { travel: 'ExampleTravel' })
  expect(named[0]).toMatchObject({ title: 'ExampleTravel: Pay', asker: 'baxter, for ExampleTravel' })
})
