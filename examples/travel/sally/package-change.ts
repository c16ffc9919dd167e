import { ordinalIn } from '@cool-ai/example-kit/number-words'
import { addDays, longDate, nightsBetween } from '../domain/iso-date.ts'
import type { Package } from '../domain/package.ts'
import type { PackageLine } from '../domain/package-line.ts'
import { peopleText } from './people-text.ts'
import { nextSteps } from './next-steps.ts'
import { changedLast, type SoFar } from './said-so-far.ts'
import type { Change, Wish } from './wishes.ts'

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
      return now.items.length === 0 ? undefined : removing(now.items, 'Emptying your basket.')
    case 'undo':
      return undone(now, soFar, wish.again)
    case 'change':
      return changed(wish, now, soFar)
    default:
      return undefined
  }
}

function removing(items: readonly PackageLine[], text = 'Removing that from your basket.'): PackageChange {
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
function undone(now: Package, soFar: SoFar, again: boolean): PackageChange {
  const redone = again ? soFar.undone : undefined
  if (redone === undefined && soFar.packages.length === 0) {
    if (soFar.booking !== undefined)
      return { nothing: 'A booking cannot be undone in this demo. Nothing was charged for it.' }
    return { question: 'There is nothing to undo. What would you like?', options: nextSteps(soFar) }
  }
  const before = (redone ?? soFar.packages.at(-2))?.items ?? []
  const added = now.items.filter(({ itemId }) => !before.some((item) => item.itemId === itemId))
  const gone = before.filter(({ itemId, quantity, details }) => {
    return !now.items.some((item) => item.itemId === itemId && item.quantity === quantity && item.details === details)
  })
  const back = gone.flatMap((line) => itemOf(line) ?? [])
  if (added.length === 0 && back.length === 0) {
    return { question: 'There is nothing to undo. What would you like?', options: nextSteps(soFar) }
  }
  const titles = new Intl.ListFormat('en-GB').format(added.map(({ title }) => title))
  const calls = [
    ...(added.length === 0 ? [] : [{ action: 'remove', itemIds: added.map(({ itemId }) => itemId) }]),
    ...(back.length === 0 ? [] : [{ action: 'add', items: back }]),
  ]
  return { text: back.length === 0 ? `Taking ${titles} out again.` : 'Putting it back as it was.', calls }
}

/** The same basket for other people, or its stays for other nights or from another day. */
function changed(change: Change, { items: lines }: Package, soFar: SoFar): PackageChange | undefined {
  const { nights, date } = change
  const chosen = new Set(changedLast(soFar).map(({ itemId }) => itemId))
  const isAbout = ({ type, itemId }: PackageLine) => {
    if (date !== undefined) return type === 'hotel' && chosen.has(itemId)
    return nights === undefined || type === 'hotel'
  }
  const about = lines.filter(isAbout)
  const items = about.flatMap((line) => itemOf(line, change) ?? [])
  if (items.length === 0) return undefined
  // Another day makes another item of it.
  const moved = date === undefined ? [] : [{ action: 'remove', itemIds: about.map(({ itemId }) => itemId) }]
  return { text: changeText(change), calls: [...moved, { action: 'add', items }] }
}

function changeText({ people, nights, date }: Change): string {
  const party = people === undefined ? '' : peopleText(people)
  const others = party === '' ? '' : `, for ${party}`
  const from = date === undefined ? '' : longDate(date)
  if (nights === undefined)
    return date === undefined ? `Changing your basket to ${party}.` : `Moving your stay to ${from}${others}.`
  const stay = nights === 1 ? 'one night' : `${nights} nights`
  return `Changing your stay to ${stay}${date === undefined ? '' : ` from ${from}`}${others}.`
}

/** The item that a line of the basket was made of, with what is to be other. */
function itemOf(line: PackageLine, { people, nights, date }: Change = {}): object | undefined {
  const { itemId, type, details, end, quantity } = line
  const [, name = '', was = ''] = itemId.split(':')
  const day = type === 'hotel' ? (date ?? was) : was
  switch (type) {
    case 'flight':
      return { type, flightNumber: name, date: day, passengers: people ?? quantity }
    case 'hotel':
      return {
        type,
        hotelId: name,
        checkIn: day,
        checkOut: addDays(day, nights ?? nightsBetween(was, end)),
        guests: people ?? Number(/for (\d+) guest/.exec(details)?.[1] ?? 2),
      }
    case 'activity':
      return { type, activityId: name, date: day, people: people ?? quantity }
    case 'cruise':
      return { type, cruiseId: name, departure: day, people: people ?? quantity }
  }
}
