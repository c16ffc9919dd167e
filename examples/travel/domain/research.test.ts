import { expect, test } from 'vitest'
import { destinations } from './data/destinations.ts'
import { sectionNames } from './destination.ts'
import { researchSections, researchSectionSchema, researchSlot } from './research.ts'

test('every destination has every section, each of several sentences and with its own source', () => {
  const urls = new Set<string>()
  for (const { id, airport } of destinations) {
    const sections = researchSections(airport.name)
    expect(sections.map(({ section }) => section)).toEqual(sectionNames)
    for (const section of sections) {
      researchSectionSchema.parse(section)
      expect(section.text.split(/[.;] /).length, section.title).toBeGreaterThanOrEqual(3)
      expect(researchSlot(section)).toBe(`research-${id}-${section.section}`)
      urls.add(section.source.url)
    }
  }
  expect(urls.size).toBe(destinations.length * sectionNames.length)
})

test('sections are told in their order, whichever were asked for', () => {
  expect(researchSections('Rome', ['itinerary', 'culture']).map(({ section }) => section)).toEqual([
    'culture',
    'itinerary',
  ])
})

test('ids are not shared: of destinations, hotels and activities', () => {
  const ids = destinations.flatMap(({ id, hotels, activities }) => [
    id,
    ...hotels.map(({ hotelId }) => hotelId),
    ...activities.map(({ activityId }) => activityId),
  ])
  expect(new Set(ids).size).toBe(ids.length)
})
