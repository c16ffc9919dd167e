import { fields, listOfFields, text } from '@cool-ai/beach-page/page/scene'

interface WeekEntry {
  readonly time?: string | undefined
  readonly title: string
  readonly source?: string | undefined
}

interface WeekDay {
  readonly date: string
  readonly entries: readonly WeekEntry[]
}

export interface Week {
  readonly from: string
  readonly days: readonly WeekDay[]
}

/** The week in data of kind `week`, by its days; undefined when it is something else. */
export function weekIn(data: unknown): Week | undefined {
  const { from, entries } = fields(data)
  const first = text(from)
  const rows = listOfFields(entries)
  if (first === undefined || rows === undefined) return undefined
  const days = new Map<string, WeekEntry[]>()
  for (const row of rows) {
    const [date, title, time, source] = [text(row.date), text(row.title), text(row.time), text(row.source)]
    if (date === undefined || title === undefined) return undefined
    const entry = { title, time, source }
    days.set(date, [...(days.get(date) ?? []), entry])
  }
  return { from: first, days: [...days].map(([date, all]) => ({ date, entries: all })) }
}
