import type { ScriptContext, ScriptedMessage, ScriptRule } from '@cool-ai/beach-llm'
import { longDay } from '@cool-ai/example-kit/days'
import { ordinalIn } from '@cool-ai/example-kit/number-words'
import { smallTalkIn } from '@cool-ai/example-kit/small-talk'
import {
  ack,
  answer,
  answerAndAsk,
  clarify,
  exchangesOf,
  optionMeant,
  parsed,
  requestAnswer,
  requestAskedAbout,
  resultOf,
  spoken,
  type Exchange,
} from '@cool-ai/example-kit/script-words'
import type { Entry } from '../domain/week.ts'
import { howWritten, moving, noneCalled, whenIs } from './planned.ts'
import { nextSteps, notEnglish, notUnderstood, talkAnswer } from './talk.ts'
import { entryNamed, travelEntries } from './travel-entries.ts'
import { understand, whenIn, type Wish } from './understand.ts'
import {
  changeIn,
  changeWords,
  dayWords,
  entryOf,
  problemOf,
  weekWords,
  whenOf,
  type Found,
  type Removed,
} from './week-words.ts'

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

/** Baxter without a model: the rules by which the scripted model plays him. */
export function baxterScript(today: () => string): readonly ScriptRule[] {
  return [
    {
      when: ({ results }) => results.has('remove_from_week') && !results.has('add_to_week'),
      say: (now) => removed(now, today()),
    },
    { when: ({ results }) => weekTools.some((tool) => results.has(tool)), say: (now) => weekShown(now, today()) },
    {
      when: ({ results }) => results.has(askTravel),
      say: (now) => travelAnswered(now, resultOf(now, askTravel), today()),
    },
    {
      when: ({ text }) => forwardedIn(text) !== undefined,
      say: (now) => travelAnswered(now, forwardedIn(now.text) ?? '', today()),
    },
    {
      when: (now) => requestAskedAbout(now) !== undefined,
      say: (now) => ({ respond: requestAnswer(requestAskedAbout(now) ?? '') }),
    },
    { say: (now) => begin(now, today()) },
  ]
}

const weekTools = ['add_to_week', 'show_week']
const whichFlight = 'Which one shall I put into your week?'
const intoWeek = 'Shall I put it into your week?'
const whichDay = 'On which day is '
const offersOnce = 'I keep single days, nothing that repeats.'

function begin(now: ScriptContext, today: string): ScriptedMessage {
  const text = spoken(now.text)
  const past = exchangesOf(now).slice(0, -1)
  const last = past.at(-1)
  const wish = wishNow(text, past, today)
  const ask = (message: string): ScriptedMessage => {
    const args = { message, conversationId: lastConversation(now) }
    const isAnswer = last !== undefined && isTravelQuestion(last)
    return {
      respond: ack(isAnswer ? 'Telling ExampleTravel.' : `Asking ExampleTravel: ${shortened(message)}.`),
      tools: [{ name: askTravel, args }],
    }
  }
  switch (wish.kind) {
    case 'ask':
      return ask(wish.message)
    case 'add':
      return adding(wish)
    case 'keep':
      return keeping(past, text)
    case 'remove':
      if (isAll(wish.title)) return { respond: answer(oneAtATime) }
      return { tools: [{ name: 'remove_from_week', args: { title: wish.title } }] }
    case 'show': {
      const { day = today, words } = wish
      if (wish.day === undefined && words !== undefined)
        return { respond: answer(`There is no day ${words}. ${howWritten}`) }
      return { tools: [{ name: 'show_week', args: { day } }] }
    }
    case 'move':
      return moving(wish, past, today) ?? notUnderstood(past)
    case 'when':
      return whenIs(wish.title, past, today)
    case 'cannot':
      return { respond: answerAndAsk(cannotWords(wish.what, today), 'What would you like to do?', nextSteps) }
    case 'repeating':
      return once(wish)
    case 'undo':
      return undoing(past, today, ask)
    case 'talk':
      return talkAnswer(wish.talk)
    case 'foreign':
      return notEnglish(past)
    case 'unclear':
      // After an answer of ExampleTravel, “the second one” is meant for Sally.
      return last !== undefined && saidIn(last, 'ExampleTravel ') ? ask(text) : notUnderstood(past)
  }
}

