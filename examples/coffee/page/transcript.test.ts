import { expect, test } from 'vitest'
import { transcriptOf, type TranscriptPart } from './transcript.ts'

let ids = 0

function flowPart(name: string, data: object): TranscriptPart {
  return { partId: `p${ids++}`, role: 'agent', partType: `intentflow.${name}`, data }
}

function said(role: 'user' | 'agent', text: string): TranscriptPart {
  return { partId: `p${ids++}`, role, partType: role === 'user' ? 'message' : 'response', text }
}

const order = {
  instanceId: 'f1',
  intentId: 'order.place',
  displayMode: 'sheet',
  props: {},
  context: {},
  state: 'review',
}
const placed = [
  said('user', 'order my usual'),
  flowPart('render', order),
  said('agent', 'Here is your order.'),
  flowPart('transition', {
    instanceId: 'f1',
    toState: 'confirmed',
    context: { orderId: 'o1', confirmationNumber: 'CF-10001', total: 5 },
    followUp: { intentId: 'order.track', props: { orderId: 'o1' } },
  }),
  flowPart('dismiss', { instanceId: 'f1', reason: 'completed' }),
]
const track = {
  instanceId: 'f2',
  intentId: 'order.track',
  displayMode: 'inline',
  props: { orderId: 'o1', confirmationNumber: 'CF-10001' },
  context: {},
  state: 'preparing',
}

test('an order that is placed stands there with what may come next', () => {
  const next = { intentId: 'order.track', props: { orderId: 'o1' }, label: 'Track it' }
  expect(transcriptOf(placed)).toMatchObject([
    { kind: 'said', role: 'user' },
    { kind: 'said', role: 'agent' },
    { kind: 'ended', text: 'Order CF-10001 is placed, $5.00.', next },
  ])
})

test('what was suggested and taken is not suggested any more, and an inline flow stands where it came', () => {
  const entries = transcriptOf([...placed, flowPart('render', track), said('user', 'thanks')])
  expect(entries.map(({ kind }) => kind)).toEqual(['said', 'said', 'ended', 'flow', 'said'])
  expect(entries[2]).not.toHaveProperty('next')
})

test('a flow that is over leaves a line where it ended', () => {
  const entries = transcriptOf([
    flowPart('render', track),
    said('user', 'got it'),
    flowPart('transition', { instanceId: 'f2', toState: 'collected' }),
    flowPart('dismiss', { instanceId: 'f2', reason: 'completed' }),
  ])
  expect(entries).toMatchObject([{ kind: 'said' }, { kind: 'ended', text: 'Order CF-10001 is collected. Enjoy!' }])
})

test('errors that belong to no flow are told, those of a flow are the flow’s own', () => {
  const entries = transcriptOf([
    flowPart('error', { code: 'HYDRATION_FAILED', message: 'You have no order under way.' }),
    flowPart('error', { code: 'MUTATION_FAILED', message: 'Declined', instanceId: 'f1' }),
  ])
  expect(entries).toMatchObject([{ kind: 'problem', text: 'You have no order under way.' }])
})

test('an order that was cancelled here is told of once', () => {
  const cancel = { ...track, instanceId: 'f3', intentId: 'order.cancel', displayMode: 'modal', state: 'confirming' }
  const props = { ...track.props, total: 5, refundTo: 'Visa ••4242' }
  const entries = transcriptOf([
    flowPart('render', track),
    flowPart('render', { ...cancel, props }),
    flowPart('transition', { instanceId: 'f3', toState: 'cancelled' }),
    flowPart('dismiss', { instanceId: 'f3', reason: 'completed' }),
    flowPart('transition', { instanceId: 'f2', toState: 'cancelled' }),
    flowPart('dismiss', { instanceId: 'f2', reason: 'completed' }),
  ])
  expect(entries).toMatchObject([{ kind: 'ended', text: 'Order CF-10001 is cancelled. $5.00 go back to Visa ••4242.' }])
})
