import type { ScriptContext, ScriptedMessage, ScriptRule } from '@cool-ai/beach-llm'
import { ack, answer, clarify, resultOf, userTexts } from '@cool-ai/example-chat-page/script-words'
import type { Entry, Week } from '../domain/week.ts'
import { understand } from './understand.ts'

/** The tool by which Baxter asks ExampleTravel. */
const askTravel = 'ask_example_travel_agent'

/** What a peer has answered, as far as a script reads it. */
interface Answer {
  readonly state: string
  readonly answer?: string
  readonly question?: string
  readonly note?: string
  readonly data?: readonly unknown[]
  readonly conversationId?: string
}

interface Found {
  readonly kind: 'week'
  readonly data: Week
}

/** Baxter without a model: the rules by which the scripted model plays him. */
export function baxterScript(today: () => string): readonly ScriptRule[] {
  return [
    { when: ({ results }) => hasWeek(results), say: (now) => weekShown(now) },
    { when: ({ results }) => results.has(askTravel), say: (now) => travelAnswered(now) },
    { say: (now) => begin(now, today()) },
  ]
}

const weekTools = ['add_to_week', 'show_week', 'remove_from_week']

function hasWeek(results: ScriptContext['results']): boolean {
  return weekTools.some((tool) => results.has(tool))
}

function begin(now: ScriptContext, today: string): ScriptedMessage {
  const conversationId = lastConversation(now)
  const wish = understand(now.text)
  // An answer to a question that Sally asked through Baxter goes down to her.
  if (conversationId !== undefined && wish.kind === 'unclear' && wasAsked(now)) {
    const args = { message: now.text, conversationId }
    return { respond: ack('I tell ExampleTravel.'), tools: [{ name: askTravel, args }] }
  }
  switch (wish.kind) {
    case 'ask':
      return {
        respond: ack(`Asking ExampleTravel: ${wish.message}.`),
        tools: [{ name: askTravel, args: { message: wish.message, ...(conversationId && { conversationId }) } }],
      }
    case 'add': {
      const { title, date, time } = wish
      const entry: Entry = { title, date, ...(time !== undefined && { time }) }
      return { tools: [{ name: 'add_to_week', args: { entries: [entry] } }] }
    }
    case 'remove':
      return { tools: [{ name: 'remove_from_week', args: { title: wish.title, day: today } }] }
    case 'show':
      return { tools: [{ name: 'show_week', args: { day: wish.day ?? today } }] }
    default:
      return { respond: answer(help) }
  }
}

const help =
  'I am Baxter, and keep your weeks in order. Say “add dentist on 2026-08-19 at 10:00”, “what is in my week”, or “ask ' +
  'travel for flights to Corfu in August and put them in my week”. I play from a script here: with a provider’s key in ' +
  'the environment a real model takes my place.'

function travelAnswered(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Answer>(now, askTravel)
  if (typeof found === 'string') return { respond: answer(`I could not ask ExampleTravel. ${found}`) }
  if (found.question !== undefined) {
    return { respond: clarify(`ExampleTravel asks: ${found.question}`) }
  }
  const flights = flightsIn(found)
  const wish = wishOf(now)
  if (wish.kind === 'ask' && wish.keep && flights.length > 0) {
    return { respond: ack('Putting them in your week.'), tools: [{ name: 'add_to_week', args: { entries: flights } }] }
  }
  const note = found.note === undefined ? '' : ` ${found.note}`
  return { respond: answer(`ExampleTravel says: ${found.answer ?? 'nothing.'}${note}`) }
}

function weekShown(now: ScriptContext): ScriptedMessage {
  const tool = weekTools.find((name) => now.results.has(name)) ?? ''
  const found = resultOf<Found>(now, tool)
  if (typeof found === 'string') return { respond: answer(`That did not work. ${found}`) }
  const { kind, data } = found
  const asked = resultOf<Answer>(now, askTravel)
  const said = typeof asked === 'string' || asked.answer === undefined ? '' : `ExampleTravel says: ${asked.answer} `
  const count = data.entries.length
  const planned = count === 0 ? 'nothing' : count === 1 ? 'one thing' : `${count} things`
  const text = `${said}The week of ${data.from} has ${planned} in it.`
  return { respond: answer(text, { partType: 'domain-data', kind, data }) }
}

/** What the turn is about; after an answer to a question, what was asked before. */
function wishOf(now: ScriptContext) {
  const wish = understand(now.text)
  return wish.kind === 'unclear' ? understand(userTexts(now).at(-2) ?? '') : wish
}

/** The flights in a peer's data, as entries. Data of others is looked at with care: it may be anything. */
function flightsIn({ data = [] }: Answer): Entry[] {
  return data.flatMap((value) => {
    const flights = isRecord(value) && Array.isArray(value.flights) ? (value.flights as unknown[]) : []
    return flights.flatMap((flight) => {
      if (!isRecord(flight)) return []
      const { airline, flightNumber, departure } = flight
      const [date, time] = String(departure).split('T')
      if (date === undefined || time === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return []
      const title = `${String(airline)} ${String(flightNumber)}`.slice(0, 200)
      return [{ date, time: time.slice(0, 5), title, source: 'ExampleTravel' }]
    })
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True when the last thing that was said is a question of ExampleTravel. */
function wasAsked({ prompt }: ScriptContext): boolean {
  const past = prompt.findLast((message) => message.role === 'assistant')
  return JSON.stringify(past ?? '').includes('ExampleTravel asks: ')
}

/** The conversation with ExampleTravel, so that it still knows what it was asked before. */
function lastConversation({ prompt }: ScriptContext): string | undefined {
  const ids = [...JSON.stringify(prompt).matchAll(/\(conversationId: ([\w.-]+)\)/g)]
  return ids.at(-1)?.[1]
}
