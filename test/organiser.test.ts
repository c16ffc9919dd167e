import { expect, test } from 'vitest'
import { Conversation } from './support/conversation.ts'
import { freePort } from './support/free-port.ts'
import { startServer } from './support/server-process.ts'

const program = 'examples/demo/start.mjs'

test('where the travel agent is may be written with a slash at its end', async (context) => {
  const variables = { BEACH_SCRIPT_MS: '0' }
  const travel = await startServer(context, { program: 'examples/travel/start.mjs', variables })
  const organiser = await startServer(context, {
    program: 'examples/organiser/start.mjs',
    variables: { ...variables, TRAVEL_URL: `${travel.url}/` },
  })
  const talk = await Conversation.open(organiser.url)
  await talk.say('ask travel for flights to Corfu in August')
  await talk.settled(1)
  expect(talk.partOf('response')?.text).toMatch(/^ExampleTravel says: Two direct options to Corfu/)
})

test('the organiser asks the travel agent: data, a question that goes up and its answer down, an approval', async (context) => {
  const port = await freePort(2)
  await startServer(context, { program, port, variables: { BEACH_SCRIPT_MS: '0' } })
  const talk = await Conversation.open(`http://127.0.0.1:${port + 1}`)

  await talk.say('ask travel for flights to Corfu in August and put them in my week')
  await talk.settled(1)
  expect(talk.stream.parts.map((part) => part.turnState)).toContain('delegated')
  expect(talk.partOf('response')?.text).toBe(
    'ExampleTravel says: Two direct options to Corfu. easyJet £94pp at 06:15; British Airways £187pp at 08:45. ' +
      'The week of 2026-08-10 has 3 things in it.',
  )
  expect(talk.partOf('domain-data')?.data).toMatchObject({
    entries: [{ date: '2026-08-15', time: '06:15', title: 'easyJet EJ4521', source: 'ExampleTravel' }, {}, {}],
  })

  await talk.say('ask travel for flights from London to Rome')
  await talk.settled(2)
  expect(talk.partOf('clarify')?.text).toBe('ExampleTravel asks: Did you mean the flight from Gatwick or Heathrow?')
  await talk.say('Gatwick')
  await talk.settled(3)
  expect(talk.partOf('response')?.text).toMatch(/^ExampleTravel says: .* to Rome/)

  await talk.say('ask travel to add BA 2043')
  await talk.settled(4)
  await talk.say('ask travel to book it')
  await talk.suspended()
  expect(talk.partOf('approval-request')?.data).toMatchObject({ args: { total: '£374.00' } })
  expect(await talk.decide('granted')).toBe(200)
  await talk.settled(5)
  expect(talk.partOf('response')?.text).toMatch(/ExampleTravel says: Booked. Your reference is ET-/)
})
