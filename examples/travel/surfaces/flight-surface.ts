import { ui, type UiNode } from '@cool-ai/beach-a2ui'
import { compact } from '../domain/flight-schedule.ts'
import { flightOrders, type Flight, type FlightResults } from '../domain/flights.ts'
import { longDate } from '../domain/iso-date.ts'
import { price } from '../domain/money.ts'
import { maxPartySize } from '../domain/party.ts'
import { actions } from './actions.ts'
import { firstOf, offerButton, offerCard } from './offer-card.ts'

const orderNames = { price: 'Cheapest', departure: 'Earliest', duration: 'Shortest' } as const

interface Chosen {
  readonly passengers: number
}

const { path } = ui.pathsOf<Chosen>()

/** Flights to choose from: for how many is the user's to say, and in which order. */
export function flightSurface({ route, flights, search }: FlightResults, surfaceId: string) {
  const [first] = flights
  if (first === undefined) return undefined
  const data: Chosen = { passengers: search?.passengers ?? 2 }
  return ui.surface({
    surfaceId,
    data,
    root: ui.column(
      ui.text(`${route.origin} to ${route.destination}, ${longDate(first.departure.slice(0, 10))}`, { variant: 'h3' }),
      ui.slider({ label: 'Travellers', value: path('/passengers'), min: 1, max: maxPartySize }),
      search !== undefined && flights.length > 1 && sorting(search),
      ...firstOf(flights).map(flightCard),
    ),
  })
}

function sorting(search: NonNullable<FlightResults['search']>): UiNode {
  const { directOnly, sortBy, ...rest } = search
  const buttons = flightOrders.map((order) =>
    ui.button({
      id: `sort-${order}`,
      label: orderNames[order],
      accessibility: { label: `${orderNames[order]} first` },
      variant: order === sortBy ? 'primary' : 'default',
      action: ui.action(actions.sortFlights, { ...rest, ...(directOnly && { directOnly }), sortBy: order }),
    }),
  )
  return ui.row(ui.text('Sort', { variant: 'caption' }), ...buttons)
}

function flightCard({ flightNumber, airline, departure, arrival, pricePerPerson, stops }: Flight): UiNode {
  const what = `${airline} ${flightNumber}`
  const context = { flightNumber, date: departure.slice(0, 10), passengers: path('/passengers') }
  const id = compact(flightNumber)
  return offerCard({
    title: `**${airline}** ${flightNumber}`,
    details: `${timeOf(departure)} to ${timeOf(arrival)}, ${stopsInWords(stops)}`,
    price: `${price(pricePerPerson)} per person`,
    buttons: [
      offerButton('Add', what, { id: `add-${id}`, action: ui.action(actions.addFlight, context) }),
      offerButton('Book', what, {
        id: `book-${id}`,
        action: ui.action(actions.bookFlight, context),
      }),
    ],
  })
}

function timeOf(moment: string): string {
  return moment.slice(11, 16)
}

function stopsInWords(stops: number): string {
  return stops === 0 ? 'direct' : stops === 1 ? '1 stop' : `${stops} stops`
}
