import { ordinalIn } from '@cool-ai/example-chat-page/number-words'
import type { Package } from '../domain/package.ts'
import type { PackageLine } from '../domain/package-line.ts'
import { nextSteps } from './next-steps.ts'
import { packageNow, type SoFar } from './said-so-far.ts'
import type { Wish } from './wishes.ts'

/** What is done with the package besides showing it, or why nothing is. */
type PackageChange =
  | { readonly text: string; readonly args: unknown }
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
      return otherPeople(now, wish.people, soFar)
    default:
      return undefined
  }
}

function removing(items: readonly PackageLine[], text = 'Removing that from your package.'): PackageChange {
  return { text, args: { action: 'remove', itemIds: items.map(({ itemId }) => itemId) } }
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
  if (added.length > 0) return removing(added, `Taking ${added.map(({ title }) => title).join(' and ')} out again.`)
  const removed = before.filter(({ itemId }) => !now.items.some((item) => item.itemId === itemId))
  const changed = before.filter((item) =>
    now.items.some(({ itemId, quantity }) => itemId === item.itemId && quantity !== item.quantity),
  )
  const items = [...removed, ...changed].flatMap((line) => itemOf(line) ?? [])
  if (items.length === 0)
    return { question: 'There is nothing to undo. What would you like?', options: nextSteps(soFar) }
  return { text: 'Putting it back as it was.', args: { action: 'add', items } }
}

/** For how many the last one is. */
function otherPeople(now: Package, people: number, soFar: SoFar): PackageChange | undefined {
  const before = soFar.packages.at(-2)?.items ?? []
  const added = now.items.filter(({ itemId }) => !before.some((item) => item.itemId === itemId))
  const lines = added.length > 0 ? added : (packageNow(soFar)?.items ?? [])
  const items = lines.flatMap((line) => itemOf(line, people) ?? [])
  return items.length === 0 ? undefined : { text: `Changing it to ${people}.`, args: { action: 'add', items } }
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
