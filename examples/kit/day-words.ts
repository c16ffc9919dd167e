import { addDays, dayFrom, monthOf, weekdayOf, yearOf } from './days.ts'
import { numberIn, numberWord } from './number-words.ts'

/** A day that a text names. */
export interface DayNamed {
  /** As 2026-08-15; undefined for one that does not exist. */
  readonly date: string | undefined
  /** The words that name it. */
  readonly words: string
  readonly index: number
}

/** What days are counted from. */
export interface DayContext {
  readonly today: string
  /** The day that was talked about: “I meant Saturday” is near it. */
  readonly near?: string | undefined
}

const monthNames = 'january february march april may june july august september october november december'.split(' ')
const weekdays = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')
const month = String.raw`(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`
const nth = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const year = String.raw`(?:,?\s+(20\d\d))?`
// “Monday 30 November” is one day, and the weekday says nothing more of it.
const onWeekdayOf = String.raw`(?:\b(?:${weekdays.join('|')})\s*,?\s+(?:the\s+)?)?`
// What a number after a month counts when it is no day: “February 4 people”.
const counted = String.raw`(?!\s*(?:people|person|adults?|passengers?|travell?ers?|guests?|kids?|child|of us|nights?|days?|weeks?|pounds|[:£]))`

type Reader = (found: readonly (string | undefined)[], context: DayContext) => readonly (string | undefined)[]

/** “The weekend of 12 December” is that day, and no other weekend. */
const weekendOf = String.raw`(?:\b(?:the\s+)?weekend\s+(?:of|around|from|on|starting)\s+(?:the\s+)?)?`

