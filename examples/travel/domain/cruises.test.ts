import { expect, test } from 'vitest'
import { cruiseOffer, cruiseResultsSchema, searchCruises } from './cruises.ts'

test('cruises are found by region, cheapest first, with at most three departures of each', () => {
  const { cruises } = cruiseResultsSchema.parse(searchCruises({ from: '2026-08-01', region: 'Adriatic' }))
  expect(new Set(cruises.map(({ cruiseId }) => cruiseId))).toEqual(new Set(['dalmatian-islands', 'adriatic-jewels']))
  const prices = cruises.map(({ pricePerPerson }) => pricePerPerson)
  expect(prices).toEqual(prices.toSorted((one, other) => one - other))
  for (const { departure } of cruises) expect(departure >= '2026-08-01' && departure <= '2026-09-30').toBe(true)
  expect(cruises).toHaveLength(6)
})

test('cruises are found by port, type, length and country', () => {
  const ids = (search: object) =>
    new Set(searchCruises({ from: '2026-06-01', ...search }).cruises.map(({ cruiseId }) => cruiseId))
  expect(ids({ port: 'Dubrovnik' })).toEqual(new Set(['adriatic-jewels', 'dalmatian-islands']))
  expect(ids({ type: 'river' })).toEqual(new Set(['douro-valley']))
  expect(ids({ region: 'Mediterranean', maxNights: 5 })).toEqual(new Set(['dalmatian-islands']))
  expect(ids({ region: 'Greek islands' })).toEqual(new Set(['ionian-classic', 'aegean-antiquity']))
})

test('a season without departures gives an empty list, not an error', () => {
  expect(searchCruises({ from: '2027-01-05', to: '2027-01-20', region: 'Iceland' }).cruises).toEqual([])
})

test('cruises that do not exist are refused with what there is', () => {
  expect(() => searchCruises({ from: '2026-06-01', region: 'Caribbean' })).toThrow(
    /^No cruise is like that\. Regions are: Ionian Sea, /,
  )
  expect(() => searchCruises({ from: '2026-06-01', to: '2026-05-01' })).toThrow('not -31')
})

test('a cruise leaves only on its days, and says when the next one is', () => {
  expect(cruiseOffer('ionian-classic', '2026-08-16')).toMatchObject({ nights: 7, departure: '2026-08-16' })
  expect(() => cruiseOffer('ionian-classic', '2026-09-24')).toThrow(
    'Ionian Classic does not leave on 2026-09-24. The next departure is on 2027-05-02.',
  )
  expect(() => cruiseOffer('titanic', '2026-08-16')).toThrow(/^There is no cruise 'titanic'\./)
})