/** What is asked, at a length that can be read. */
function shortened(message: string): string {
  const words = message.replace(/[.?!]$/, '')
  return words.length <= 160 ? words : `${words.slice(0, 150).trimEnd()} …`
}

function cannotWords(what: Extract<Wish, { kind: 'cannot' }>['what'], today: string): string {
  switch (what) {
    case 'today':
      return `Today is ${longDay(today)}.`
    case 'weather':
      return 'I do not know the weather: I keep your week, and ask ExampleTravel about journeys.'
    case 'send':
      return 'I answer where you write to me, and cannot write elsewhere. Your week stays here.'
  }
}

const asksToPlan = /^\W*(?:please |can you |could you )*(?:remind me|schedule|note|i have an? |i(?:'|’)ve got an? )\b/i

/** What is wanted now; an answer to a question of Baxter's completes what was asked for before. */
function wishNow(text: string, past: readonly Exchange[], today: string): Wish {
  const last = past.at(-1)
  const meant = answerMeant(text, last)
  const wish = understand(meant, today)
  if (last === undefined || isForBaxter(wish, text)) return wish
  if (saidIn(last, intoWeek) && wish.kind === 'talk' && wish.talk === 'yes') return { kind: 'keep' }
  const asksAnew = wish.kind === 'ask' && /\b(?:ask|tell|flights?|hotels?|cruises?|research)\b/i.test(text)
  if (saidIn(last, whichFlight) && wish.kind !== 'remove' && !asksAnew) return { kind: 'keep' }
  // An answer to a question that Sally asked through Baxter goes down to her.
  if (isTravelQuestion(last) && wish.kind !== 'remove' && wish.kind !== 'ask')
    return { kind: 'ask', message: text, keep: false }
  // “Remove it” and “book the second” are about what ExampleTravel has shown.
  if (
    wish.kind === 'remove' &&
    saidIn(last, 'ExampleTravel ') &&
    /^(?:it|that|this|them|flight|hotel|\w+ one)$/i.test(wish.title)
  )
    return { kind: 'ask', message: text, keep: false }
  if (!saidIn(last, whichDay)) return wish
  const before = understand(last.said, today)
  const { day, time } = whenIn(meant, today)
  return before.kind === 'add' && day !== undefined ? { ...before, day, time: before.time ?? time } : wish
}

/** “Yes” to what was offered once, and “the second” of the ready answers to his own question, in words. */
function answerMeant(text: string, last: Exchange | undefined): string {
  if (last === undefined || isTravelQuestion(last) || saidIn(last, whichFlight)) return text
  const isYes = saidIn(last, offersOnce) && smallTalkIn(text) === 'yes'
  return optionMeant(isYes ? 'the first' : text, last) ?? text
}

/** What is meant for Baxter, whatever was asked. */
function isForBaxter(wish: Wish, text: string): boolean {
  switch (wish.kind) {
    case 'undo':
    case 'show':
    case 'when':
    case 'repeating':
      return true
    case 'cannot':
      return wish.what !== 'send'
    case 'move':
      return wish.title !== undefined
    case 'add':
      return wish.day !== undefined && asksToPlan.test(text)
    default:
      return isTalk(wish)
  }
}

function isTalk(wish: Wish): boolean {
  return wish.kind === 'talk' && wish.talk !== 'yes' && wish.talk !== 'no'
}

function saidIn({ parts }: Exchange, words: string): boolean {
  return parts.some(({ partType, text }) => /^(?:response|clarify)$/.test(partType) && text.includes(words))
}

function isTravelQuestion({ parts }: Exchange): boolean {
  return parts.some(({ partType, text }) => partType === 'clarify' && text.startsWith('ExampleTravel asks: '))
}

function adding(wish: Extract<Wish, { kind: 'add' }>): ScriptedMessage {
  if (wish.day === undefined) {
    return { respond: clarify(`${whichDay}“${wish.title}”?`, dayOptions) }
  }
  const problem = problemOf(wish)
  if (problem !== undefined) return { respond: answer(`${problem} ${howWritten}`) }
  return { tools: [{ name: 'add_to_week', args: { entries: [entryOf(wish)] } }] }
}

const dayOptions = ['Today', 'Tomorrow', 'Monday', 'Saturday']

/** Puts what ExampleTravel has found into the plan: what was chosen there, or the one that is meant. */
function keeping(past: readonly Exchange[], text: string): ScriptedMessage {
  const found = past.toReversed().flatMap(({ parts }) => travelEntries(parts.map(({ data }) => data)) ?? [])[0]
  if (found === undefined)
    return { respond: answer('ExampleTravel has found nothing yet that I could put into your week.') }
  return kept(found.entries, found.areAlternatives, text)
}

function kept(entries: readonly Entry[], areAlternatives: boolean, text: string, said?: string): ScriptedMessage {
  const chosen = areAlternatives ? entryNamed(entries, text, ordinalIn(text)) : undefined
  if (areAlternatives && chosen === undefined) {
    const options = entries.slice(0, 6).map(({ title }) => title)
    return { respond: said === undefined ? clarify(whichFlight, options) : answerAndAsk(said, whichFlight, options) }
  }
  const args = { entries: chosen === undefined ? entries : [chosen] }
  return { respond: ack('Putting it into your week.'), tools: [{ name: 'add_to_week', args }] }
}

/** Takes back what was changed last, here or by ExampleTravel. */
function undoing(past: readonly Exchange[], today: string, ask: (message: string) => ScriptedMessage): ScriptedMessage {
  const last = past.at(-1)
  if (last !== undefined && (saidIn(last, whichDay) || saidIn(last, whichFlight)))
    return { respond: clarify('All right, I leave it out. What next?', nextSteps) }
  for (const exchange of past.toReversed()) {
    const change = changeIn(exchange.parts.map(({ text }) => text).join(' '), today)
    if (change === undefined) {
      if (saidIn(exchange, 'ExampleTravel ')) return ask('undo')
      continue
    }
    const [first] = change.entries
    if (first === undefined) break
    if (change.done === 'removed') return { tools: [{ name: 'add_to_week', args: { entries: change.entries } }] }
    const tools = change.entries.map(({ title, date }) => ({ name: 'remove_from_week', args: { title, date } }))
    return { tools }
  }
  return {
    respond: clarify('There is nothing to undo. What would you like?', ['What is in my week?', 'What can you do?']),
  }
}

function travelAnswered(now: ScriptContext, found: Answer | string, today: string): ScriptedMessage {
  if (typeof found === 'string') return { respond: answer(`I could not ask ExampleTravel. ${found}`) }
  if (found.question !== undefined) {
    const question = `ExampleTravel asks: ${found.question}`
    if (found.answer === undefined) return { respond: clarify(question, found.options) }
    return { respond: answerAndAsk(`ExampleTravel says: ${found.answer}`, question, found.options) }
  }
  const note = found.note === undefined ? '' : ` ${found.note}`
  const said = `ExampleTravel says: ${found.answer ?? 'nothing.'}${note}`
  const entries = travelEntries(found.data ?? [])
  if (entries !== undefined && wantsToKeep(now, today)) {
    return kept(entries.entries, entries.areAlternatives, '', said)
  }
  // What is booked has a day: Baxter is who keeps those.
  if (entries?.isBooked === true) {
    return { respond: answerAndAsk(said, intoWeek, ['Put it into my week', 'Make an itinerary']) }
  }
  return { respond: answer(said) }
}

/** Whether what is found goes into the week; after an answer to a question, as it was asked before. */
function wantsToKeep(now: ScriptContext, today: string): boolean {
  for (const [index, exchange] of exchangesOf(now).toReversed().entries()) {
    // Before the present message only questions count, which it answers.
    if (index > 0 && !isTravelQuestion(exchange)) return false
    const wish = understand(exchange.said, today)
    if (wish.kind === 'ask') return wish.keep
  }
  return false
}

const forwarded = /was passed on to the agent '[^']*'[^\n]*\n<data origin="peer:[^"]*">\n([^\n]*)\n<\/data>/
const notForwarded = /could not be passed on to the agent '[^']*':\n<data origin="peer:[^"]*">\n([\s\S]*?)\n<\/data>/

