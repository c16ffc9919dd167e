import type { Slice } from './ports/slice.ts'
import { sliceState, type SessionState } from './session-log.ts'
import type { Coordinates } from './state-machines/definition.ts'
import type { StateMachineRegistry } from './state-machines/state-machine-registry.ts'

/** The coordinates that have moved from where their machines begin. */
export const stateSlice: Slice<Coordinates> = {
  ns: 'state',
  version: 1,
  initial: {},
  fold(state, event) {
    if (event.type !== 'stateChanged') return state
    return { ...state, ...Object.fromEntries(event.transitions.map(({ coordinate, to }) => [coordinate, to])) }
  },
}

/** Where every coordinate stands. */
export function coordinatesOf(state: SessionState, machines: StateMachineRegistry): Coordinates {
  return { ...machines.initial(), ...sliceState(stateSlice, state) }
}
