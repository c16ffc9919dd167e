import { describe, expect, test } from 'vitest'
import { addDays } from './iso-date.ts'
import { destinations } from './data/destinations.ts'
import { origins } from './data/origins.ts'
import { compact, services } from './flight-schedule.ts'
import { flightOf, flightResultsSchema, searchFlights } from './flights.ts'

const corfu = { origin: 'Gatwick', destination: 'Corfu', date: '2026-08-15', passengers: 6 }

describe('the flights of the specification', () => {
  test('are the two direct ones from Gatwick to Corfu on 15 August 2026, and nothing else is', () => {
    expect(searchFlights({ ...corfu, directOnly: true })).toEqual({
      route: { origin: 'London Gatwick', destination: 'Corfu' },
      flights: [
        {
          flightNumber: 'EJ4521',
          airline: 'easyJet',
          departure: '2026-08-15T06:15:00',
          arrival: '2026-08-15T12:00:00',
          pricePerPerson: 94,
          currency: 'GBP',
          stops: 0,
        },
        {
          flightNumber: 'BA 2043',
          airline: 'British Airways',
          departure: '2026-08-15T08:45:00',
          arrival: '2026-08-15T14:20:00',
          pricePerPerson: 187,
          currency: 'GBP',
          stops: 0,
        },
      ],
    })
  })

  test('come before those with stops, so that filtering for direct ones means something', () => {
    const { flights } = searchFlights(corfu)
    expect(flights.map(({ flightNumber }) => flightNumber).slice(0, 2)).toEqual(['EJ4521', 'BA 2043'])
    expect(flights.slice(2).map(({ stops }) => stops)).toEqual([1])
  })
})

test('every pair of airports has direct flights on every day, both ways', () => {
  for (const { name } of origins) {
    for (const { airport } of destinations) {
      for (const date of ['2026-01-01', '2026-03-29', '2026-08-16', '2031-12-31', '2096-02-29']) {
        const out = searchFlights({ origin: name, destination: airport.code, date, passengers: 1, directOnly: true })
        const back = searchFlights({ origin: airport.code, destination: name, date, passengers: 1, directOnly: true })
        expect(flightResultsSchema.parse(out).flights.length).toBeGreaterThan(0)
        expect(flightResultsSchema.parse(back).flights.length).toBeGreaterThan(0)
      }
    }
  }
})

test('no two services share a number, and all keep bearable hours', () => {
  expect(new Set(services.map(({ flightNumber }) => compact(flightNumber))).size).toBe(services.length)
  for (const { flightNumber, minutes } of services) {
    const { flight } = flightOf(flightNumber, '2026-06-10')
    expect(minutes).toBeGreaterThan(90)
    expect(minutes).toBeLessThan(8 * 60)
    expect(flight.departure.slice(11) >= '06:00').toBe(true)
    expect([flight.departure.slice(0, 10), addDays(flight.departure.slice(0, 10), 1)]).toContain(
      flight.arrival.slice(0, 10),
    )
    expect(flight.pricePerPerson).toBeGreaterThan(20)
  }
})

test('the same search finds the same, and another day other prices', () => {
  expect(searchFlights(corfu)).toEqual(searchFlights(corfu))
  const prices = ['2026-02-10', '2026-05-10', '2026-08-10'].map(
    (date) => searchFlights({ ...corfu, date }).flights[0]?.pricePerPerson,
  )
  expect(new Set(prices).size).toBe(3)
})

test('a city with several airports gives the flights of all, each with its airport', () => {
  const { route, flights } = searchFlights({ ...corfu, origin: 'London' })
  expect(route.origin).toBe('London Gatwick or London Heathrow')
  expect(new Set(flights.map(({ from }) => from))).toEqual(new Set(['London Gatwick', 'London Heathrow']))
  expect(flights.every(({ to }) => to === undefined)).toBe(true)
})

test('an unserved route is refused with those that are flown', () => {
  expect(() => searchFlights({ ...corfu, origin: 'Manchester', destination: 'Edinburgh' })).toThrow(
    /^Nothing flies from Manchester to Edinburgh\. Flights go between London Gatwick, London Heathrow, Manchester or Edinburgh and Corfu, /,
  )
})

test.each([0, 10, 1.5])('%d passengers are refused', (passengers) => {
  expect(() => searchFlights({ ...corfu, passengers })).toThrow('a whole number from 1 to 9')
})

test('a flight is found by its number however it is written, and one that does not exist is refused', () => {
  expect(flightOf('ba2043', '2026-08-15').flight.pricePerPerson).toBe(187)
  expect(flightOf('EJ 4521', '2026-08-15').flight.pricePerPerson).toBe(94)
  expect(() => flightOf('BA 9999', '2026-08-15')).toThrow(/^There is no flight 'BA 9999'\./)
  expect(() => flightOf('BA 2043', '2026-08-32')).toThrow('is not a day that exists')
})
