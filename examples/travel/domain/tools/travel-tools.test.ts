import { resolveCitations } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import type { Booking } from '../booking.ts'
import type { Package } from '../package.ts'
import { toolContext } from './tool-context.test-helper.ts'

const flight = { type: 'flight', flightNumber: 'EJ4521', date: '2026-08-15', passengers: 2 }
const hotel = { type: 'hotel', hotelId: 'corfu-liston-house', checkIn: '2026-08-15', checkOut: '2026-08-22', guests: 2 }

type TestContext = ReturnType<typeof toolContext>
const basket = async ({ call }: TestContext, input: unknown) =>
  (await call('assemble_package', input)) as { data: Package; bookings: string[] }
const book = async ({ call }: TestContext, input: unknown, key: string) =>
  ((await call('book_package', input, { key })) as { data: Booking }).data

test('the registry takes all seven tools, and every input has a JSON Schema that says what to give', () => {
  const { registry } = toolContext()
  expect(registry.names()).toEqual([
    'search_flights',
    'search_hotels',
    'search_cruises',
    'research_destination',
    'assemble_package',
    'book_package',
    'make_itinerary',
  ])
  for (const { input, definition } of registry.select(registry.names(), 'sally')) {
    expect(input.jsonSchema.type).toBe('object')
    expect(definition.outputSchema).toBeDefined()
    expect(definition.tags?.length).toBeGreaterThan(0)
    expect(definition.timeoutMs).toBeGreaterThan(0)
    expect(definition.idempotent).toBe(true)
  }
})

test('a search for flights gives data of the kind flight-results, and the airports that were meant', async () => {
  const { call } = toolContext()
  const search = { origin: 'Gatwick', destination: 'Corfu', date: '2026-08-15', directOnly: true }
  expect(await call('search_flights', search)).toMatchObject({
    kind: 'flight-results',
    data: { route: { origin: 'London Gatwick', destination: 'Corfu' }, flights: [{ flightNumber: 'EJ4521' }, {}] },
    passengers: 1,
    origins: ['London Gatwick'],
    destinations: ['Corfu'],
  })
  const london = await call('search_flights', { ...search, origin: 'London' })
  expect(london).toMatchObject({ origins: ['London Gatwick', 'London Heathrow'] })
})

test('a search for hotels and one for cruises give data of their kinds', async () => {
  const { call } = toolContext()
  const { checkIn, checkOut } = hotel
  const hotels = await call('search_hotels', { destination: 'Corfu', checkIn, checkOut })
  expect(hotels).toMatchObject({ kind: 'hotel-results', data: { stay: { nights: 7 } } })
  const cruises = await call('search_cruises', { from: '2026-08-01', region: 'Ionian' })
  expect(cruises).toMatchObject({ kind: 'cruise-results', data: { cruises: [{ ship: 'Nausicaa' }, {}, {}] } })
})

test('arguments that are no days or no people are refused before the tool runs', async () => {
  const { call } = toolContext()
  const search = { origin: 'LGW', destination: 'CFU', date: '15 August', passengers: 12 }
  await expect(call('search_flights', search)).rejects.toThrow(
    'date: must be a day, written as YYYY-MM-DD; passengers: ',
  )
  await expect(call('assemble_package', { action: 'add', items: [{ ...flight, type: 'yacht' }] })).rejects.toThrow(
    'items.0.type',
  )
})

describe('research', () => {
  test('shows progress, and every section with its source as it is found', async () => {
    const { call, emitted } = toolContext()
    const result = await call('research_destination', { destination: 'Corfu' })
    const progress = emitted.flat().filter(({ metadata }) => metadata.partType === 'progress')
    expect(progress.map(({ data }) => data)).toEqual(
      [0, 1, 2, 3, 4].map((done) => ({ label: 'Research on Corfu', done, total: 4, unit: 'sections' })),
    )
    const sections = emitted.flat().filter(({ metadata }) => metadata.partType === 'domain-data')
    expect(sections.map(({ metadata }) => metadata)).toEqual(
      ['culture', 'logistics', 'activities', 'itinerary'].map((section) => ({
        partType: 'domain-data',
        kind: 'research-section',
        slotKey: `research-corfu-${section}`,
      })),
    )
    expect(result).toMatchObject({ destination: 'Corfu', sections: sections.map(({ data }) => data) })
  })

  test('cites the text of each section', async () => {
    const { call, emitted } = toolContext()
    const result = (await call('research_destination', {
      destination: 'Rome',
      sections: ['culture', 'logistics'],
    })) as {
      sections: { text: string; source: { title: string; url: string } }[]
    }
    const citations = resolveCitations(emitted.flat())
    expect(citations.map(({ target }) => target)).toEqual(
      result.sections.map(({ text }) => ({ found: true, value: text })),
    )
    expect(citations.map(({ citation: { title, url } }) => ({ title, url }))).toEqual(
      result.sections.map(({ source }) => source),
    )
  })

  test('takes its time for each section, and stops when its caller has gone', async () => {
    const { call, emitted, clock } = toolContext({ sectionMs: 500 })
    const stop = new AbortController()
    const running = call('research_destination', { destination: 'Corfu' }, { signal: stop.signal })
    const ended = expect(running).rejects.toThrow('enough')
    await clock.advance(1_200)
    expect(emitted).toHaveLength(3)
    stop.abort(new Error('enough'))
    await ended
    expect(emitted).toHaveLength(3)
  })

  test('of a country asks for one place', async () => {
    const { call, emitted } = toolContext()
    await expect(call('research_destination', { destination: 'Greece' })).rejects.toThrow('Name one of them.')
    expect(emitted).toEqual([])
  })
})

