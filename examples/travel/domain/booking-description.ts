import type { ApprovalDescription } from '@cool-ai/beach-core/ports'
import type { Package } from './package.ts'
import { factsOf, type PackageLine } from './package-line.ts'

/** What a user approves when this package is booked: each item by its name, with when it is and what it costs. */
export function bookingDescription({ items, total, totalPence, currency }: Package): ApprovalDescription {
  const [first, ...others] = items
  const about = { risk: 'medium', allowForSession: true, amount: { value: totalPence / 100, currency } } as const
  if (first !== undefined && others.length === 0) return { title: `Book ${first.title}, ${factsOf(first)}`, ...about }
  const details = Object.fromEntries(items.map((line) => [line.title, factsOf(line)]))
  return { title: `Book ${contentsOf(items)} for ${total}`, details, ...about }
}

const words = {
  flight: ['a flight', 'flights'],
  hotel: ['a hotel', 'hotels'],
  activity: ['an activity', 'activities'],
  cruise: ['a cruise', 'cruises'],
} as const

/** `2 flights and a hotel`. */
function contentsOf(items: readonly PackageLine[]): string {
  const types = [...new Set(items.map(({ type }) => type))]
  const kinds = types.map((type) => {
    const count = items.filter((item) => item.type === type).length
    const [one, several] = words[type]
    return count === 1 ? one : `${count} ${several}`
  })
  return new Intl.ListFormat('en-GB').format(kinds)
}
