import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'
import { scriptedAnalyst } from './scripted-analyst.ts'

const { signal } = new AbortController()

function translated(...data: unknown[]): Promise<string | undefined> {
  const facts = data.map((value) => ({ data: value, metadata: { partType: 'domain-data' } }))
  const parts = [{ text: 'Here they are.', metadata: { partType: 'response' } }, ...facts]
  return new LlmContextTranslator({ model: scriptedAnalyst }).translate({ turnId: 't', parts }, signal)
}

test('flights are compared for the traveller', async () => {
  const flights = [
    { flightNumber: 'BA 2043', airline: 'British Airways', pricePerPerson: 187, stops: 0 },
    { flightNumber: 'EJ 1', airline: 'easyJet', pricePerPerson: 94.5, stops: 1 },
  ].map((flight) => ({ ...flight, departure: '2026-08-15T08:00:00', arrival: '2026-08-15T13:00:00', currency: 'GBP' }))
  expect(await translated({ route: { origin: 'London Gatwick', destination: 'Corfu' }, flights })).toBe(
    'Flights London Gatwick to Corfu: 2 options; the cheapest is easyJet EJ 1 at £94.50 a person, £92.50 below the ' +
      'dearest, British Airways BA 2043. 1 of 2 are direct. Prices are of this search and may change until it is booked.',
  )
})

test('what is no result of a search has no analysis', async () => {
  expect(await translated({ something: 'else' })).toBeUndefined()
})
