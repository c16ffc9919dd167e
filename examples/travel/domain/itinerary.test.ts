import { describe, expect, test } from 'vitest'
import { booked, emptyBasket, withItems } from './basket.ts'
import { itineraryCalendar } from './itinerary-calendar.ts'
import { itineraryHtml } from './itinerary-html.ts'
import { itineraryOf } from './itinerary.ts'
import { packageOf } from './package.ts'
import { eventsOf, unescaped } from './read-calendar.test-helper.ts'

const basket = withItems(emptyBasket, [
  { type: 'flight', flightNumber: 'BA 2043', date: '2026-08-15', passengers: 2 },
  { type: 'flight', flightNumber: 'BA 2044', date: '2026-08-22', passengers: 2 },
  { type: 'hotel', hotelId: 'corfu-liston-house', checkIn: '2026-08-15', checkOut: '2026-08-22', guests: 2 },
  { type: 'activity', activityId: 'corfu-paxos-boat', date: '2026-08-17', people: 2 },
])
const { packageId, total } = packageOf(basket.items)
const afterwards = booked(basket, { key: 'key', packageId, total })
const reference = afterwards.bookings[0]?.booking.reference ?? ''
const now = Date.UTC(2026, 3, 20, 9, 50)

const hostile = '<script>alert(1)</script> "quoted" \'single\' & <img src=x onerror=alert(1)>\r\nEND:VCALENDAR; a, b\\'

describe('an itinerary', () => {
  test('is of the basket, or else of the last booking', () => {
    expect(itineraryOf(basket, {})).toMatchObject({ reference: packageId, isBooked: false })
    expect(itineraryOf(afterwards, {})).toMatchObject({ reference, isBooked: true, total })
    expect(itineraryOf({ ...afterwards, items: basket.items }, { reference })).toMatchObject({ isBooked: true })
  })

  test('of nothing, or of a booking that does not exist, is refused', () => {
    expect(() => itineraryOf(emptyBasket, {})).toThrow('There is nothing to make an itinerary of')
    expect(() => itineraryOf(emptyBasket, { reference: 'ET-X' })).toThrow(
      "There is no booking 'ET-X'. Nothing is booked.",
    )
    expect(() => itineraryOf(afterwards, { reference: 'ET-X' })).toThrow(`Booked are: ${reference}.`)
  })
})

describe('the page', () => {
  test('tells the journey day by day, with its reference and prices', () => {
    const html = itineraryHtml(itineraryOf(afterwards, { title: 'A week in Corfu', travellers: ['Ada', 'Grace'] }))
    const text = html.replaceAll(/<style>.*<\/style>/gs, '').replaceAll(/<[^>]*>/g, ' ')
    const places = [
      'A week in Corfu',
      `Booking reference: ${reference}`,
      'Travellers: Ada, Grace',
      'Saturday 15 August 2026',
      'BA 2043 London Gatwick to Corfu',
      '08:45 to 14:20',
      'Liston House',
      'Check out on Saturday 22 August 2026',
      'Monday 17 August 2026',
      'Boat day to Paxos',
      'Saturday 22 August 2026',
      'BA 2044',
      'Total',
      total,
    ]
    let from = 0
    for (const place of places) {
      const at = text.indexOf(place, from)
      expect(at, place).toBeGreaterThan(-1)
      from = at
    }
  })

  test('says that nothing is booked while nothing is', () => {
    expect(itineraryHtml(itineraryOf(basket, {}))).toContain('nothing is booked yet')
  })

  test('needs nothing from elsewhere and runs nothing', () => {
    const html = itineraryHtml(itineraryOf(basket, {}))
    expect(html).not.toMatch(/<script|<link|<img|\bsrc=|\bhref=|url\(|@import/)
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
  })

  test('shows hostile names as what they are: text', () => {
    const itinerary = itineraryOf(basket, { title: hostile, travellers: [hostile] })
    const items = itinerary.items.map((item) => ({ ...item, title: hostile, details: hostile, place: hostile }))
    const html = itineraryHtml({ ...itinerary, items, total: hostile, reference: hostile })
    const tags = new Set([...html.matchAll(/<\/?([a-z0-9!]+)/gi)].map(([, name]) => name?.toLowerCase()))
    expect(tags).not.toContain('script')
    expect(tags).not.toContain('img')
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &quot;quoted&quot; &#39;single&#39; &amp; &lt;img')
    expect(html.match(/<(?=\/?title)/g)).toHaveLength(2)
  })
})

describe('the calendar', () => {
  const calendar = itineraryCalendar(itineraryOf(afterwards, { travellers: ['Ada', 'Grace'] }), now)

  test('is one calendar of whole events, in lines of at most 75 octets that end with CRLF', () => {
    expect(calendar).toMatch(
      /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:[^\r]+\r\nCALSCALE:GREGORIAN\r\nBEGIN:VEVENT\r\n/,
    )
    expect(calendar.endsWith('END:VEVENT\r\nEND:VCALENDAR\r\n')).toBe(true)
    expect(calendar.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    for (const line of calendar.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(calendar.match(/BEGIN:VEVENT/g)).toHaveLength(4)
    expect(calendar.match(/END:VEVENT/g)).toHaveLength(4)
  })

  test('gives flights in UTC from both ends, and stays as whole days', () => {
    const [flight, hotel, boat] = eventsOf(calendar)
    expect(flight?.get('DTSTART')).toBe('20260815T074500Z')
    expect(flight?.get('DTEND')).toBe('20260815T112000Z')
    expect(flight?.get('DTSTAMP')).toBe('20260420T095000Z')
    expect(hotel?.get('DTSTART;VALUE=DATE')).toBe('20260815')
    expect(hotel?.get('DTEND;VALUE=DATE')).toBe('20260822')
    expect(boat?.get('DTSTART')).toBe('20260817T060000Z')
    expect(unescaped(boat?.get('LOCATION') ?? '')).toBe('New Port, Corfu Town')
  })

  test('gives every event its own id, the same when it is made again', () => {
    const ids = (text: string) => eventsOf(text).map((event) => event.get('UID'))
    expect(new Set(ids(calendar)).size).toBe(4)
    expect(ids(itineraryCalendar(itineraryOf(afterwards, {}), now + 1000))).toEqual(ids(calendar))
  })

  test('is confirmed only once it is booked', () => {
    expect(eventsOf(calendar).every((event) => event.get('STATUS') === 'CONFIRMED')).toBe(true)
    const proposal = eventsOf(itineraryCalendar(itineraryOf(basket, {}), now))
    expect(proposal.every((event) => event.get('STATUS') === 'TENTATIVE')).toBe(true)
  })

  test('cannot be broken out of by hostile names', () => {
    const itinerary = itineraryOf(basket, { travellers: [hostile] })
    const items = itinerary.items.map((item) => ({ ...item, title: hostile, details: hostile, place: hostile }))
    const text = itineraryCalendar({ ...itinerary, items }, now)
    expect(text.match(/(?:^|\r\n)END:VCALENDAR/g)).toHaveLength(1)
    const events = eventsOf(text)
    expect(events).toHaveLength(4)
    for (const event of events) expect(unescaped(event.get('SUMMARY') ?? '')).toBe(hostile.replace('\r\n', '\n'))
  })
})
