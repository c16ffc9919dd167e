import type { ScriptedMessage } from '@cool-ai/beach-llm'
import { answer, type Exchange } from '@cool-ai/example-kit/script-words'
import type { Entry } from '../domain/week.ts'
import type { Wish } from './understand.ts'
import { changeIn, entryOf, problemOf, whenOf } from './week-words.ts'

export const howWritten = 'Say it like “Thursday at 10:00” or “19 August at 10:00”.'

/** Takes an entry out, and puts it in again at the other time. */
export function moving(
  wish: Extract<Wish, { kind: 'move' }>,
  past: readonly Exchange[],
  today: string,
): ScriptedMessage | undefined {
  const entry = wish.title === undefined ? addedLast(past, today) : plannedAs(wish.title, past, today)
  if (entry === undefined)
    return wish.title === undefined ? undefined : { respond: answer(noneCalled(wish.title, 'moved')) }
  const { title, date, time } = entry
  const problem = problemOf({ kind: 'add', title, day: wish.day, time: wish.time })
  if (problem !== undefined) return { respond: answer(`${problem} ${howWritten}`) }
  const moved = entryOf({
    kind: 'add',
    title,
    day: wish.day ?? { date, words: '' },
    time: wish.time ?? (time === undefined ? undefined : { time, words: '' }),
  })
  return {
    tools: [
      { name: 'remove_from_week', args: { title, date } },
      { name: 'add_to_week', args: { entries: [moved] } },
    ],
  }
}

/** What was changed in the conversation, the latest first. */
function changesOf(past: readonly Exchange[], today: string) {
  return past.toReversed().flatMap(({ parts }) => changeIn(parts.map(({ text }) => text).join(' '), today) ?? [])
}

function addedLast(past: readonly Exchange[], today: string): Entry | undefined {
  const [change] = changesOf(past, today)
  return change?.done === 'added' ? change.entries[0] : undefined
}

/** The entry of that title, as it was added last; undefined when it was removed since. */
function plannedAs(title: string, past: readonly Exchange[], today: string): Entry | undefined {
  for (const { done, entries } of changesOf(past, today)) {
    const entry = entries.find((each) => each.title.toLowerCase().includes(title.toLowerCase()))
    if (entry !== undefined) return done === 'added' ? entry : undefined
  }
  return undefined
}

/** When something is that was added here; else the week, in which it may stand. */
export function whenIs(title: string, past: readonly Exchange[], today: string): ScriptedMessage {
  const entry = plannedAs(title, past, today)
  if (entry === undefined) return { tools: [{ name: 'show_week', args: { day: today } }] }
  return { respond: answer(`“${entry.title}” is on ${whenOf(entry)}.`) }
}

/** Nothing was done: no entry has that title. */
export function noneCalled(title: string, what: 'removed' | 'moved'): string {
  return `I ${what} nothing: nothing in your plan is called “${title}”. Say the title as it stands in your week.`
}
