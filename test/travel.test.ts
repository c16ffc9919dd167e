import { expect, test } from 'vitest'
import { Conversation } from './support/conversation.ts'
import { startServer } from './support/server-process.ts'

const program = 'examples/travel/start.mjs'

test('the travel agent searches, asks back, assembles, books after approval and writes an itinerary', async (context) => {
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
  const talk = await Conversation.open(server.url)

  await talk.say('find me flights to Corfu in August')
  await talk.settled(1)
  expect(talk.partOf('response')?.text).toBe(
    'Two direct options to Corfu. easyJet £94pp at 06:15; British Airways £187pp at 08:45.',
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
  expect((await fetch(server.url + url.replace('tenant=default', 'tenant=other'))).status).toBe(404)
})

test('research shows its progress and each section as it is found', async (context) => {
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
  const talk = await Conversation.open(server.url)
  await talk.say('research Corfu')
  await talk.settled(1)
  const types = talk.stream.parts.map((part) => part.partType)
  expect(types.filter((type) => type === 'progress')).toHaveLength(5)
  expect(types.filter((type) => type === 'citation')).toHaveLength(4)
  const slots = talk.stream.parts.flatMap((part) => part.metadata.slotKey ?? [])
  expect(slots).toEqual(['culture', 'logistics', 'activities', 'itinerary'].map((name) => `research-corfu-${name}`))
})

test('killed while it answers, while it waits for an approval and while it books, it ends as if nothing had happened', async (context) => {
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
  expect(talk.stream.parts.map((part) => part.partType)).toEqual(['message', 'ack', 'response', 'domain-data'])
  expect(talk.partOf('response')?.text).toMatch(/^Two direct options to Corfu\. .*08:45\.$/)

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
  expect(talk.partOf('response')?.text).toMatch(/Your package is empty/)
})