/** What ExampleTravel answered to a button of its own that the user pressed, or why it could not be told. */
function forwardedIn(text: string): Answer | string | undefined {
  const json = forwarded.exec(text)?.[1]
  return json === undefined ? notForwarded.exec(text)?.[1] : parsed<Answer>(json)
}

function removed(now: ScriptContext, today: string): ScriptedMessage {
  const found = resultOf<Removed>(now, 'remove_from_week')
  if (typeof found === 'string') return { respond: answer(`That did not work. ${found}`) }
  const { week, removed: entries } = found
  const [first] = entries
  if (first === undefined || week === undefined)
    return { respond: answer(nothingCalled(understand(spoken(now.text), today))) }
  const { kind, data } = week
  const text = `${changeWords('removed', entries)} ${weekWords(data, false)}`
  return { respond: answer(text, { partType: 'domain-data', kind, data }) }
}

function nothingCalled(wish: Wish): string {
  return noneCalled(wish.kind === 'remove' ? wish.title : '', 'removed')
}

function once({ title, words }: Extract<Wish, { kind: 'repeating' }>): ScriptedMessage {
  const weekday = /(?:mon|tues|wednes|thurs|fri|satur|sun)day/i.exec(words)?.[0]
  const day = weekday === undefined ? 'tomorrow' : `on ${weekday}`
  const question = `${offersOnce} Shall I add “${title}” once?`
  return { respond: clarify(question, [`Add ${title} ${day}`]) }
}

