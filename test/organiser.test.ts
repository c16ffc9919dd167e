import { askedApproval } from '@cool-ai/beach-protocol'
import { test } from 'vitest'
import { says, send, stateOf, stockClient } from './a2a/agent.ts'
import { Conversation } from './support/conversation.ts'
import { freePort } from './support/free-port.ts'
import { startServer } from './support/server-process.ts'

const program = 'examples/demo/start.mjs'

test.concurrent('where the travel agent is may be written with a slash at its end', async (context) => {
  const { expect } = context
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

test.concurrent('what is put into a week and taken out of it is said, and so is what cannot be', async (context) => {
  const { expect } = context
  const server = await startServer(context, {
    program: 'examples/organiser/start.mjs',
    variables: { BEACH_SCRIPT_MS: '0' },
  })
  const talk = await Conversation.open(server.url)
  let count = 0
  const answerTo = async (text: string) => {
    await talk.say(text)
    await talk.settled(++count)
    const parts = talk.stream.parts.filter(({ turnId }) => turnId === talk.stream.turns.at(-1)?.turnId)
    const of = (partType: string) => parts.find((part) => part.partType === partType)
    return { text: of('response')?.text, data: of('domain-data')?.data }
  }
  const dentist = { date: '2026-08-19', time: '10:00', title: 'dentist' }
  const added = await answerTo('add dentist on 2026-08-19 at 10:00')
  expect(added).toEqual({
    text: 'I have added “dentist” on Wednesday 19 August 2026 at 10:00. The week of Monday 17 August 2026 has one thing in it.',
    data: { from: '2026-08-17', entries: [dentist] },
  })
  expect(await answerTo('remove EJ4521')).toEqual({
    text: 'I removed nothing: nothing in your plan is called “EJ4521”. Say the title as it stands in your week.',
  })
  expect(await answerTo('remove Dentist')).toEqual({
    text: 'I have removed “dentist” on Wednesday 19 August 2026 at 10:00. The week of Monday 17 August 2026 has nothing in it.',
    data: { from: '2026-08-17', entries: [] },
  })
  const howWritten = 'Say it like “Thursday at 10:00” or “19 August at 10:00”.'
  expect(await answerTo('add dentist on 2026-13-45 at 99:99')).toEqual({
    text: `I have not put that into your plan: there is no day 2026-13-45 and no time 99:99. ${howWritten}`,
  })
  expect(await answerTo('add dentist on 2026-08-19 at 10:75')).toEqual({
    text: `I have not put that into your plan: there is no time 10:75. ${howWritten}`,
  })
  expect(await answerTo('show the week of 2026-02-30')).toEqual({ text: `There is no day 2026-02-30. ${howWritten}` })
})

test.concurrent('the organiser asks the travel agent: data, a question that goes up and its answer down, an approval', async (context) => {
  const { expect } = context
  const port = await freePort(2)
  await startServer(context, { program, port, variables: { BEACH_SCRIPT_MS: '0' } })
  const talk = await Conversation.open(`http://127.0.0.1:${port + 1}`)

  await talk.say('ask travel for flights to Corfu in August and put them in my week')
  await talk.settled(1)
  expect(talk.stream.parts.map((part) => part.turnState)).toContain('delegated')
  const which = talk.partOf('clarify')
  expect([talk.partOf('response')?.text, which?.text]).toEqual([
    'ExampleTravel says: Two direct options to Corfu on Saturday 15 August 2026, for 2 people. easyJet £94pp at 06:15; ' +
      'British Airways £187pp at 08:45.',
    'Which one shall I put into your week?',
  ])
  const title = 'easyJet EJ4521 to Corfu'
  expect(which?.metadata.options).toEqual([
    title,
    'British Airways BA 2043 to Corfu',
    'Aegean Airlines A3 601 to Corfu',
  ])
  await talk.say('the first one')
  await talk.settled(2)
  expect(talk.partOf('response')?.text).toBe(
    `I have added “${title}” on Saturday 15 August 2026 at 06:15. The week of Monday 10 August 2026 has one thing in it.`,
  )
  expect(talk.partOf('domain-data')?.data).toMatchObject({
    entries: [{ date: '2026-08-15', time: '06:15', title, source: 'ExampleTravel' }],
  })

  await talk.say('ask travel for flights from London to Rome')
  await talk.settled(3)
  expect(talk.partOf('clarify')?.text).toBe('ExampleTravel asks: Did you mean the flight from Gatwick or Heathrow?')
  await talk.say('Gatwick')
  await talk.settled(4)
  expect(talk.partOf('response')?.text).toMatch(/^ExampleTravel says: .* to Rome/)

  await talk.say('ask travel for flights to Atlantis and put them in my week')
  await talk.settled(5)
  const question = talk.partOf('clarify')
  expect([talk.partOf('response')?.text, question?.text]).toEqual([
    'ExampleTravel says: I am sorry, ExampleTravel does not go to Atlantis.',
    'ExampleTravel asks: Which of our destinations would you like?',
  ])
  expect(question?.metadata.options).toContain('Lisbon')
  await talk.say('Lisbon')
  await talk.settled(6)
  expect(talk.partOf('response')?.text).toMatch(/^ExampleTravel says: .* to Lisbon/)
  expect(talk.partOf('clarify')?.text).toBe('Which one shall I put into your week?')
  await talk.say('the British Airways one')
  await talk.settled(7)
  expect(talk.partOf('response')?.text).toMatch(
    /^I have added “British Airways BA \d+ to Lisbon” on .* has 2 things in it\.$/,
  )

  await talk.say('ask travel to add BA 2043 and book it')
  await talk.suspended()
  const request = talk.partOf('approval-request')
  expect(request?.data).toMatchObject({ args: { total: '£374.00' } })
  expect(request && askedApproval(request)?.title).toBe(
    'ExampleTravel: Book BA 2043 London Gatwick to Corfu, Sat 15 Aug 08:45, British Airways, direct, 2 passengers, £374.00',
  )
  expect(await talk.decide('granted')).toBe(200)
  await talk.settled(8)
  expect(talk.partOf('response')?.text).toMatch(/ExampleTravel says: Booked. Your reference is ET-/)
})

test.concurrent('other agents are served as users are, by the organiser and by the travel agent', async (context) => {
  const { expect } = context
  const port = await freePort(2)
  const travel = await startServer(context, { program, port, variables: { BEACH_SCRIPT_MS: '0' } })
  const organiser = await peer(`http://127.0.0.1:${port + 1}`)

  expect(await organiser.ask('ask travel for flights to Corfu in August and put them in my week')).toMatch(
    /ExampleTravel says: Two direct options to Corfu.*Which one shall I put into your week\?/,
  )
  expect(await organiser.ask('BA 2043')).toMatch(/I have added “British Airways BA 2043 to Corfu”/)
  expect(await organiser.ask('ask travel for flights from London to Rome')).toMatch(/from Gatwick or Heathrow\?/)
  expect(await organiser.ask('Gatwick')).toMatch(/ExampleTravel says: .* to Rome/)
  expect(await organiser.ask('add dentist on 2026-08-19 at 10:00')).toMatch(
    /The week of Monday 17 August 2026 has one thing/,
  )
  expect(await organiser.ask('remove dentist')).toMatch(
    /I have removed “dentist” on Wednesday 19 August 2026 at 10:00\./,
  )

  const sally = await peer(travel.url)
  expect(await sally.ask('add BA 2043')).toMatch(/Your basket comes to £374\.00/)
  expect(await sally.ask('remove BA 2043')).toMatch(/Your basket is empty/)
})

/** Another agent in a conversation by A2A; it gets all that came in answer, in one text. */
async function peer(url: string) {
  const client = await stockClient(url)
  let conversation: { contextId?: string; taskId?: string } = {}
  return {
    async ask(text: string): Promise<string> {
      const task = await send(client, says(text, conversation))
      const { id: taskId, contextId, status, artifacts } = task
      // What answers a question goes to the task that waits for it.
      conversation = { contextId, ...(stateOf(task) === 'INPUT_REQUIRED' && { taskId }) }
      return JSON.stringify([artifacts, status])
    },
  }
}
