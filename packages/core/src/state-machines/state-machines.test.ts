import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { initialCoordinates } from './definition.ts'
import { parseStateMachine } from './parse-definition.ts'
import { StateMachineRegistry } from './state-machine-registry.ts'
import { applyTransitions } from './transition.ts'

const booking = {
  components: {
    booking: {
      allowHandlerTransitions: true,
      coordinates: {
        phase: {
          initial: 'searching',
          transitions: { searching: ['selected'], selected: ['searching', 'booked'], booked: [] },
        },
        payment: { initial: 'open', transitions: { open: ['paid'], paid: [] } },
      },
    },
    account: { coordinates: { level: { initial: 'free', transitions: { free: ['pro'], pro: ['free'] } } } },
  },
}
const definition = parseStateMachine(booking)
const start = initialCoordinates(definition)

describe('reading a state-machine.json', () => {
  test('gives where every coordinate starts', () => {
    expect(start).toEqual({ 'booking.phase': 'searching', 'booking.payment': 'open', 'account.level': 'free' })
  })

  const coordinate = (value: unknown) => ({ components: { booking: { coordinates: { phase: value } } } })

  test.each([
    [undefined, 'app.json is not an object.'],
    [{}, "app.json has no 'components'."],
    [{ components: {}, component: {} }, "app.json has the unknown field 'component'."],
    [{ components: {} }, 'app.json: components is empty.'],
    [{ components: { 'a.b': {} } }, 'app.json: components.a.b has a malformed name'],
    [{ components: { booking: {} } }, "app.json: components.booking has no 'coordinates'."],
    [
      { components: { booking: { coordinates: {}, allowHandlerTransitions: 'yes' } } },
      'app.json: components.booking.allowHandlerTransitions is not true or false.',
    ],
    [coordinate({ initial: 'a' }), "app.json: components.booking.coordinates.phase has no 'transitions'."],
    [
      coordinate({ initial: 'b', transitions: { a: [] } }),
      "phase.initial is 'b', which is not one of the states under transitions.",
    ],
    [coordinate({ initial: 'a', transitions: { a: 'b' } }), 'phase.transitions.a is not a list of states'],
    [coordinate({ initial: 'a', transitions: { a: ['a', 'b'] } }), "phase.transitions.a[1] leads to 'b'"],
    [coordinate({ initial: 'toString', transitions: { a: [] } }), "phase.initial is 'toString'"],
  ])('%j is refused with the place that is wrong', (json, message) => {
    expect(() => parseStateMachine(json, 'app.json')).toThrow(message)
  })
})

describe('applying a patch', () => {
  test('moves every coordinate of it', () => {
    const patch = { 'booking.phase': 'selected', 'booking.payment': 'paid' }
    const outcome = applyTransitions(definition, start, patch, 'handler')
    expect(outcome).toEqual({
      accepted: true,
      coordinates: { ...start, ...patch },
      transitions: [
        { coordinate: 'booking.phase', from: 'searching', to: 'selected' },
        { coordinate: 'booking.payment', from: 'open', to: 'paid' },
      ],
    })
    expect(start['booking.phase']).toBe('searching')
  })

  test('moves none when one may not move', () => {
    const patch = { 'booking.payment': 'paid', 'booking.phase': 'booked' }
    const outcome = applyTransitions(definition, start, patch, 'handler')
    const reason = "'booking.phase' stands at 'searching' and may go to 'selected', not to 'booked'."
    expect(outcome).toEqual({ accepted: false, reason, rejections: [{ coordinate: 'booking.phase', reason }] })
  })

  test('by a handler is refused where the component does not allow handlers', () => {
    const patch = { 'account.level': 'pro' }
    expect(applyTransitions(definition, start, patch, 'handler')).toMatchObject({
      accepted: false,
      reason: expect.stringContaining('allowHandlerTransitions'),
    })
    expect(applyTransitions(definition, start, patch, 'application')).toMatchObject({ accepted: true })
  })

  test('to where a coordinate stands is accepted and moves nothing', () => {
    const outcome = applyTransitions(definition, start, { 'booking.phase': 'searching' }, 'handler')
    expect(outcome).toEqual({ accepted: true, coordinates: start, transitions: [] })
  })

  test('treats a coordinate that is new since the session began as standing at its start', () => {
    const outcome = applyTransitions(definition, {}, { 'booking.phase': 'selected' }, 'handler')
    expect(outcome).toMatchObject({ accepted: true, coordinates: { 'booking.phase': 'selected' } })
  })

  test.each([
    [{ 'booking.colour': 'red' }, "There is no coordinate 'booking.colour'."],
    [{ 'constructor.name': 'x' }, "There is no coordinate 'constructor.name'."],
    [{ 'booking.phase.x': 'selected' }, "There is no coordinate 'booking.phase.x'."],
    [{ booking: 'selected' }, "There is no coordinate 'booking'."],
    [{ 'booking.phase': 'toString' }, "'booking.phase' has no state 'toString'."],
    [{ 'booking.phase': 7 }, 'The patch is not an object of strings.'],
    [['selected'], 'The patch is not an object of strings.'],
    [undefined, 'The patch is not an object of strings.'],
  ])('%j is refused', (patch, reason) => {
    expect(applyTransitions(definition, start, patch, 'handler')).toMatchObject({ accepted: false, reason })
  })

  test('from a state that the definition no longer has is refused', () => {
    const outcome = applyTransitions(definition, { 'booking.phase': 'gone' }, { 'booking.phase': 'booked' }, 'handler')
    expect(outcome).toMatchObject({ accepted: false, reason: expect.stringContaining("'gone'") })
  })

  test('never leaves the states of the definition, and is all or nothing, whatever is proposed', () => {
    const state = fc.constantFrom('searching', 'selected', 'booked', 'open', 'paid', 'nowhere')
    const name = fc.constantFrom('booking.phase', 'booking.payment', 'account.level')
    fc.assert(
      fc.property(fc.array(fc.dictionary(name, state)), (patches) => {
        let current = start
        for (const patch of patches) {
          const outcome = applyTransitions(definition, current, patch, 'handler')
          if (!outcome.accepted) continue
          expect(outcome.coordinates).toEqual({ ...current, ...patch })
          current = outcome.coordinates
        }
        expect(['searching', 'selected', 'booked']).toContain(current['booking.phase'])
        expect(current['account.level']).toBe('free')
      }),
    )
  })
})

describe('the registry of state machines', () => {
  test('joins the components of several files', () => {
    const registry = new StateMachineRegistry()
    registry.register(booking)
    const trip = { initial: 'planned', transitions: { planned: ['left'], left: [] } }
    registry.register({ components: { trip: { allowHandlerTransitions: true, coordinates: { phase: trip } } } })
    expect(registry.ids()).toEqual(['booking', 'account', 'trip'])
    const patch = { 'trip.phase': 'left', 'booking.phase': 'selected' }
    expect(registry.apply(registry.initial(), patch, 'handler')).toMatchObject({ accepted: true })
  })

  test('takes the same component again, and refuses another one of that name with all of its file', () => {
    const registry = new StateMachineRegistry()
    registry.register(booking)
    registry.register(structuredClone(booking))
    const other = { coordinates: { phase: { initial: 'a', transitions: { a: [] } } } }
    expect(() => registry.register({ components: { trip: other, booking: other } }, 'other.json')).toThrow(
      "other.json: the component 'booking' is already defined differently.",
    )
    expect(registry.has('trip')).toBe(false)
  })
})