/** Each way to name a day; of two that begin at the same place the first counts. */
const ways: readonly (readonly [pattern: string, read: Reader])[] = [
  [
    String.raw`${weekendOf}${onWeekdayOf}\b(\d{4})-(\d{1,2})-(\d{1,2})\b`,
    ([y, m, d]) => [dayFrom(Number(y), Number(m), Number(d))],
  ],
  [
    String.raw`\b${nth}\s*(?:to|until|till|-|–)\s*(?:the\s+)?${nth}\s+(?:of\s+)?(${month})${year}`,
    ([from, to, name, y], context) => {
      const first = dated(name, Number(from), y, context)
      return [first, dated(name, Number(to), y, { today: first ?? context.today })]
    },
  ],
  [
    String.raw`${weekendOf}${onWeekdayOf}\b${nth}\s+(?:of\s+)?(${month})${year}`,
    ([d, name, y], context) => [dated(name, Number(d), y, context)],
  ],
  [
    String.raw`${weekendOf}${onWeekdayOf}\b(${month})\s+(?:the\s+)?${nth}\b${counted}${year}`,
    ([name, d, y], context) => [dated(name, Number(d), y, context)],
  ],
  [
    String.raw`${weekendOf}${onWeekdayOf}\b(\d{1,2})/(\d{1,2})(?:/(20\d\d))?\b`,
    ([d, m, y], context) => [dated(monthNames[Number(m) - 1], Number(d), y, context)],
  ],
  [
    String.raw`\b(?:(early|mid|middle of|beginning of|start of|first week of|late|end of|last week of)[\s-]+)?(${month})${year}`,
    ([part, name, y], context) => [inMonth(name, part, y, context)],
  ],
  [String.raw`\b(?:the\s+)?day after tomorrow\b`, (_, { today }) => [addDays(today, 2)]],
  [String.raw`\b(?:today|tonight)\b`, (_, { today }) => [today]],
  [String.raw`\byesterday\b`, (_, { today }) => [addDays(today, -1)]],
  [String.raw`\btomorrow\b`, (_, { today }) => [addDays(today, 1)]],
  [
    String.raw`\b${numberWord}\s+(day|week|fortnight|month)s?\s+(later|earlier|after|before)\b`,
    ([count, unit, side], { today, near = today }) => {
      return [addDays(near, signOf(side) * (numberIn(count) ?? 1) * daysOf(unit))]
    },
  ],
  [
    String.raw`\bthe\s+(day|week|month)\s+(after|before)\b`,
    ([unit, side], { today, near = today }) => [addDays(near, signOf(side) * daysOf(unit))],
  ],
  [
    String.raw`\bin\s+${numberWord}\s+(day|week|fortnight|month)s?(?:[’']?\s+time)?\b`,
    ([count, unit], { today }) => [addDays(today, (numberIn(count) ?? 1) * daysOf(unit))],
  ],
  [String.raw`\bnext\s+weekend\b`, (_, { today }) => [addDays(today, 12 - weekdayOf(today))]],
  [String.raw`\b(?:this|the|at\s+the|coming)\s+weekend\b`, (_, context) => [onWeekday(5, context)]],
  [String.raw`\bnext\s+week\b`, (_, { today }) => [addDays(today, 7 - weekdayOf(today))]],
  [String.raw`\blast\s+week\b`, (_, { today }) => [addDays(today, -7 - weekdayOf(today))]],
  [String.raw`\bnext\s+month\b`, (_, { today }) => [middle(yearOf(today), monthOf(today) + 1, 'mid')]],
  [
    String.raw`\b(?:the|(?:${weekdays.join('|')})(?:\s*,?\s+the)?)\s+(\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:one|flight|hotel|option|cruise|of))`,
    ([d], context) => [dayOfMonth(Number(d), context)],
  ],
  [
    String.raw`\b(?:(next)\s+)?(${weekdays.join('|')})\b`,
    ([next, name = ''], context) => {
      const weekday = weekdays.indexOf(name.toLowerCase())
      if (next === undefined) return [onWeekday(weekday, context)]
      return [addDays(context.today, 7 - weekdayOf(context.today) + weekday)]
    },
  ],
  [String.raw`\b(?:christmas|xmas) eve\b`, (_, context) => [dated('december', 24, undefined, context)]],
  [String.raw`\b(?:christmas|xmas) day\b`, (_, context) => [dated('december', 25, undefined, context)]],
  [String.raw`\bboxing day\b`, (_, context) => [dated('december', 26, undefined, context)]],
  [String.raw`\bnew year[’']?s eve\b`, (_, context) => [dated('december', 31, undefined, context)]],
  [String.raw`\bnew year[’']?s day\b`, (_, context) => [dated('january', 1, undefined, context)]],
  [String.raw`\bgood friday\b`, (_, context) => [easter(-2, context)]],
  [String.raw`\beaster (?:sunday|day)\b`, (_, context) => [easter(0, context)]],
  [String.raw`\beaster monday\b`, (_, context) => [easter(1, context)]],
  // Around these days: before the holidays begin.
  [String.raw`\beaster\b`, (_, context) => [easter(-2, context)]],
  [String.raw`\b(?:christmas|xmas)\b`, (_, context) => [dated('december', 23, undefined, context)]],
  [String.raw`\bnew year(?:[’']?s)?\b`, (_, context) => [dated('december', 30, undefined, context)]],
  [String.raw`\bspring\b`, (_, context) => [inMonth('april', undefined, undefined, context)]],
  [String.raw`\bsummer\b`, (_, context) => [inMonth('july', undefined, undefined, context)]],
  [String.raw`\b(?:autumn|half[\s-]term)\b`, (_, context) => [inMonth('october', undefined, undefined, context)]],
  [String.raw`\bwinter\b`, (_, context) => [inMonth('february', undefined, undefined, context)]],
]

const patterns = ways.map(([pattern, read]) => ({ pattern: new RegExp(pattern, 'gi'), read }))
// These are also ordinary words: they are months only where a text says so.
const ordinary = /^(?:may|mar|march|sept?|dec|jan|apr)\.?$/i
const announced =
  /(?:\b(?:in|of|by|until|till|next|this|for|during|early|mid|late|around|end|beginning|or|and|about)|-)\s*$/i

/** The days that a text names, in the order in which it does. */
export function daysIn(text: string, context: DayContext): DayNamed[] {
  const found = patterns.flatMap(({ pattern, read }, way) =>
    [...text.matchAll(pattern)]
      .filter(([words], index, all) => !ordinary.test(words) || announced.test(text.slice(0, all[index]?.index)))
      .map(({ index, 0: words, ...groups }) => ({ index, words, way, groups: Object.values(groups), read })),
  )
  const ordered = found.toSorted((one, other) => one.index - other.index || one.way - other.way)
  const named: DayNamed[] = []
  let end = 0
  for (const { index, words, groups, read } of ordered) {
    if (index < end) continue
    end = index + words.length
    const texts = groups.map((group) => (typeof group === 'string' ? group : undefined))
    for (const date of read(texts, context)) named.push({ date, words: words.trim(), index })
  }
  return named
}

