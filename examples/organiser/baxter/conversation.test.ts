import { SimulatedClock } from '@cool-ai/beach-core'
import { scriptedModel } from '@cool-ai/beach-llm'
import { todayOf } from '@cool-ai/example-kit/demo-clock'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'
import type { Plan } from '../domain/week.ts'
import { weekTools } from '../domain/week-tools.ts'
import { baxter } from './baxter.ts'
import { baxterScript } from './script.ts'

/** A user who talks to the scripted Baxter on Wednesday 18 November 2026. */
async function user() {
  const clock = new SimulatedClock(Date.UTC(2026, 10, 18, 12))
  const kept: { plan: Plan } = { plan: [] }
  const tools = weekTools({
    load: async () => kept.plan,
    update: async (_session, change) => (kept.plan = change(kept.plan)),
  })
  const model = scriptedModel({ rules: baxterScript(() => todayOf(clock)) })
  const agent = await testAgent({ actors: { baxter: baxter({ model, tools, clock }) } })
  const titles = () => kept.plan.map(({ date, time = '', title }) => `${date} ${time} ${title}`)
  /** Each conversation is also replayed: it must lead to the same log. */
  const end = async () => {
    const { same, turns } = await agent.replay()
    await agent.stop()
    expect(same ? [] : turns.filter(({ change }) => change !== 'same')).toEqual([])
  }
  return { agent, titles, [Symbol.asyncDispose]: end }
}

test('days and times are said as people say them, and a day that is missing is asked for', async () => {
  await using talk = await user()
  await talk.agent.say('add dentist on Thursday at half past nine')
  await talk.agent.say('lunch with Anna tomorrow at noon')
  const asked = await talk.agent.say('add football')
  expect(asked.text).toBe('On which day is “football”?')
  await talk.agent.say('Saturday')
  await talk.agent.say('add chess')
  await talk.agent.say('the second')
  expect(talk.titles().filter((title) => title.endsWith('chess'))).toEqual(['2026-11-19  chess'])
  await talk.agent.say('undo')
  expect(talk.titles()).toEqual([
    '2026-11-19 09:30 dentist',
    '2026-11-19 12:00 lunch with Anna',
    '2026-11-21  football',
  ])
})

test('the last change is undone, whatever was looked at since, and undoing is undone too', async () => {
  await using talk = await user()
  await talk.agent.say('add dentist on Friday at 10am')
  await talk.agent.say('add dentist on Saturday at 10am')
  await talk.agent.say('what is in my week?')
  const { text } = await talk.agent.say('no, cancel that')
  expect(text).toBe(
    'I have removed “dentist” on Saturday 21 November 2026 at 10:00. The week of Monday 16 November 2026 has one thing in it.',
  )
  expect(talk.titles()).toEqual(['2026-11-20 10:00 dentist'])
  await talk.agent.say('undo')
  expect(talk.titles()).toEqual(['2026-11-20 10:00 dentist', '2026-11-21 10:00 dentist'])
})

test('there is nothing to undo, nothing to keep, and no such title: each is said', async () => {
  await using talk = await user()
  expect((await talk.agent.say('undo')).text).toMatch(/^There is nothing to undo\./)
  expect((await talk.agent.say('put it in my week')).text).toMatch(/has found nothing yet/)
  expect((await talk.agent.say('remove yoga')).text).toMatch(/nothing in your plan is called “yoga”/)
  expect(talk.titles()).toEqual([])
})

test('what is not understood is answered with buttons that are, and the hint at a key comes once', async () => {
  await using talk = await user()
  const first = await talk.agent.say('Ich möchte einen Termin')
  expect(first.text).toMatch(/^Without a model’s key I only understand simple English/)
  const again = await talk.agent.say('blah')
  expect(again.text).toMatch(/^I did not understand that\.\s+What would you like to do\?$/)
  const options = again.parts.at(-1)?.metadata.options as readonly string[]
  expect(options.length).toBeGreaterThan(2)
  for (const option of options.filter((text) => !text.startsWith('Ask travel'))) {
    expect((await talk.agent.say(option)).text, option).toMatch(/The week of/)
  }
})

test.each(['thanks', 'who are you?', 'what can you do?', 'hello', 'good bye'])('%s has an answer', async (text) => {
  await using talk = await user()
  expect((await talk.agent.say(text)).text).not.toMatch(/did not understand/)
})