describe('the package', () => {
  test('is put together, viewed and taken apart', async () => {
    const setup = toolContext()
    const added = await basket(setup, { action: 'add', items: [flight, hotel] })
    expect(added.data).toMatchObject({ totalPence: 9_400 * 2 + 16_500 * 7, total: '£1,343.00' })
    expect(await basket(setup, { action: 'view' })).toEqual(added)
    const less = await basket(setup, { action: 'remove', itemIds: ['hotel:corfu-liston-house:2026-08-15'] })
    expect(less.data).toMatchObject({ total: '£188.00' })
  })

  test('stays as it was when one of the items does not exist', async () => {
    const setup = toolContext()
    const wrong = { ...flight, flightNumber: 'BA 1' }
    await expect(basket(setup, { action: 'add', items: [hotel, wrong] })).rejects.toThrow("There is no flight 'BA 1'.")
    expect((await basket(setup, { action: 'view' })).data.items).toEqual([])
  })

  test('says what is missing when an action has nothing to act on', async () => {
    const setup = toolContext()
    await expect(basket(setup, { action: 'add' })).rejects.toThrow('To add, give the items to add.')
    await expect(basket(setup, { action: 'remove' })).rejects.toThrow('To remove, give the itemIds to remove.')
  })

  test('belongs to its session', async () => {
    const setup = toolContext()
    await basket(setup, { action: 'add', items: [flight] })
    const session = { ...setup.context.session, sessionId: 'sess_two' }
    const other = (await setup.call('assemble_package', { action: 'view' }, { session })) as { data: Package }
    expect(other.data.items).toEqual([])
  })
})

describe('booking', () => {
  test('always needs the approval of the user, and no scopes', () => {
    const definition = toolContext().registry.get('book_package')?.definition
    expect(typeof definition?.requiresApproval === 'function' && definition.requiresApproval({}, {} as never)).toBe(
      'user',
    )
    expect(definition?.requiredScopes).toEqual([])
  })

  test('run again with the same key is the same booking, even after the basket has changed', async () => {
    const setup = toolContext()
    const { packageId, total, totalPence, items } = (await basket(setup, { action: 'add', items: [flight, hotel] }))
      .data
    const first = await book(setup, { packageId, total }, 'key-1')
    expect(first).toMatchObject({ status: 'confirmed', total, totalPence, items })
    await basket(setup, { action: 'add', items: [hotel] })
    expect(await book(setup, { packageId, total }, 'key-1')).toEqual(first)
    const now = await basket(setup, { action: 'view' })
    expect(now.bookings).toEqual([first.reference])
    expect(now.data.items).toHaveLength(1)
  })

  test('books nothing when the basket has changed since the user was asked', async () => {
    const setup = toolContext()
    const { packageId, total } = (await basket(setup, { action: 'add', items: [flight] })).data
    await basket(setup, { action: 'add', items: [hotel] })
    await expect(book(setup, { packageId, total }, 'key-1')).rejects.toThrow('show it to the user and ask again')
    expect((await basket(setup, { action: 'view' })).bookings).toEqual([])
  })
})

test('an itinerary is a page and a calendar among the artifacts of the tenant and the session', async () => {
  const setup = toolContext()
  await basket(setup, { action: 'add', items: [flight, hotel] })
  const result = await setup.call('make_itinerary', { title: 'A week in Corfu', travellers: ['Zoë'] })
  const [page, calendar] = setup.artifacts.kept
  expect(result).toEqual({
    artifacts: [page, calendar].map((kept) => ({
      artifactId: kept?.artifact.artifactId,
      name: kept?.artifact.name,
      mimeType: kept?.artifact.mimeType,
      sizeBytes: Buffer.byteLength(kept?.text ?? ''),
    })),
  })
  expect(page?.artifact).toMatchObject({
    name: 'itinerary-2026-08-15.html',
    mimeType: 'text/html; charset=utf-8',
    tenant: 'acme',
    session: 'sess_one',
  })
  expect(calendar?.artifact).toMatchObject({
    name: 'itinerary-2026-08-15.ics',
    mimeType: 'text/calendar; charset=utf-8',
  })
  expect(page?.text).toContain('<h1>A week in Corfu</h1>')
  expect(calendar?.text).toContain('DTSTAMP:20260420T095000Z\r\n')
})
