import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { test } from 'vitest'
import { Conversation } from './support/conversation.ts'
import { decides } from './support/press.ts'
import { startServer } from './support/server-process.ts'

const program = 'examples/travel/start.mjs'

test.concurrent('the travel agent searches, asks back, assembles, books after approval and writes an itinerary', async (context) => {
  const { expect } = context
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
  const talk = await Conversation.open(server.url)

  await talk.say('find me flights to Corfu in August')
  await talk.settled(1)
  expect(talk.partOf('response')?.text).toBe(
    'Two direct options to Corfu on Saturday 15 August 2026, for 2 people. easyJet £94pp at 06:15; British Airways £187pp at 08:45.',
  )
  expect(talk.partOf('domain-data')?.metadata.kind).toBe('flight-results')

  await talk.say('flights from London to Rome')
  await talk.settled(2)
  expect(talk.partOf('clarify')?.text).toBe('Did you mean the flight from Gatwick or Heathrow?')
  await talk.say('Gatwick')
  await talk.settled(3)
  expect(talk.partOf('response')?.text).toMatch(/to Rome/)

  await talk.say('hotels in Lisbon')
  await talk.settled(4)
  await talk.say('cruises in the Adriatic')
  await talk.settled(5)
  expect(talk.partOf('domain-data')?.metadata.kind).toBe('cruise-results')

  await talk.say('add BA 2043')
  await talk.settled(6)
  await talk.say('book it')
  await talk.suspended()
  expect(talk.partOf('approval-request')?.data).toMatchObject({ toolName: 'book_package', args: { total: '£374.00' } })
  expect(await talk.decide('granted')).toBe(200)
  await talk.settled(7)
  expect(talk.partOf('response')?.text).toMatch(/Booked. Your reference is ET-/)
  expect(await talk.decide('denied')).toBe(409)

  await talk.say('make an itinerary')
  await talk.settled(8)
  const artifact = talk.partOf('artifact')?.data as { url: string } | undefined
  const url = artifact?.url ?? ''
  const file = await fetch(server.url + url)
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="itinerary-/)
  expect(await file.text()).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*BA 2043[\s\S]*END:VCALENDAR\r\n$/)
  expect((await fetch(server.url + url.replace('token=e', 'token=f'))).status).toBe(404)
})

test.concurrent('research shows its progress and each section as it is found', async (context) => {
  const { expect } = context
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
  const talk = await Conversation.open(server.url)
  await talk.say('research Corfu')
  await talk.settled(1)
  const types = talk.stream.parts.map((part) => part.partType)
  expect(types.filter((type) => type === 'progress')).toHaveLength(5)
  expect(types.filter((type) => type === 'citation')).toHaveLength(4)
  const slots = talk.stream.parts.flatMap((part) => part.metadata.slotKey ?? [])
  const sections = ['culture', 'logistics', 'activities', 'itinerary'].map((name) => `research-corfu-${name}`)
  // What can be done there comes last, and all of it as a surface too.
  expect(slots.slice(0, 5)).toEqual([...sections, 'activities-corfu'])
  expect(slots.slice(5)).toEqual([...sections, 'activities-corfu'])
})

test.concurrent('killed while it answers, while it waits for an approval and while it books, it ends as if nothing had happened', async (context) => {
  const { expect } = context
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '2' } })
  const talk = await Conversation.open(server.url)
  const restart = async () => {
    await server.kill9()
    await server.start()
  }

  await talk.say('find me flights to Corfu in August')
  await talk.until(({ parts }) => parts.some((part) => part.open))
  await restart()
  await talk.settled(1)
  expect(talk.stream.parts.map((part) => part.partType)).toEqual([
    'message',
    'ack',
    'response',
    'domain-data',
    'a2ui-surface',
  ])
  expect(talk.partOf('response')?.text).toMatch(/^Two direct options to Corfu on .*08:45\.$/)

  await talk.say('add BA 2043')
  await talk.settled(2)
  await talk.say('book it')
  await talk.suspended()
  await restart()
  expect(await talk.decide('granted')).toBe(200)
  await restart()
  await talk.settled(3)
  const bookings = talk.stream.parts.filter((part) => part.metadata.kind === 'booking')
  expect(bookings).toHaveLength(1)
  expect(talk.stream.parts.filter((part) => part.partType === 'approval-request')).toHaveLength(1)

  await talk.say('what is in my basket?')
  await talk.settled(4)
  expect(talk.partOf('response')?.text).toMatch(/Your basket is empty/)
})

