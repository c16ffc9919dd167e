import { maxPartySize } from '../domain/party.ts'
import { actions, type ActionName } from '../surfaces/actions.ts'

/** What the user did on a surface. */
interface Pressed {
  readonly name: string
  readonly context: Readonly<Record<string, unknown>>
}

/** What pressing a button asks for. */
export type PressedWish =
  | { readonly kind: 'add-items'; readonly items: readonly unknown[]; readonly thenBook: boolean }
  | { readonly kind: 'remove-items'; readonly itemIds: readonly string[] }
  | { readonly kind: 'sort-flights'; readonly search: Readonly<Record<string, unknown>> }
  | { readonly kind: 'book' }
  | { readonly kind: 'itinerary' }

const pressedPattern = /^The user pressed .{0,100}\(action ([\w.-]{1,100})\) on the surface [^\n]{1,250}\./
const values = /^<data origin="a2ui-action">\n(.*)\n<\/data>$/m

const chosen = /^<data origin="choice">\n(.*)\n<\/data>$/m

/**
 * What a message says was pressed, or chosen of a list by its number, in the words in which models are told; undefined
 * when it says something else.
 */
export function pressedWish(text: string): PressedWish | undefined {
  const pressed = pressedIn(text) ?? chosenIn(text)
  return pressed === undefined ? undefined : wishOf(pressed.name as ActionName, pressed.context)
}

function pressedIn(text: string): Pressed | undefined {
  const name = pressedPattern.exec(text)?.[1]
  if (name === undefined) return undefined
  const json = values.exec(text)?.[1]
  try {
    return { name, context: json === undefined ? {} : (JSON.parse(json) as Pressed['context']) }
  } catch {
    return undefined
  }
}

/** What is to be done with a thing that was chosen: it is taken, unless its chooser says more. */
function chosenIn(text: string): Pressed | undefined {
  const json = chosen.exec(text)?.[1]
  if (json === undefined) return undefined
  const { actions: offered = [] } = JSON.parse(json) as { actions?: readonly Pressed[] }
  const [words = ''] = text.split('\n', 1)
  const verb = /\b(?:book|buy)\b/i.test(words) ? 'book' : /\b(?:remove|drop|delete)\b/i.test(words) ? 'remove' : 'add'
  return offered.find(({ name }) => name.startsWith(verb))
}

function wishOf(name: ActionName, context: Pressed['context']): PressedWish | undefined {
  switch (name) {
    case actions.addFlight:
    case actions.bookFlight: {
      const { flightNumber, date } = context
      const item = { type: 'flight', flightNumber, date, passengers: peopleIn(context.passengers) }
      return { kind: 'add-items', items: [item], thenBook: name === actions.bookFlight }
    }
    case actions.addHotel: {
      const { hotelId, checkIn, checkOut } = context
      return adding({ type: 'hotel', hotelId, checkIn, checkOut, guests: peopleIn(context.guests) })
    }
    case actions.addCruise: {
      const { cruiseId, departure } = context
      return adding({ type: 'cruise', cruiseId, departure, people: peopleIn(context.people) })
    }
    case actions.addActivity: {
      const date = typeof context.date === 'string' ? context.date.slice(0, 10) : ''
      return adding({ type: 'activity', activityId: context.activityId, date, people: peopleIn(context.people) })
    }
    case actions.removeItem:
      return { kind: 'remove-items', itemIds: [String(context.itemId)] }
    case actions.sortFlights:
      return { kind: 'sort-flights', search: context }
    case actions.bookPackage:
      return { kind: 'book' }
    case actions.makeItinerary:
      return { kind: 'itinerary' }
    default:
      return (name satisfies never, undefined)
  }
}

function adding(item: unknown): PressedWish {
  return { kind: 'add-items', items: [item], thenBook: false }
}

/** What a slider was set to. */
function peopleIn(value: unknown): number {
  const count = Math.round(Number(value))
  return count >= 1 && count <= maxPartySize ? count : 2
}
