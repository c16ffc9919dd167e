import { defined } from '@cool-ai/beach-core/runtime'
import { dayIn } from '@cool-ai/example-kit/day-words'
import { longDay } from '@cool-ai/example-kit/days'
import type { Entry, Week } from '../domain/week.ts'
import type { Wish } from './understand.ts'

export interface Found {
  readonly kind: 'week'
  readonly data: Week
  readonly added?: readonly Entry[] | undefined
  /** What is planned first after an empty week. */
  readonly next?: Entry | undefined
}

export interface Removed {
  readonly removed: readonly Entry[]
  readonly week?: Found | undefined
}

type Adding = Extract<Wish, { kind: 'add' }>

const maxTitleLength = 200

/** The entry that is to be added; `problemOf` has found nothing wrong with it. */
export function entryOf({ title, day, time }: Adding): Entry {
  return defined({ title, date: day?.date ?? '', time: time?.time })
}

/** Why something cannot be put into the plan, in a sentence; undefined when it can. */
export function problemOf({ title, day, time }: Adding): string | undefined {
  if (title.length > maxTitleLength) return 'That is too long for a title. Use a few words.'
  const unknown = [
    ...(day !== undefined && day.date === undefined ? [`no day ${day.words}`] : []),
    ...(time !== undefined && time.time === undefined ? [`no time ${time.words}`] : []),
  ]
  return unknown.length === 0 ? undefined : `I have not put that into your plan: there is ${unknown.join(' and ')}.`
}

/** `Wednesday 19 August 2026 at 10:00`. */
export function whenOf({ date, time }: Entry): string {
  return time === undefined ? longDay(date) : `${longDay(date)} at ${time}`
}

const maxListed = 5

/** What a week has in it, by name for readers who do not see it. */
export function weekWords({ from, entries }: Week, isListed = true): string {
  const { length: count } = entries
  const planned = count === 0 ? 'nothing' : count === 1 ? 'one thing' : `${count} things`
  const listed = entries.slice(0, maxListed).map((entry) => `${entry.title} on ${whenOf(entry).replace(/ 20\d\d/, '')}`)
  const more = count > maxListed ? `, and ${count - maxListed} more` : ''
  const list = count === 0 || !isListed ? '' : `: ${listed.join(', ')}${more}`
  return `The week of ${longDay(from)} has ${planned} in it${list}.`
}

/** What a day has in it. */
export function dayWords(day: string, { entries }: Week): string {
  const onDay = entries.filter(({ date }) => date === day)
  if (onDay.length === 0) return `Nothing is planned on ${longDay(day)}.`
  const listed = onDay.map(({ title, time }) => (time === undefined ? title : `${title} at ${time}`))
  return `On ${longDay(day)}: ${listed.join(', ')}.`
}

/** What has become of entries, in words that `changeIn` reads again. */
export function changeWords(done: 'added' | 'removed', entries: readonly Entry[]): string {
  return `I have ${done} ${entries.map((entry) => `“${entry.title}” on ${whenOf(entry)}`).join(' and ')}.`
}

const changed = /I have (added|removed) (“.+?)\. The week of/
const entryWords = /“([^”]+)” on ([^“]+?)(?: and (?=“)|$)/g

/** What an answer says was added or removed; undefined when it says neither. */
export function changeIn(text: string, today: string) {
  const [, done, list = ''] = changed.exec(text) ?? []
  if (done === undefined) return undefined
  const entries = [...list.matchAll(entryWords)].flatMap(([, title = '', when = '']) => {
    const date = dayIn(when.replace(/^\w+day /, ''), { today })?.date
    return date === undefined ? [] : [defined({ title, date, time: /at (\d\d:\d\d)/.exec(when)?.[1] })]
  })
  return { done: done as 'added' | 'removed', entries }
}
