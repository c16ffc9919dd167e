import { ordinalIn } from '@cool-ai/example-kit/number-words'
import type { Package } from '../domain/package.ts'
import type { PackageLine } from '../domain/package-line.ts'
import { peopleText } from './people-text.ts'
import { nextSteps } from './next-steps.ts'
import type { SoFar } from './said-so-far.ts'
import type { Wish } from './wishes.ts'

/** What is done with the package besides showing it, or why nothing is. */
type PackageChange =
  /** Arguments of assemble_package, one call after the other. */
  | { readonly text: string; readonly calls: readonly object[] }
  | { readonly question: string; readonly options: readonly string[] }
  | { readonly nothing: string }

/** What a wish changes of the package as it is now; undefined when it changes nothing. */
export function packageChange(wish: Wish, now: Package, text: string, soFar: SoFar): PackageChange | undefined {
  switch (wish.kind) {
    case 'remove':
      return removal(now, text)
    case 'clear':
      return now.items.length === 0 ? undefined : removing(now.items, 'Emptying your package.')
    case 'undo':
      return undone(now, soFar)
    case 'change-people':
      return otherPeople(wish.people, now)
    default:
      return undefined
  }
}

function removing(items: readonly PackageLine[], text = 'Removing that from your package.'): PackageChange {
  return { text, calls: [{ action: 'remove', itemIds: items.map(({ itemId }) => itemId) }] }
}

function removal({ items }: Package, text: string): PackageChange | undefined {
  if (items.length === 0) return undefined
  const named = items.filter((item) => isNamed(item, text))
  if (named.length > 0) return removing(named)
  const index = ordinalIn(text)
  const chosen = index === undefined ? undefined : items.at(index)
  if (chosen !== undefined) return removing([chosen])
  const [only, ...others] = items.filter(({ type }) => text.toLowerCase().includes(type))
  if (only !== undefined && others.length === 0) return removing([only])
  if (/\b(?:it|that|this|them)\b/i.test(text) && items.length === 1) return removing(items)
  return { question: 'Which one shall I remove?', options: items.slice(0, 6).map(({ title }) => `Remove ${title}`) }
}

/** True when the text names an item: by its title, or by the number of its flight. */
function isNamed({ title, type }: PackageLine, text: string): boolean {
  const words = text.toLowerCase().replaceAll(' ', '')
  const flightNumber = type === 'flight' ? /^[A-Z0-9]{2} ?\d{3,4}/.exec(title)?.[0] : undefined
  return [title, flightNumber].some(
    (name) => name !== undefined && words.includes(name.toLowerCase().replaceAll(' ', '')),
  )
}

/** What was changed last: added is taken out, taken out is added again. */
function undone(now: Package, soFar: SoFar): PackageChange {
  if (soFar.packages.length === 0) {
    if (soFar.booking !== undefined)
      return { nothing: 'A booking cannot be undone in this demo. Nothing was charged for it.' }
    return { question: 'There is nothing to undo. What would you like?', options: nextSteps(soFar) }
  }
  const before = soFar.packages.at(-2)?.items ?? []
  const added = now.items.filter(({ itemId }) => !before.some((item) => item.itemId === itemId))
  const gone = before.filter(({ itemId, quantity }) => {
    return !now.items.some((item) => item.itemId === itemId && item.quantity === quantity)
  })
  const again = gone.flatMap((line) => itemOf(line) ?? [])
  if (added.length === 0 && again.length === 0) {
    return { question: 'There is nothing to undo. What would you like?', options: nextSteps(soFar) }
  }
  const titles = new Intl.ListFormat('en-GB').format(added.map(({ title }) => title))
  const calls = [
    ...(added.length === 0 ? [] : [{ action: 'remove', itemIds: added.map(({ itemId }) => itemId) }]),
    ...(again.length === 0 ? [] : [{ action: 'add', items: again }]),
  ]
  return { text: again.length === 0 ? `Taking ${titles} out again.` : 'Putting it back as it was.', calls }
}

/** The same package for another party. */
function otherPeople(people: number, { items: lines }: Package): PackageChange | undefined {
  const items = lines.flatMap((line) => itemOf(line, people) ?? [])
  if (items.length === 0) return undefined
  return { text: `Changing your package to ${peopleText(people)}.`, calls: [{ action: 'add', items }] }
}

/** The item that a line of the package was made of. */
function itemOf({ itemId, type, details, end, quantity }: PackageLine, people?: number): object | undefined {
  const [, name = '', day = ''] = itemId.split(':')
  switch (type) {
    case 'flight':
      return { type, flightNumber: name, date: day, passengers: people ?? quantity }
    case 'hotel':
      return {
        type,
        hotelId: name,
        checkIn: day,
        checkOut: end,
        guests: people ?? Number(/for (\d+) guest/.exec(details)?.[1] ?? 2),
      }
    case 'activity':
      return { type, activityId: name, date: day, people: people ?? quantity }
    case 'cruise':
      return { type, cruiseId: name, departure: day, people: people ?? quantity }
  }
}
