import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  partTypeRegistry,
  PartTypeRegistry,
  silentLogger,
  StateMachineRegistry,
  turnStates as defaultTurnStates,
  TurnStateRegistry,
  type StateMachineDefinition,
} from '@cool-ai/beach-core'
import { expect, onTestFinished, test } from 'vitest'
import { registriesOf } from './registries.ts'

const flush = { streaming: 'flush', buffered: 'drop' } as const
const map = { partType: 'ta.map', deliveryRules: flush }
const quoted = { id: 'ta.quoted', isTerminal: true, emitsEnvelope: true, holdsActor: false }
const booking: StateMachineDefinition = {
  components: { booking: { coordinates: { phase: { initial: 'open', transitions: { open: ['paid'], paid: [] } } } } },
}

test('lists are added to what is canonical, for this agent only', () => {
  const own = registriesOf({ partTypes: [map], turnStates: [quoted], stateMachines: [booking] })
  expect(own.partTypes.ids()).toEqual([...partTypeRegistry.ids(), 'ta.map'])
  expect(own.partTypes.get('approval-request')?.isCanonical).toBe(true)
  expect(own.turnStates.ids()).toEqual([...defaultTurnStates.ids(), 'ta.quoted'])
  expect(own.stateMachines.initial()).toEqual({ 'booking.phase': 'open' })
  const other = registriesOf({ partTypes: [], turnStates: [], stateMachines: [] })
  expect(other.partTypes.has('ta.map') || other.turnStates.has('ta.quoted')).toBe(false)
  expect(other.stateMachines.ids()).toEqual([])
})

test('a list that redefines a canonical name is refused by that name', () => {
  expect(() => registriesOf({ partTypes: [{ partType: 'response', deliveryRules: flush }] })).toThrow(
    "The part type 'response' is a canonical one with another 'deliveryRules'. Choose another id, such as 'yourapp.response'.",
  )
  expect(() => registriesOf({ turnStates: [{ ...quoted, id: 'awaiting' }] })).toThrow(
    "The turn state 'awaiting' is a canonical one with another 'isTerminal'.",
  )
})

test('two state machines that define a component differently are refused by their place in the list', () => {
  const closed: StateMachineDefinition = {
    components: { booking: { coordinates: { phase: { initial: 'closed', transitions: { closed: [] } } } } },
  }
  expect(() => registriesOf({ stateMachines: [booking, closed] })).toThrow(
    "stateMachines[1]: the component 'booking' is already defined differently.",
  )
})

test('a state-machine.json is read from its file, and what is wrong with it is said with its place', () => {
  const folder = mkdtempSync(join(tmpdir(), 'state-machine-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const right = file('state-machine.json', JSON.stringify(booking))
  expect(registriesOf({ stateMachines: [right] }).stateMachines.has('booking')).toBe(true)
  const broken = file('broken.json', '{ "components": {\n  oops } }')
  expect(() => registriesOf({ stateMachines: [broken] })).toThrow(/broken\.json: the file is not JSON: .*line 2/)
  const wrong = file('wrong.json', '{ "components": { "booking": { "coordinates": { "phase": { "initial": 7 } } } } }')
  expect(() => registriesOf({ stateMachines: [wrong] })).toThrow(/wrong\.json.*booking.*phase/s)
  expect(() => registriesOf({ stateMachines: [join(folder, 'missing.json')] })).toThrow('the file cannot be read.')
})

test('a registry, the earlier form of the options, gets the canonical entries that it lacks', () => {
  const given = { partTypes: new PartTypeRegistry({ logger: silentLogger }), turnStates: new TurnStateRegistry() }
  given.partTypes.register({ partType: 'domain-data', deliveryRules: flush })
  const stateMachines = new StateMachineRegistry()
  const registries = registriesOf({ ...given, stateMachines })
  expect(registries).toEqual({ ...given, stateMachines })
  expect(registries.partTypes.ids().toSorted()).toEqual(PartTypeRegistry.canonical().ids().toSorted())
  expect(registries.partTypes.get('domain-data')?.deliveryRules).toEqual(flush)
  expect(registries.turnStates.ids()).toEqual(TurnStateRegistry.canonical().ids())
})