/** The first day that a text names; undefined when it names none. */
export function dayIn(text: string, context: DayContext): DayNamed | undefined {
  return daysIn(text, context)[0]
}

function monthIn(name = ''): number {
  return monthNames.findIndex((full) => full.startsWith(name.toLowerCase().slice(0, 3))) + 1
}

/** The day of a month: of the year that is given, else the next one to come. */
function dated(name: string | undefined, day: number, y: string | undefined, { today }: DayContext) {
  const number = monthIn(name)
  if (name === undefined || number === 0) return undefined
  if (y !== undefined) return dayFrom(Number(y), number, day)
  const thisYear = dayFrom(yearOf(today), number, day)
  if (thisYear !== undefined && thisYear >= today) return thisYear
  // The 29th of February is only in some years.
  const years = [1, 2, 3, 4, 5, 6, 7, 8].map((more) => dayFrom(yearOf(today) + more, number, day))
  return years.find((date) => date !== undefined)
}

/** So many days after the next Easter Sunday. */
function easter(days: number, { today }: DayContext): string {
  const thisYear = addDays(easterOf(yearOf(today)), days)
  return thisYear >= today ? thisYear : addDays(easterOf(yearOf(today) + 1), days)
}

/** Easter Sunday by the Gregorian calendar, for the years from 1900 to 2099 (Gauss). */
function easterOf(inYear: number): string {
  const moon = (19 * (inYear % 19) + 24) % 30
  const sunday = (2 * (inYear % 4) + 4 * (inYear % 7) + 6 * moon + 5) % 7
  const late = (moon === 29 && sunday === 6) || (moon === 28 && sunday === 6 && inYear % 19 > 10)
  return addDays(`${inYear}-03-22`, moon + sunday - (late ? 7 : 0))
}

/** A Saturday of a month: people who name a month alone mean a holiday. */
function inMonth(
  name: string | undefined,
  part: string | undefined,
  y: string | undefined,
  { today }: DayContext,
): string {
  const number = monthIn(name)
  const thisYear = y === undefined ? yearOf(today) : Number(y)
  const chosen = middle(thisYear, number, part)
  if (y !== undefined || chosen > today) return chosen
  const nextSaturday = addDays(today, 7 - ((weekdayOf(today) + 2) % 7))
  if (monthOf(nextSaturday) === number && yearOf(nextSaturday) === thisYear) return nextSaturday
  return middle(thisYear + 1, number, part)
}

/** The Saturday next to the 15th, or in the first or the last week. */
function middle(inYear: number, number: number, part = 'mid'): string {
  const around = /early|beginning|start|first/i.test(part) ? 4 : /late|end|last/i.test(part) ? 25 : 15
  const [realYear, realMonth] = number > 12 ? [inYear + 1, number - 12] : [inYear, number]
  const centre = dayFrom(realYear, realMonth, around) ?? ''
  const ahead = (5 - weekdayOf(centre) + 7) % 7
  return addDays(centre, ahead <= 3 ? ahead : ahead - 7)
}

/** The weekday in the week that was talked about, else the next one. */
function onWeekday(weekday: number, { today, near }: DayContext): string {
  const inWeek = near === undefined ? undefined : addDays(near, weekday - weekdayOf(near))
  if (inWeek !== undefined && inWeek > today) return inWeek
  return addDays(today, ((weekday - weekdayOf(today) + 6) % 7) + 1)
}

/** “The 22nd”: of the month that was talked about, else the next one. */
function dayOfMonth(day: number, { today, near = today }: DayContext): string | undefined {
  const months = [0, 1, 2].map((more) => {
    const number = monthOf(near) + more
    return dayFrom(yearOf(near) + (number > 12 ? 1 : 0), ((number - 1) % 12) + 1, day)
  })
  return months.find((date) => date !== undefined && date >= today)
}

function signOf(side = ''): number {
  return /earlier|before/i.test(side) ? -1 : 1
}

function daysOf(unit = ''): number {
  return { day: 1, week: 7, fortnight: 14, month: 30 }[unit.toLowerCase()] ?? 1
}
