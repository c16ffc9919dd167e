import * as z from 'zod'

/** A day, as YYYY-MM-DD. */
export const daySchema = z.iso.date()

/** Something that is planned. */
export const entrySchema = z.object({
  date: daySchema,
  time: z.iso.time({ precision: -1 }).exactOptional().describe('Local time, such as 06:15.'),
  title: z.string().min(1).max(200),
  /** Who said so, when it was not the user. */
  source: z.string().max(100).exactOptional(),
})

export type Entry = z.infer<typeof entrySchema>

/** All that the user has planned, in the order of time. */
export const planSchema = z.array(entrySchema).max(1_000)

export type Plan = z.infer<typeof planSchema>

/** The data of kind `week`: seven days from a Monday on. */
export const weekSchema = z.object({ from: daySchema, entries: z.array(entrySchema) })

export type Week = z.infer<typeof weekSchema>

/** The plan with these entries too; what is there already is not there twice. */
export function withEntries(plan: Plan, entries: readonly Entry[]): Plan {
  const added = entries.filter((entry, index) => {
    return ![...plan, ...entries.slice(0, index)].some((other) => keyOf(other) === keyOf(entry))
  })
  return planSchema.parse([...plan, ...added].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)))
}

/** The entries of that title, or of a part of it where none has all of it; only those of a day, where one is given. */
export function withTitle(plan: Plan, title: string, date?: string): Plan {
  const asked = title.toLowerCase()
  const onDay = plan.filter((entry) => date === undefined || entry.date === date)
  const exact = onDay.filter((entry) => entry.title.toLowerCase() === asked)
  return exact.length > 0 ? exact : onDay.filter((entry) => entry.title.toLowerCase().includes(asked))
}

/** The plan without these entries. */
export function withoutEntries(plan: Plan, entries: readonly Entry[]): Plan {
  const keys = new Set(entries.map(keyOf))
  return plan.filter((entry) => !keys.has(keyOf(entry)))
}

/** The week that the day is in. */
export function weekOf(plan: Plan, day: string): Week {
  const from = addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7))
  const end = addDays(from, 7)
  return { from, entries: plan.filter(({ date }) => date >= from && date < end) }
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

function keyOf({ date, time = '', title }: Entry): string {
  return `${date} ${time} ${title}`
}
