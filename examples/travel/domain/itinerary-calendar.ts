import { contentLine, textValue } from './content-line.ts'
import type { Itinerary } from './itinerary.ts'
import type { PackageLine } from './package-line.ts'
import { momentOf } from './zoned-time.ts'

/** The itinerary as an iCalendar object (RFC 5545), one event per item; `now` is when it was made. */
export function itineraryCalendar(itinerary: Itinerary, now: number): string {
  const lines: [string, string][] = [
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//Example Provider//ExampleTravel//EN'],
    ['CALSCALE', 'GREGORIAN'],
    ...itinerary.items.flatMap((item) => event(item, itinerary, now)),
    ['END', 'VCALENDAR'],
  ]
  return lines.map(([name, value]) => contentLine(name, value)).join('')
}

function event(item: PackageLine, { reference, isBooked, travellers }: Itinerary, now: number): [string, string][] {
  const booking = isBooked ? [`Booking reference: ${reference}`] : []
  const people = travellers.length === 0 ? [] : [`Travellers: ${travellers.join(', ')}`]
  return [
    ['BEGIN', 'VEVENT'],
    // The same item of the same booking is the same event, however often the calendar is made.
    ['UID', textValue(`${item.itemId}:${reference}@travel.example.com`)],
    ['DTSTAMP', utc(now)],
    when('DTSTART', item.start, item.startZone),
    when('DTEND', item.end, item.endZone),
    ['SUMMARY', textValue(item.title)],
    ['LOCATION', textValue(item.place)],
    ['DESCRIPTION', textValue([item.details, ...booking, ...people].join('\n'))],
    ['STATUS', isBooked ? 'CONFIRMED' : 'TENTATIVE'],
    // A stay or voyage does not fill the days that it spans.
    ['TRANSP', item.startZone === undefined ? 'TRANSPARENT' : 'OPAQUE'],
    ['END', 'VEVENT'],
  ]
}

/** A time in UTC, or a whole day; the end of whole days is the day after the last, which is the day of leaving. */
function when(name: string, value: string, zone: string | undefined): [string, string] {
  if (zone === undefined) return [`${name};VALUE=DATE`, value.replaceAll('-', '')]
  return [name, utc(momentOf(value, zone))]
}

function utc(moment: number): string {
  return new Date(moment).toISOString().replaceAll(/[-:]|\.\d+/g, '')
}
