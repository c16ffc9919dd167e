import { defined } from '@cool-ai/beach-core/runtime'
import type { ScriptContext, ScriptedMessage, ScriptRule } from '@cool-ai/beach-llm'
import { ack, answer, clarify, parsed, resultOf, spoken, userTexts } from '@cool-ai/example-chat-page/script-words'
import { daySchema, entrySchema, type Entry, type Week } from '../domain/week.ts'
import { understand, type Wish } from './understand.ts'

/** The tool by which Baxter asks ExampleTravel. */
const askTravel = 'ask_example_travel_agent'

/** What a peer has answered, as far as a script reads it. */
interface Answer {
  readonly state: string
  readonly answer?: string
  readonly question?: string
  readonly options?: readonly string[]
  readonly note?: string
  readonly data?: readonly unknown[]
  readonly conversationId?: string
}

interface Found {
  readonly kind: 'week'
  readonly data: Week
}

interface Removed {
  readonly removed: readonly Entry[]
  readonly week?: Found | undefined
}

/** Baxter without a model: the rules by which the scripted model plays him. */
export function baxterScript(today: () => string): readonly ScriptRule[] {
  return [
    { when: ({ results }) => results.has('remove_from_week'), say: (now) => removed(now) },
    { when: ({ results }) => hasWeek(results), say: (now) => weekShown(now) },
    { when: ({ results }) => results.has(askTravel), say: (now) => travelAnswered(now, resultOf(now, askTravel)) },
    {
      when: ({ text }) => forwardedIn(text) !== undefined,
      say: (now) => travelAnswered(now, forwardedIn(now.text) ?? ''),
    },
    { say: (now) => begin(now, today()) },
  ]
}

const weekTools = ['add_to_week', 'show_week']

function hasWeek(results: ScriptContext['results']): boolean {
  return weekTools.some((tool) => results.has(tool))
}

function begin(now: ScriptContext, today: string): ScriptedMessage {
  const conversationId = lastConversation(now)
  const text = spoken(now.text)
  const wish = understand(text)
  // An answer to a question that Sally asked through Baxter goes down to her.
  if (conversationId !== undefined && wish.kind === 'unclear' && wasAsked(now)) {
    const args = { message: text, conversationId }
    return { respond: ack('I tell ExampleTravel.'), tools: [{ name: askTravel, args }] }
  }
  switch (wish.kind) {
    case 'ask':
      return {
        respond: ack(`Asking ExampleTravel: ${wish.message}.`),
        tools: [{ name: askTravel, args: { message: wish.message, conversationId } }],
      }
    case 'add': {
      const { title, date, time } = wish
      const entry: Entry = defined({ title, date, time })
      const problem = problemOf(entry)
      if (problem !== undefined) return { respond: answer(problem) }
      return { tools: [{ name: 'add_to_week', args: { entries: [entry] } }] }
    }
    case 'remove':
      return { tools: [{ name: 'remove_from_week', args: { title: wish.title } }] }
    case 'show': {
      const { day = today } = wish
      if (!daySchema.safeParse(day).success) return { respond: answer(`There is no day ${day}. ${howWritten}`) }
      return { tools: [{ name: 'show_week', args: { day } }] }
    }
    default:
      return { respond: answer(help) }
  }
}

const help =
  'I am Baxter, and keep your weeks in order. Say “add dentist on 2026-08-19 at 10:00”, “what is in my week”, or “ask ' +
  'travel for flights to Corfu in August and put them in my week”. I play from a script here: with a provider’s key in ' +
  'the environment a real model takes my place.'

const howWritten = 'Write a date as 2026-08-19, and a time as 10:00.'

/** Why something cannot be put into the plan, in a sentence; undefined when it can. */
function problemOf(entry: Entry): string | undefined {
  const { issues = [] } = entrySchema.safeParse(entry).error ?? {}
  const wrong = new Set(issues.map(({ path: [name] }) => name))
  if (wrong.size === 0) return undefined
  if (wrong.has('title')) return 'That is too long for a title. Say it in a few words.'
  const unknown = [
    ...(wrong.has('date') ? [`no day ${entry.date}`] : []),
    ...(wrong.has('time') ? [`no time ${entry.time}`] : []),
  ]
  return `I have not put that into your plan: there is ${unknown.join(' and ')}. ${howWritten}`
}

function travelAnswered(now: ScriptContext, found: Answer | string): ScriptedMessage {
  if (typeof found === 'string') return { respond: answer(`I could not ask ExampleTravel. ${found}`) }
  if (found.question !== undefined) {
    return { respond: clarify(`ExampleTravel asks: ${found.question}`, found.options) }
  }
  const flights = flightsIn(found)
  const wish = wishOf(now)
  if (wish.kind === 'ask' && wish.keep && flights.length > 0) {
    return { respond: ack('Putting them in your week.'), tools: [{ name: 'add_to_week', args: { entries: flights } }] }
  }
  const note = found.note === undefined ? '' : ` ${found.note}`
  return { respond: answer(`ExampleTravel says: ${found.answer ?? 'nothing.'}${note}`) }
}

const forwarded = /was passed on to the agent '[^']*'[^\n]*\n<data origin="peer:[^"]*">\n([^\n]*)\n<\/data>/
const notForwarded = /could not be passed on to the agent '[^']*':\n<data origin="peer:[^"]*">\n([\s\S]*?)\n<\/data>/

/** What ExampleTravel answered to a button of its own that the user pressed, or why it could not be told. */
function forwardedIn(text: string): Answer | string | undefined {
  const json = forwarded.exec(text)?.[1]
  return json === undefined ? notForwarded.exec(text)?.[1] : parsed<Answer>(json)
}

function removed(now: ScriptContext): ScriptedMessage {
  const found = resultOf<Removed>(now, 'remove_from_week')
  if (typeof found === 'string') return { respond: answer(`That did not work. ${found}`) }
  const { week, removed: entries } = found
  const [first] = entries
  if (first === undefined || week === undefined) return { respond: answer(nothingCalled(wishOf(now))) }
  const when = entries.map(({ date, time }) => (time === undefined ? date : `${date} at ${time}`)).join(' and ')
  const { kind, data } = week
  const text = `I have removed “${first.title}” on ${when}. ${contentOf(data)}`
  return { respond: answer(text, { partType: 'domain-data', kind, data }) }
}

function nothingCalled(wish: Wish): string {
  const title = wish.kind === 'remove' ? wish.title : ''
  return `I removed nothing: nothing in your plan is called “${title}”. Say the whole title, as it stands in your week.`
}

function weekShown(now: ScriptContext): ScriptedMessage {
  const tool = weekTools.find((name) => now.results.has(name)) ?? ''
  const found = resultOf<Found>(now, tool)
  if (typeof found === 'string') return { respond: answer(`That did not work. ${found}`) }
  const { kind, data } = found
  const asked = resultOf<Answer>(now, askTravel)
  const said = typeof asked === 'string' || asked.answer === undefined ? '' : `ExampleTravel says: ${asked.answer} `
  return { respond: answer(`${said}${contentOf(data)}`, { partType: 'domain-data', kind, data }) }
}

function contentOf({ from, entries: { length: count } }: Week): string {
  const planned = count === 0 ? 'nothing' : count === 1 ? 'one thing' : `${count} things`
  return `The week of ${from} has ${planned} in it.`
}

/** What the turn is about; after an answer to a question, what was asked before. */
function wishOf(now: ScriptContext): Wish {
  const wish = understand(spoken(now.text))
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
