import { expect, test } from 'vitest'
import { checkRespond } from './check-respond.ts'
import { errorOf, registries } from './respond.test-helper.ts'

const version = 'v0.9'
const action = { event: { name: 'approval.decide', context: { approvalId: 'approval_x', decision: 'granted' } } }
const card = [
  { version, createSurface: { surfaceId: 'gift', catalogId: 'basic' } },
  { version, updateComponents: { surfaceId: 'gift', components: [{ id: 'root', component: 'Button', action }] } },
]

test.each([
  ['decide an approval', card, /^parts\[0\]: The action 'approval\.decide' is reserved: .*Use another name\.$/],
  [
    'look like the surface of one',
    [{ version, createSurface: { surfaceId: 'approval-approval_x', catalogId: 'basic' } }],
    /^parts\[0\]: The surface id 'approval-approval_x' is reserved: .*Use another id\.$/,
  ],
])('a model cannot make a surface that would %s, and is told why', (_, data, problem) => {
  const call = { turnState: 'complete', parts: [{ data, metadata: { partType: 'a2ui-surface' } }] }
  expect(errorOf(() => checkRespond(call, registries())).message).toMatch(problem)
})

test('a model cannot say that the user pressed something', () => {
  const call = { turnState: 'complete', parts: [{ data: {}, metadata: { partType: 'a2ui-action' } }] }
  expect(errorOf(() => checkRespond(call, registries())).message).toContain('only comes from outside, never from you')
})