test.concurrent('every button of its surfaces does what it says, down to a booking that is approved by one', async (context) => {
  const { expect } = context
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
  const talk = await Conversation.open(server.url)
  const basket = () => talk.stream.parts.findLast(({ metadata }) => metadata.kind === 'package')?.data

  await talk.say('find me flights to Corfu in August')
  await talk.settled(1)
  const [flights = ''] = talk.surfaceIds
  expect(flights).toBe('flights-gatwick-corfu-2026-08-15')
  const search = { origin: 'Gatwick', destination: 'Corfu', date: '2026-08-15', passengers: 2 }
  const sorts = { surfaceId: flights, componentId: 'sort-departure', name: 'sort_flights' }
  await talk.press({ ...sorts, context: { ...search, sortBy: 'departure' } })
  await talk.settled(2)
  const sorted = talk.partOf('domain-data')?.data as { flights: { departure: string }[] } | undefined
  const departures = sorted?.flights.map(({ departure }) => departure) ?? []
  expect(departures).toEqual(departures.toSorted())
  expect(talk.surfaceIds).toEqual([flights])

  const adds = { surfaceId: flights, componentId: 'add-EJ4521', name: 'add_flight' }
  const chosen = { flightNumber: 'EJ4521', date: '2026-08-15', passengers: 3 }
  expect(await talk.press({ ...adds, context: { ...chosen, flightNumber: 'BA 2043' } })).toMatchObject({ status: 409 })
  expect(await talk.press({ ...adds, context: chosen })).toMatchObject({ status: 202 })
  await talk.settled(3)
  expect(basket()).toMatchObject({ items: [{ title: 'EJ4521 London Gatwick to Corfu', quantity: 3 }] })

  await talk.say('research Corfu')
  await talk.settled(4)
  const offered = talk.partOf('domain-data')?.data as { activities: { activityId: string }[] } | undefined
  const activityId = offered?.activities[0]?.activityId ?? ''
  await talk.press({
    surfaceId: 'activities-corfu',
    componentId: `add-${activityId}`,
    name: 'add_activity',
    context: { activityId, date: '2026-08-18', people: 3 },
  })
  await talk.settled(5)
  const { items } = basket() as { items: { itemId: string; type: string }[] }
  expect(items.map(({ type }) => type)).toEqual(['flight', 'activity'])

  const itemId = items[1]?.itemId ?? ''
  const removes = { surfaceId: 'basket', componentId: `remove-${itemId}`, name: 'remove_item', context: { itemId } }
  await talk.press(removes)
  await talk.settled(6)
  expect(basket()).toMatchObject({ items: [{ type: 'flight' }] })
  // The basket that had it is no longer shown.
  expect(await talk.press(removes)).toMatchObject({ status: 409, body: { error: { code: 'STALE_SURFACE' } } })

  // The first press is answered by an approval; until that is decided, a second one is the same message.
  const books = { surfaceId: flights, componentId: 'book-EJ4521', name: 'book_flight', context: chosen }
  const first = await talk.press(books)
  await talk.suspended()
  expect(await talk.press(books)).toEqual({ status: 202, body: { ...first.body, duplicate: true } })
  const request = talk.partOf('approval-request')?.data as { approvalId: string } | undefined
  const approvalId = request?.approvalId ?? ''
  expect(request).toMatchObject({ toolName: 'book_package', args: { total: '£282.00' } })
  expect(await talk.press(decides(approvalId, 'granted'))).toMatchObject({ status: 200, body: { status: 'decided' } })
  await talk.settled(7)
  expect([...talk.stream.approvals]).toEqual([[approvalId, 'granted']])
  expect(talk.partOf('response')?.text).toMatch(/^Booked\. Your reference is ET-/)

  const booking = talk.surfaceIds.at(-1) ?? ''
  expect(booking).toMatch(/^booking-et-/)
  await talk.press({ surfaceId: booking, componentId: 'itinerary', name: 'make_itinerary' })
  await talk.settled(8)
  expect(talk.partOf('artifact')?.data).toMatchObject({ mimeType: 'text/calendar; charset=utf-8' })
})

test.concurrent('a question offers its answers', async (context) => {
  const { expect } = context
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
  const talk = await Conversation.open(server.url)
  await talk.say('flights from London to Rome')
  await talk.settled(1)
  expect(talk.partOf('clarify')?.metadata.options).toEqual(['Gatwick', 'Heathrow'])
})

test.concurrent('the whole result of a flight search by MCP has at most 3 kB', async (context) => {
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
  const client = new Client({ name: 'tester', version: '1.0.0' })
  context.onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)))
  for (const place of ['Corfu', 'Rome', 'Lisbon', 'Athens', 'Barcelona']) {
    const message = `flights from London Gatwick to ${place}`
    const result = await client.callTool({ name: 'ask_example_travel', arguments: { message } })
    context.expect(JSON.stringify(result.structuredContent), place).toMatch(/"flights":\[(\{[^}]*\},?){2,}\]/)
    context.expect(Buffer.byteLength(JSON.stringify(result)), place).toBeLessThanOrEqual(3_000)
  }
})
