import { cruises } from '../domain/data/cruises.ts'
import { destinations } from '../domain/data/destinations.ts'
import { placeWords } from '../domain/places.ts'
import { destinationNames } from './place-words.ts'

/** Words that Sally reads for, in which slips of a letter are put right. */
export const vocabulary: readonly string[] = [
  ...'flight flights hotel hotels cruise cruises basket itinerary research cheapest cheaper direct breakfast second third'.split(
    ' ',
  ),
  ...'january february april august september october november december tomorrow'.split(' '),
  ...'monday tuesday wednesday thursday friday saturday sunday people adults passengers nights business'.split(' '),
  ...destinationNames.map((name) => name.toLowerCase()),
  ...'gatwick heathrow manchester edinburgh adriatic aegean'.split(' '),
]

/** Words of the demo's names, which are right as they are. */
export const namesOfThings: ReadonlySet<string> = new Set(
  [
    ...destinations.flatMap(({ airport, hotels, activities }) => [
      airport.country,
      ...airport.aliases,
      ...hotels.flatMap(({ name, area }) => [name, area]),
      ...activities.flatMap(({ name, meetingPoint }) => [name, meetingPoint]),
    ]),
    ...cruises.flatMap(({ name, ship, line, region }) => [name, ship, line, region]),
  ].flatMap(placeWords),
)
