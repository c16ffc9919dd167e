import * as z from 'zod'
import { activityOf } from './activities.ts'
import { itemIdOf, type BasketItem } from './basket-item.ts'
import { cruiseOffer } from './cruises.ts'
import { flightOf } from './flights.ts'
import { hotelOffer } from './hotels.ts'
import { addDays, isoDate, nightsBetween, shortDate } from './iso-date.ts'
import { inPounds } from './money.ts'
import { partyOf } from './party.ts'
import { localTime, momentOf } from './zoned-time.ts'

const timeOrDay = z.union([z.iso.datetime({ local: true }), z.iso.date()])

/** An item of a package with what it is, when, where, and its price: `totalPence` is `quantity` times `unitPence`. */
export const packageLineSchema = z.object({
  itemId: z.string(),
  type: z.enum(['flight', 'hotel', 'activity', 'cruise']),
  title: z.string(),
  details: z.string(),
  place: z.string(),
  start: timeOrDay.describe('Local time, or a day.'),
  end: timeOrDay.describe('Local time, or for stays and voyages the day of leaving.'),
  startZone: z.string().exactOptional().describe('The time zone of a start that is a time.'),
  endZone: z.string().exactOptional(),
  quantity: z.int().positive(),
  unitPence: z.int().nonnegative(),
  totalPence: z.int().nonnegative(),
})

export type PackageLine = z.infer<typeof packageLineSchema>

type Described = Omit<PackageLine, 'itemId' | 'type' | 'totalPence'>

/** The item with its price of today; an error when what it refers to does not exist. */
export function packageLine(item: BasketItem): PackageLine {
  const described = describe(item)
  const totalPence = described.quantity * described.unitPence
  return { itemId: itemIdOf(item), type: item.type, ...described, totalPence }
}

/** `Sat 15 Aug 06:15, easyJet, direct, 2 passengers, £188.00`. */
export function factsOf({ start, end, details, totalPence }: PackageLine): string {
  const day = shortDate(start.slice(0, 10))
  const when = start.includes('T') ? `${day} ${start.slice(11, 16)}` : `${day} to ${shortDate(end)}`
  return `${when}, ${details}, ${inPounds(totalPence)}`
}

function describe(item: BasketItem): Described {
  switch (item.type) {
    case 'flight':
      return flightLine(item)
    case 'hotel':
      return hotelLine(item)
    case 'activity':
      return activityLine(item)
    case 'cruise':
      return cruiseLine(item)
  }
}

type Item<Type extends BasketItem['type']> = Extract<BasketItem, { type: Type }>

function flightLine({ flightNumber, date, passengers }: Item<'flight'>): Described {
  const { service, flight } = flightOf(flightNumber, date)
  const stops = flight.stops === 0 ? 'direct' : count(flight.stops, 'stop')
  return {
    title: `${flight.flightNumber} ${service.from.name} to ${service.to.name}`,
    details: `${flight.airline}, ${stops}, ${count(passengers, 'passenger')}`,
    place: `${service.from.name} airport (${service.from.code})`,
    start: flight.departure,
    end: flight.arrival,
    startZone: service.from.zone,
    endZone: service.to.zone,
    quantity: partyOf(passengers, 'passengers'),
    unitPence: flight.pricePerPerson * 100,
  }
}

function hotelLine({ hotelId, checkIn, checkOut, guests }: Item<'hotel'>): Described {
  const { offer } = hotelOffer(hotelId, { checkIn, checkOut, guests })
  const nights = nightsBetween(checkIn, checkOut)
  return {
    title: offer.name,
    details: `${count(nights, 'night')}, ${count(offer.rooms, 'room')} for ${count(guests, 'guest')}, ${offer.board}`,
    place: `${offer.area}, ${offer.destination}`,
    start: checkIn,
    end: checkOut,
    quantity: nights,
    unitPence: offer.pricePerNight * 100,
  }
}

function activityLine({ activityId, date, people }: Item<'activity'>): Described {
  const { activity, destination } = activityOf(activityId)
  const { zone, name } = destination.airport
  const start = `${isoDate(date)}T${activity.startsAt}:00`
  return {
    title: activity.name,
    details: `${name}, ${count(people, 'person', 'people')}`,
    place: activity.meetingPoint,
    start,
    end: localTime(momentOf(start, zone) + activity.minutes * 60_000, zone),
    startZone: zone,
    endZone: zone,
    quantity: partyOf(people, 'people'),
    unitPence: activity.pricePerPerson * 100,
  }
}

function cruiseLine({ cruiseId, departure, people }: Item<'cruise'>): Described {
  const cruise = cruiseOffer(cruiseId, departure)
  return {
    title: `${cruise.name} on the ${cruise.ship}`,
    details: `${cruise.line}, ${count(cruise.nights, 'night')}, ${count(people, 'person', 'people')}: ${cruise.ports.join(' – ')}`,
    place: cruise.ports[0] ?? cruise.region,
    start: departure,
    end: addDays(departure, cruise.nights),
    quantity: partyOf(people, 'people'),
    unitPence: cruise.pricePerPerson * 100,
  }
}

function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`
}
