import { expect, test } from 'vitest'
import { airportsOf, findAirports, findDestinations, theDestination } from './places.ts'

test.each([
  ['LGW', ['LGW']],
  ['gatwick', ['LGW']],
  ['London Gatwick Airport', ['LGW']],
  ['Gatwick (LGW)', ['LGW']],
  ['London', ['LGW', 'LHR']],
  ['corfu', ['CFU']],
  ['Corfu, Greece', ['CFU']],
  ['the island of Corfu', ['CFU']],
  ['Reykjavík', ['KEF']],
  ['REYKJAVIK', ['KEF']],
  ['Cilipi', ['DBV']],
  ['Canary Islands', ['TFS']],
  ['Greece', ['CFU', 'ATH']],
  ['Spain', ['BCN', 'TFS']],
  ['Paris', []],
  ['London Corfu', []],
  ['airport', []],
  ['  ', []],
])("'%s' means the airports %j", (text, codes) => {
  expect(findAirports(text).map(({ code }) => code)).toEqual(codes)
})

test('a place that is not known is refused with the names of those that are', () => {
  expect(() => findDestinations('Paris')).toThrow(
    "There is no destination 'Paris' here. Destinations are: Corfu, Rome, Lisbon, Barcelona, Athens, Dubrovnik, Reykjavik, Tenerife.",
  )
  expect(() => airportsOf('Luton', 'origin')).toThrow(
    /^There is no airport for the origin 'Luton' here\. Airports are: London Gatwick \(LGW\), /,
  )
})

test('a place that may be several is refused where only one will do', () => {
  expect(theDestination('Roma').id).toBe('rome')
  expect(() => theDestination('Greece')).toThrow("'Greece' can be Corfu or Athens. Name one of them.")
})

test('an origin is not a destination', () => {
  expect(() => findDestinations('London')).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
})