const oneAtATime = 'I remove one thing at a time. Say which one, as it stands in your week.'

function isAll(title: string): boolean {
  return /^(?:everything|all\b.*|(?:whole )?(?:week|plan|calendar|diary))$/i.test(title)
}

function weekShown(now: ScriptContext, today: string): ScriptedMessage {
  const tool = weekTools.find((name) => now.results.has(name)) ?? ''
  const found = resultOf<Found>(now, tool)
  if (typeof found === 'string') return { respond: answer(`That did not work. ${found}`) }
  const { kind, data, added, next } = found
  const asked = resultOf<Answer>(now, askTravel)
  const said = typeof asked === 'string' || asked.answer === undefined ? '' : `ExampleTravel says: ${asked.answer} `
  const done = added === undefined ? '' : `${changeWords('added', added)} `
  const wish = understand(spoken(now.text), today)
  if (added === undefined && wish.kind === 'show' && wish.day !== undefined && isOneDay(wish.words)) {
    const text = dayWords(wish.day, data)
    return { respond: answer(text, { partType: 'domain-data', kind, data }) }
  }
  const later = next === undefined ? '' : ` What comes next is ${next.title} on ${whenOf(next)}.`
  const text = `${said}${done}${weekWords(data, added === undefined)}${later}`
  return { respond: answer(text, { partType: 'domain-data', kind, data }) }
}

function isOneDay(words = ''): boolean {
  return !/week|month|year/i.test(words)
}

/** The conversation with ExampleTravel, so that it still knows what it was asked before. */
function lastConversation({ prompt }: ScriptContext): string | undefined {
  const ids = [...JSON.stringify(prompt).matchAll(/\(conversationId: ([\w.-]+)\)/g)]
  return ids.at(-1)?.[1]
}