test('a question about a day is answered, and puts nothing into it', async () => {
  await using talk = await user()
  expect((await talk.agent.say('what do I have on Tuesday?')).text).toBe(
    'Nothing is planned on Tuesday 24 November 2026.',
  )
  expect(talk.titles()).toEqual([])
  await talk.agent.say('add holiday on 14 August')
  expect((await talk.agent.say('what is in my week?')).text).toBe(
    'The week of Monday 16 November 2026 has nothing in it. What comes next is holiday on Saturday 14 August 2027.',
  )
})

test('what was added last is moved to another time or day', async () => {
  await using talk = await user()
  await talk.agent.say('add lunch with Tom tomorrow at 1pm')
  expect((await talk.agent.say('move it to 2pm')).text).toMatch(/^I have added “lunch with Tom” .* at 14:00\./)
  await talk.agent.say('no, I meant Friday')
  expect(talk.titles()).toEqual(['2026-11-20 14:00 lunch with Tom'])
  await talk.agent.say('no, at 11')
  expect(talk.titles()).toEqual(['2026-11-20 11:00 lunch with Tom'])
  await talk.agent.say('sorry, on Saturday')
  expect(talk.titles()).toEqual(['2026-11-21 11:00 lunch with Tom'])
  await talk.agent.say('move it to Sunday evening')
  expect(talk.titles()).toEqual(['2026-11-22 19:00 lunch with Tom'])
  expect((await talk.agent.say('what is on next week?')).text).toMatch(/has nothing in it\.$/)
})

test('a question of Baxter’s is left out by “cancel that”', async () => {
  await using talk = await user()
  await talk.agent.say('add yoga')
  expect((await talk.agent.say('cancel that')).text).toMatch(/^All right, I leave it out\./)
})

test('what has a title is moved by it, and found again', async () => {
  await using talk = await user()
  await talk.agent.say('add dentist on Tuesday at 10')
  await talk.agent.say('lunch with Anna tomorrow at noon')
  expect((await talk.agent.say('move the dentist to Thursday')).text).toMatch(/^I have added “dentist” on Thursday 19/)
  expect((await talk.agent.say('when is the dentist?')).text).toBe(
    '“dentist” is on Thursday 19 November 2026 at 10:00.',
  )
  expect((await talk.agent.say('move yoga to Friday')).text).toMatch(/^I moved nothing: .* called “yoga”/)
  expect(talk.titles()).toEqual(['2026-11-19 10:00 dentist', '2026-11-19 12:00 lunch with Anna'])
})

test('nothing repeats and nothing is cleared at once: each is said, with what can be done', async () => {
  await using talk = await user()
  const asked = await talk.agent.say('gym every Monday')
  expect(asked.text).toMatch(/nothing that repeats/)
  await talk.agent.say('yes please')
  expect(talk.titles()).toEqual(['2026-11-23  gym'])
  await talk.agent.say('undo')
  await talk.agent.say('gym every Monday')
  const [option = ''] = (asked.parts.at(-1)?.metadata.options ?? []) as readonly string[]
  await talk.agent.say(option)
  expect((await talk.agent.say('clear my week')).text).toMatch(/^I remove one thing at a time\./)
  expect(talk.titles()).toEqual(['2026-11-23  gym'])
})

test('lunch at one is in the afternoon', async () => {
  await using talk = await user()
  await talk.agent.say('add lunch with Tom on Friday at 1')
  expect(talk.titles()).toEqual(['2026-11-20 13:00 lunch with Tom'])
})

test('what an organiser is also told and asked is no entry of the week', async () => {
  await using talk = await user()
  await talk.agent.say('meeting thrusday 3pm')
  for (const [words, answer] of [
    ['whats on tomorow', /^On Thursday 19 November 2026: meeting at 15:00\.$/],
    ['am I free on Friday?', /^Nothing is planned on Friday 20 November 2026\.$/],
    ['what day is it?', /^Today is Wednesday 18 November 2026\./],
    ['what’s the weather tomorrow', /^I do not know the weather/],
    ['email it to me', /^I answer where you write to me/],
    ['I’m ill, cancel everything tomorrow', /^I remove one thing at a time/],
    ['hmm', /^Take your time/],
    ['call Sundar', /^I did not understand/],
    ['remind me to call mum', /^On which day/],
    ['tomorrow at 5', /on Thursday 19 November 2026 at 17:00/],
    ['what about Sunday instead', /^I have added “call mum” on Sunday 22 November 2026 at 17:00/],
    ['change it to 11', /^I have added “call mum” on Sunday 22 November 2026 at 11:00/],
  ] as const) {
    expect((await talk.agent.say(words)).text, words).toMatch(answer)
  }
  expect(talk.titles()).toEqual(['2026-11-19 15:00 meeting', '2026-11-22 11:00 call mum'])
})
